import type { GatheredContext } from '../context/context-item.js';
import type { FittedContext } from '../context/fitting/fit-context.js';
import { type DigestedText, digested } from '../tokens/text-memo.js';
import type { TokenCounter } from '../tokens/token-counter.js';
import type { FixedCosts } from './budget/share-budget.js';
import { fitContextAndHistory } from './budget/share-budget.js';
import { type Fold, foldHistory } from './history/fold-history.js';
import { advise } from './history/signals.js';
import { type CutUnit, tokensOfUnits } from './history/unit-forms.js';
import { StepRefused } from './interruption.js';
import { renderExample } from './prompt/example.js';
import { renderInstructions, renderTools } from './prompt/instructions.js';
import { buildTail, phaseOrder, smallestTail, type Tail } from './prompt/tail.js';
import { openingTemplate } from './prompt/templates/orders.js';
import { type Scale, tokensOfMessages } from './prompt/weigh-messages.js';
import type { Message } from './provider.js';
import type { Situation } from './read-situation.js';
import type { PromptDependencies } from './step-dependencies.js';

/** The pieces of a prompt in the order in which they are sent (rule: message-order). */
export interface PromptPieces {
  /** Instructions, then tools. */
  readonly system: string;
  /** A question and its reply, made up; ends with a text of the user. */
  readonly example: readonly Message[];
  /** Fenced blocks. */
  readonly context: readonly DigestedText[];
  readonly history: readonly Message[];
  /** What changes from step to step; may be empty. */
  readonly tail: string;
}

/** What the model is going to see, chosen to fit the budget. All numbers are tokens. */
export interface FittedPrompt {
  readonly situation: Situation;
  readonly scale: Scale;
  readonly pieces: PromptPieces;
  readonly fixed: FixedCosts;
  readonly context: FittedContext;
  readonly units: readonly CutUnit[];
  readonly fold: Fold;
  readonly tail: Tail;
  /** Four fifths of the history's share are used before anything is cut (rule: signals). */
  readonly shouldCompact: boolean;
}

const COMPACT_SHARE = 0.8;

/** Schemas that are sent beside the prompt are counted as JSON, times this: vendors render them in forms of their own. */
const SCHEMA_MARGIN = 1.3;

/** Chooses what the model sees (rule: prompt-budget). Throws `StepRefused` if even the least does not fit. */
export async function fitToBudget(
  situation: Situation,
  gathered: GatheredContext,
  { tokens, profile, deadline }: Pick<PromptDependencies, 'tokens' | 'profile' | 'deadline'>,
): Promise<FittedPrompt> {
  const { framing, countMargin: margin } = profile;
  const scale: Scale = { tokens, framing, margin, protocol: situation.protocol, signal: deadline.signal };
  const instructions = renderInstructions(situation);
  const tools = await renderTools(situation, deadline.signal);
  const withExample = async (example: readonly Message[]) => {
    const fixed = await countFixed(situation, { instructions, example, tools }, scale);
    return { example, fixed, ...(await fitContextAndHistory(situation, gathered, { fixed, scale })) };
  };
  const shown = renderExample(situation);
  const chosen = await withExample(shown).catch((error: unknown) => {
    if (shown.length > 0 && isTooSmall(error)) return withExample([]);
    throw error;
  });
  const { example, fixed, budget, context, share, units } = chosen;
  const fold = foldHistory(units, share);
  const room = budget.tail + share - fold.tokens; // its reserve, and what the history left free (rule: tail-reserve)
  const tail = await buildTail(tailContents(situation, context), Math.max(budget.tail, room), scale);
  const history = units.flatMap((unit, index) => messagesOf(unit, fold.forms[index]));
  return {
    situation,
    scale,
    pieces: { system: instructions.text + tools, example, context: context.blocks, history, tail: tail.text },
    fixed,
    context,
    units,
    fold,
    tail,
    shouldCompact: tokensOfUnits(units) >= share * COMPACT_SHARE,
  };
}

/** An example is a help: no step is refused for it (rule: worked-example). */
const isTooSmall = (error: unknown): boolean =>
  error instanceof StepRefused && error.code === 'token_budget_exceeded';

interface FixedTexts {
  readonly instructions: DigestedText;
  readonly example: readonly Message[];
  readonly tools: string;
}

const opening = digested(openingTemplate);

/** What is spent before anything can be chosen. */
async function countFixed(
  situation: Situation,
  { instructions, example, tools }: FixedTexts,
  scale: Scale,
): Promise<FixedCosts> {
  const { tokens, framing } = scale;
  // Most of it has been counted in other steps: it is recalled at once.
  const count = (...texts: DigestedText[]) => tokens.recall(texts) ?? tokens.countJoined(texts);
  const taught = await count(instructions);
  const exampleFraming = example.length * framing.message;
  const described = tools === '' ? 0 : (await count(instructions, { text: tools })) - taught;
  // The system message, one for the context or the opening, and one for a tail after an assistant message.
  const messages = framing.prompt + 3 * framing.message + exampleFraming;
  return {
    instructions: taught,
    example: (await tokensOfMessages(example, scale)) - exampleFraming,
    tools: described + (await countSchemas(situation, tokens)),
    framing: messages + (await count(opening)),
    smallestTail: await smallestTail(situation.request, situation.protocol, tokens),
  };
}

/** What the vendor puts into the prompt beside its text: native tools, or the schema of the reply (rule: counting). */
async function countSchemas(
  { protocol, tools, replyFormat }: Situation,
  tokens: TokenCounter,
): Promise<number> {
  const nativeTools = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const sent = protocol === 'native' ? nativeTools : replyFormat?.isCharged ? replyFormat.schema : undefined;
  return sent ? Math.ceil((await tokens.count(JSON.stringify(sent))) * SCHEMA_MARGIN) : 0;
}

function tailContents({ request, protocol, mustAnswer, signals }: Situation, { focus }: FittedContext) {
  const tasks = request.tasks ?? [];
  return { phaseOrder: phaseOrder(request, protocol), mustAnswer, tasks, focus, advice: advise(signals) };
}

function messagesOf(
  { messages, maskedMessages = messages }: CutUnit,
  form: Fold['forms'][number] | undefined,
): readonly Message[] {
  if (form === 'dropped') return [];
  return form === 'masked' ? maskedMessages : messages;
}
