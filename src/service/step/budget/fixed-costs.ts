import { possibleEnds } from '../prompt/tail.js';
import { openingTemplate } from '../prompt/templates/orders.js';
import { countMessages, type Scale } from '../prompt/weigh-messages.js';
import type { Message } from '../provider.js';
import type { Situation } from '../types.js';

/** Tokens of the sections that are never cut. */
export interface FixedCosts {
  readonly instructions: number;
  readonly example: number;
  readonly tools: number;
  readonly framing: number;
  /** Tokens of the longest order that a tail of the run may have to hold (rule: tail-reserve). */
  readonly smallestTail: number;
}

interface FixedTexts {
  readonly instructions: string;
  readonly example: readonly Message[];
  readonly tools: string;
}

/** Counts the sections that every prompt of a run begins with. */
export async function countFixed(
  situation: Situation,
  { instructions, example, tools }: FixedTexts,
  scale: Scale,
): Promise<FixedCosts> {
  const { tokens, framing } = scale;
  const taught = await tokens.count(instructions);
  const described = (await tokens.count(instructions + tools)) - taught;
  const shown = await countMessages(example, scale);
  const exampleFraming = example.length * framing.message;
  let smallestTail = 0;
  for (const end of possibleEnds(situation.request, situation.protocol))
    smallestTail = Math.max(smallestTail, await tokens.count(end));
  return {
    instructions: taught,
    example: shown - exampleFraming,
    tools: described + (await countSchemas(situation, scale)),
    // The system message, one for the context or the opening, and one for a tail after an assistant message.
    framing: framing.prompt + 3 * framing.message + exampleFraming + (await tokens.count(openingTemplate)),
    smallestTail,
  };
}

/** Safety factor on the JSON of native tools and reply schemas: each vendor renders them in a form of its own. */
const SCHEMA_MARGIN = 1.3;

/** Counts the schemas that the vendor puts into the prompt: native tools, or the schema of the reply (rule: counting). */
async function countSchemas({ protocol, tools, replyFormat }: Situation, { tokens }: Scale): Promise<number> {
  const schema =
    protocol === 'native'
      ? tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      : replyFormat?.isCharged && replyFormat.schema;
  return schema ? Math.ceil((await tokens.count(JSON.stringify(schema))) * SCHEMA_MARGIN) : 0;
}
