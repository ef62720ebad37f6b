import type { Warning } from '../../../contract/step.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { expandSchema } from '../../../parsing/arguments/expand-schema.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import { requireAnswerSchema } from '../answer-schema.js';
import { orderSchema } from '../history/order-keys.js';
import type { ModelProfile } from '../provider.js';
import { type AnswerType, expectsPlainText, type ReplySituation, type Situation } from '../types.js';

/**
 * Returns the form of the final answer that the caller asked for. Throws `StepRefused` if its schema cannot be used
 * (rules: typed-answers, answer-schema).
 */
export function readAnswerType(
  situation: Pick<Situation, 'request' | 'protocol' | 'offered' | 'clientTerms'>,
  { structured }: ModelProfile,
): { answerType?: AnswerType; warnings: Warning[] } {
  const { request, protocol, offered } = situation;
  const { answer_schema: sent, phase } = request;
  if (!sent) return { warnings: [] };
  const warnings = requireAnswerSchema(sent);
  const schema = orderSchema(sent);
  const isConstrained = typeof structured === 'object' && structured.besideTools === true;
  const needsTool = protocol === 'native' && !phase && !isConstrained && !expectsPlainText(situation);
  return { answerType: { schema, tool: needsTool ? answerTool(schema, offered) : undefined }, warnings };
}

/** Default name of the reserved tool. */
const ANSWER_TOOL = 'final_answer';

/** The only parameter of the reserved tool. */
export const ANSWER_PARAMETER = 'answer';

/**
 * Returns the reserved tool with which the model gives its answer in native tool calling. It is needed if the model's
 * vendor cannot combine tools with a reply schema (rule: typed-answers). Its name differs from those of all offered
 * tools.
 */
function answerTool(schema: AnswerType['schema'], offered: readonly OfferedTool[]): ToolDefinition {
  const taken = new Set(offered.map(({ name }) => name));
  let name = ANSWER_TOOL;
  for (let number = 2; taken.has(name); number += 1) name = `${ANSWER_TOOL}_${number}`;
  return {
    name,
    description: 'Gives the final answer and ends the task. Call it alone, once you know enough.',
    inputSchema: {
      type: 'object',
      properties: { [ANSWER_PARAMETER]: withoutReferences(schema) },
      required: [ANSWER_PARAMETER],
    },
  };
}

/** Replaces references by their definitions, because their paths would be wrong inside the tool's schema. */
function withoutReferences(schema: AnswerType['schema']): unknown {
  return JSON.stringify(schema).includes('"$ref"') ? (expandSchema(schema)?.schema ?? {}) : schema;
}

/**
 * Returns the tools that a native model may call: those of the request and, if there is one, the reserved tool. Tools
 * found by a search come last, so that a discovery does not change the beginning of the list (rule: found-tools).
 */
export const nativeDefinitions = ({
  tools,
  found,
  answerType,
}: Pick<ReplySituation, 'tools' | 'found' | 'answerType'>): readonly ToolDefinition[] => [
  ...tools,
  ...(answerType?.tool ? [answerType.tool] : []),
  ...found,
];
