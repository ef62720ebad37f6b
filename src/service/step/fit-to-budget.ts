import type { GatheredContext } from '../context/context-item.js';
import type { FittedContext } from '../context/fitting/fit-context.js';
import { countFixed, type FixedCosts } from './budget/fixed-costs.js';
import { fitContextAndHistory } from './budget/share-budget.js';
import { type Fold, foldHistory } from './history/fold-history.js';
import { advise } from './history/signals.js';
import { type CutUnit, weighUnits } from './history/unit-forms.js';
import { StepRefused } from './interruption.js';
import { renderExample } from './prompt/example.js';
import { renderInstructions, renderTools } from './prompt/instructions.js';
import { buildTail, phaseOrder, type Tail } from './prompt/tail.js';
import { type Scale, scaleOf } from './prompt/weigh-messages.js';
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
  readonly context: readonly string[];
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
  /** What the history may take. */
  readonly share: number;
  /** Weighed where the choice hung on it (rule: counted-meanwhile). */
  readonly units: readonly CutUnit[];
  readonly fold: Fold;
  readonly tail: Tail;
}

/** Chooses what the model sees (rule: prompt-budget). Throws `StepRefused` if even the least does not fit. */
export async function fitToBudget(
  situation: Situation,
  gathered: GatheredContext,
  dependencies: Pick<PromptDependencies, 'tokens' | 'profile' | 'deadline'>,
): Promise<FittedPrompt> {
  const scale = scaleOf(dependencies, situation.protocol);
  const instructions = renderInstructions(situation);
  const tools = await renderTools(situation, scale.signal);
  const withExample = async (example: readonly Message[]) => {
    const fixed = await countFixed(situation, { instructions, example, tools }, scale);
    return { example, fixed, shared: await fitContextAndHistory(situation, gathered, { fixed, scale }) };
  };
  const shown = renderExample(situation);
  const chosen = await withExample(shown).catch((error: unknown) => {
    if (shown.length > 0 && isTooSmall(error)) return withExample([]);
    throw error;
  });
  const { example, fixed, shared } = chosen;
  const { budget, context, share } = shared;
  const contents = tailContents(situation, context);
  const fill = async (units: readonly CutUnit[]) => {
    const fold = foldHistory(units, share);
    const room = budget.tail + share - fold.tokens; // its reserve, and what the history left free (rule: tail-reserve)
    return { units, fold, tail: await buildTail(contents, Math.max(budget.tail, room), scale) };
  };
  const filled = await fill(shared.units);
  const isChosen = filled.tail.isWhole || shared.units.every(({ isWeighed }) => isWeighed);
  const { units, fold, tail } = isChosen ? filled : await fill(await weighUnits(shared.units, scale));
  const history: Message[] = [];
  for (const [index, unit] of units.entries()) history.push(...messagesOf(unit, fold.forms[index]));
  return {
    situation,
    scale,
    pieces: { system: instructions.text + tools, example, context: context.blocks, history, tail: tail.text },
    fixed,
    context,
    share,
    units,
    fold,
    tail,
  };
}

/** An example is a help: no step is refused for it (rule: worked-example). */
const isTooSmall = (error: unknown): boolean =>
  error instanceof StepRefused && error.code === 'token_budget_exceeded';

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
