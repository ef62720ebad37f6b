import type { ToolDefinition } from '../../../contract/tool.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { nativeDefinitions } from '../prompt/answer-type.js';
import { possibleEnds } from '../prompt/tail.js';
import { openingTemplate } from '../prompt/templates/orders.js';
import { countMessages, type Scale } from '../prompt/weigh-messages.js';
import type { Message } from '../provider.js';
import type { Situation } from '../types.js';

/** Tokens of the prompt sections that are never cut. */
export interface FixedCosts {
  readonly instructions: number;
  readonly example: number;
  readonly tools: number;
  readonly framing: number;
  /**
   * Minimum number of tokens reserved for the tail: those of the longest instruction with which any step of the run
   * may end (rule: tail-reserve).
   */
  readonly minTailTokens: number;
}

interface FixedTexts {
  readonly instructions: string;
  readonly example: readonly Message[];
  readonly tools: string;
}

/** Counts the sections with which every prompt of a run begins. */
export async function countFixed(
  situation: Situation,
  { instructions, example, tools }: FixedTexts,
  scale: Scale,
): Promise<FixedCosts> {
  const { tokens, framing } = scale;
  const instructionTokens = await tokens.count(instructions);
  const toolTokens = (await tokens.count(instructions + tools)) - instructionTokens;
  const exampleTokens = await countMessages(example, scale);
  const exampleFraming = example.length * framing.message;
  let minTailTokens = 0;
  for (const end of possibleEnds(situation)) minTailTokens = Math.max(minTailTokens, await tokens.count(end));
  return {
    instructions: instructionTokens,
    example: exampleTokens - exampleFraming,
    tools: toolTokens + (await countSchemas(situation, scale)),
    // Counts three messages: one for the system text, one for the context or the opening, and one for a tail after an
    // assistant message.
    framing: framing.prompt + 3 * framing.message + exampleFraming + (await tokens.count(openingTemplate)),
    minTailTokens,
  };
}

/**
 * Safety factor on the token count of the JSON of native tools and reply schemas, because each vendor renders them
 * differently.
 */
const SCHEMA_MARGIN = 1.3;

/**
 * Counts the schemas that the vendor adds to the prompt: those of native tools, or that of the reply
 * (rule: counting).
 */
async function countSchemas(situation: Situation, { tokens }: Scale): Promise<number> {
  const { protocol, replyFormat } = situation;
  const definitions = protocol === 'native' ? nativeDefinitions(situation) : [];
  const schema = replyFormat?.isCharged && replyFormat.schema;
  const charged = schema ? Math.ceil((await tokens.count(JSON.stringify(schema))) * SCHEMA_MARGIN) : 0;
  return charged + (definitions.length > 0 ? await countDefinitions(definitions, tokens) : 0);
}

/** Counts the definitions of native tools. */
export async function countDefinitions(
  definitions: readonly ToolDefinition[],
  tokens: TokenCounter,
): Promise<number> {
  return Math.ceil((await tokens.count(JSON.stringify(definitions.map(shownToVendor)))) * SCHEMA_MARGIN);
}

const shownToVendor = ({ name, description, inputSchema }: ToolDefinition) => ({
  name,
  description,
  inputSchema,
});
