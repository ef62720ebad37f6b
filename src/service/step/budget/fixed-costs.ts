import { type DigestedText, digested } from '../../../tokens/text-memo.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { possibleEnds } from '../prompt/tail.js';
import { openingTemplate } from '../prompt/templates/orders.js';
import { type Scale, tokensOfMessages } from '../prompt/weigh-messages.js';
import type { Message } from '../provider.js';
import type { Situation } from '../read-situation.js';

/** What is spent before anything can be chosen, in tokens. */
export interface FixedCosts {
  readonly instructions: number;
  readonly example: number;
  readonly tools: number;
  readonly framing: number;
  /** The longest tail that a step may not do without. */
  readonly smallestTail: number;
}

interface FixedTexts {
  readonly instructions: DigestedText;
  readonly example: readonly Message[];
  readonly tools: string;
}

const opening = digested(openingTemplate);

/** Counts what every prompt of a run begins with. */
export async function countFixed(
  situation: Situation,
  { instructions, example, tools }: FixedTexts,
  scale: Scale,
): Promise<FixedCosts> {
  const { tokens, framing } = scale;
  const ends = possibleEnds(situation.request, situation.protocol);
  const [taught = 0, begun = 0, ...ended] = await countEach([instructions, opening, ...ends], tokens);
  const described = tools === '' ? 0 : (await tokens.countJoined([instructions, { text: tools }])) - taught;
  const schema = schemaBeside(situation);
  const charged = schema ? await countSchema(schema, tokens) : 0;
  const shown = example.length > 0 ? await tokensOfMessages(example, scale) : 0;
  const exampleFraming = example.length * framing.message;
  return {
    instructions: taught,
    example: shown - exampleFraming,
    tools: described + charged,
    // The system message, one for the context or the opening, and one for a tail after an assistant message.
    framing: framing.prompt + 3 * framing.message + exampleFraming + begun,
    smallestTail: Math.max(...ended),
  };
}

/** Most of them were counted in other steps, and nothing is awaited for those. */
async function countEach(texts: readonly DigestedText[], tokens: TokenCounter): Promise<number[]> {
  const counts: number[] = [];
  for (const text of texts) counts.push(tokens.recall([text]) ?? (await tokens.countJoined([text])));
  return counts;
}

/** Schemas that are sent beside the prompt are counted as JSON, times this: vendors render them in forms of their own. */
const SCHEMA_MARGIN = 1.3;

/** What the vendor puts into the prompt beside its text: native tools, or the schema of the reply (rule: counting). */
function schemaBeside({ protocol, tools, replyFormat }: Situation): object | null | undefined {
  if (protocol === 'native')
    return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return replyFormat?.isCharged ? replyFormat.schema : undefined;
}

async function countSchema(schema: object, tokens: TokenCounter): Promise<number> {
  return Math.ceil((await tokens.count(JSON.stringify(schema))) * SCHEMA_MARGIN);
}
