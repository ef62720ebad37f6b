import { isObject } from '../../../contract/fields.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { oneLine } from '../../../conversation/task-list.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { flatSchema } from '../../../parsing/arguments/flat-schema.js';
import { parameterOrder } from '../../../parsing/arguments/offered-tool.js';
import { type AnswerType, expectsPlainText, type Situation } from '../types.js';
import {
  answerTemplates,
  fenceTemplate,
  phaseAnswerTemplate,
  templatesWithoutTools,
  templatesWithTools,
} from './templates/instructions.js';

/**
 * Renders the instructions: how to act, the meaning of fences, and the caller's own instructions. The text is the
 * same in every step of a run.
 */
export function renderInstructions(situation: Situation): string {
  const { request, protocol, calls, answerType } = situation;
  if (expectsPlainText(situation)) {
    const described = answerType ? describeAnswer(answerType, { request, protocol: 'native' }) : '';
    return (request.instructions ?? '') + described + (calls.length > 0 ? fenceTemplate : '');
  }
  const hasTools = Boolean(request.tools?.length || request.available_tools_prompt_segment?.trim());
  const own = request.instructions?.trim();
  const answer = answerType ? describeAnswer(answerType, { request, protocol }) : '';
  const templates = hasTools ? templatesWithTools : templatesWithoutTools;
  return templates[protocol] + answer + fenceTemplate + (own ? `\n${own}\n` : '');
}

/** Describes the form of the final answer, which is the same in every step of a run (rule: typed-answers). */
function describeAnswer(
  { schema, tool }: AnswerType,
  { request, protocol }: Pick<Situation, 'request' | 'protocol'>,
): string {
  const opening = tool ? answerTemplates.nativeTool(tool.name) : answerTemplates[protocol]();
  return `${opening}${JSON.stringify(schema)}\n${request.phase ? phaseAnswerTemplate : ''}`;
}

/**
 * Describes the tools in words. With native calling, tools are sent as definitions, so this text contains only the
 * caller's free text about tools.
 */
export async function renderTools(situation: Situation, signal?: AbortSignal): Promise<string> {
  const segment = situation.request.available_tools_prompt_segment?.trim();
  const isSilent = situation.protocol === 'native' || expectsPlainText(situation);
  const described = isSilent ? '' : await describeTools(situation, signal);
  const free = segment ? `${segment}\n` : '';
  return described || free ? `\nTools:\n${described}${free}` : '';
}

async function describeTools(situation: Situation, signal: AbortSignal | undefined): Promise<string> {
  let described = '';
  for (const tool of situation.tools) {
    await yieldIfBusy(signal);
    described += describeTool(tool, situation, situation.shortened?.has(tool.name));
  }
  return described;
}

/**
 * Describes a tool as the protocol requires. With `isSignature`, describes only its signature (rule:
 * compatible-tools).
 */
export const describeTool = (
  tool: ToolDefinition,
  { protocol, needsExample }: Pick<Situation, 'protocol' | 'needsExample'>,
  isSignature = false,
): string => (protocol === 'xml' ? describeInXml(tool, needsExample) : describeInText(tool, isSignature));

/**
 * Describes a tool for the `xml` protocol by its JSON schema. For a model that needs an example, describes it in
 * words instead, because a small model copies a schema into its calls (rule: worked-example).
 */
function describeInXml({ name, description = '', inputSchema }: ToolDefinition, inWords: boolean): string {
  const schema = flatSchema(inputSchema);
  const mark = optionalMark(schema);
  const listed = inWords
    ? parameterOrder(schema).map(
        (parameter) =>
          `<parameter>${describeParameter(mark(parameter), propertyOf(schema, parameter))}</parameter>`,
      )
    : [`<parameters>${JSON.stringify(inputSchema)}</parameters>`];
  const lines = [
    `<name>${name}</name>`,
    `<description>${oneLine(description).trim()}</description>`,
    ...listed,
  ];
  return `<tool>\n${lines.join('\n')}\n</tool>\n`;
}

/** Describes a tool for the `text` protocol: its signature, then its parameters. */
function describeInText({ name, description, inputSchema }: ToolDefinition, isSignature: boolean): string {
  const schema = flatSchema(inputSchema);
  const parameters = parameterOrder(schema);
  const signature = `${name}(${parameters.map(optionalMark(schema)).join(', ')})`;
  const described = isSignature ? [] : parameters;
  const lines = described.map(
    (parameter) => `    ${describeParameter(parameter, propertyOf(schema, parameter))}\n`,
  );
  return `- ${signature}${description ? `: ${oneLine(description).trim()}` : ''}\n${lines.join('')}`;
}

/** Returns a function that appends `?` to the name of an optional parameter. */
function optionalMark({ required }: ToolDefinition['inputSchema']): (parameter: string) => string {
  const needed = new Set(Array.isArray(required) ? required : []);
  return (parameter) => (needed.has(parameter) ? parameter : `${parameter}?`);
}

const propertyOf = ({ properties }: ToolDefinition['inputSchema'], name: string): unknown =>
  isObject(properties) ? properties[name] : undefined;

function describeParameter(parameter: string, schema: unknown): string {
  if (!isObject(schema)) return parameter;
  const { type, description, ...rest } = schema;
  const facts = [
    typeof type === 'string' ? type : undefined,
    typeof description === 'string' ? oneLine(description).trim() : undefined,
    Object.keys(rest).length > 0
      ? JSON.stringify(typeof type === 'string' ? rest : { type, ...rest })
      : undefined,
  ];
  return `${parameter}: ${facts.filter(Boolean).join('; ')}`;
}
