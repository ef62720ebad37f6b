import type { GatheredContext } from '../context/context-item.js';
import type { FittedContext } from '../context/fitting/fit-context.js';
import { countFixed, type FixedCosts } from './budget/fixed-costs.js';
import { fitContextAndHistory } from './budget/share-budget.js';
import { shortenTools } from './budget/shorten-tools.js';
import { type FoldedUnit, foldHistory } from './history/fold-history.js';
import { type CutUnit, messagesOf } from './history/unit-forms.js';
import { StepRefused } from './interruption.js';
import { type DeferredList, listDeferred } from './prompt/deferred-tools.js';
import { renderExample } from './prompt/example.js';
import { renderInstructions, renderTools } from './prompt/instructions.js';
import type { PromptSections } from './prompt/lay-out-prompt.js';
import { buildTail, type Tail } from './prompt/tail.js';
import { type Scale, scaleOf } from './prompt/weigh-messages.js';
import type { Message } from './provider.js';
import type { PromptDependencies } from './step-dependencies.js';
import type { Situation } from './types.js';

/** A prompt that fits the budget. All numbers are tokens. */
export interface FittedPrompt {
  readonly situation: Situation;
  readonly scale: Scale;
  readonly sections: PromptSections;
  readonly fixed: FixedCosts;
  readonly context: FittedContext;
  /** Tokens that the history may use. */
  readonly historyTokens: number;
  readonly units: readonly FoldedUnit<CutUnit>[];
  readonly tail: Tail;
  readonly deferredList: DeferredList;
}

/**
 * Chooses which parts of the context and history the prompt includes (rule: prompt-budget). Throws
 * `StepRefused` if not even the shortest prompt fits.
 */
export async function fitToBudget(
  situation: Situation,
  gathered: GatheredContext,
  dependencies: Pick<PromptDependencies, 'tokens' | 'profile' | 'deadline'>,
): Promise<FittedPrompt> {
  const scale = scaleOf(dependencies, situation.protocol);
  const fitAfter = (example: readonly Message[]) => fitWith(example, situation, { gathered, scale });
  const example = renderExample(situation);
  return fitAfter(example).catch((error: unknown) => {
    // The worked example is optional: before the request is refused, the prompt is fitted without it
    // (rule: worked-example).
    if (example.length > 0 && error instanceof StepRefused) return fitAfter([]);
    throw error;
  });
}

async function fitWith(
  example: readonly Message[],
  whole: Situation,
  { gathered, scale }: { readonly gathered: GatheredContext; readonly scale: Scale },
): Promise<FittedPrompt> {
  const instructions = renderInstructions(whole);
  const deferredList = await listDeferred(whole.deferred, deferredLimit(whole), scale.tokens);
  const { situation, tools, fixed } = await fitTools(whole, { instructions, example, deferredList }, scale);
  const shared = await fitContextAndHistory(situation, gathered, { fixed, scale });
  const { budget, context, historyTokens } = shared;
  const { units, tokens: used } = foldHistory(shared.units, historyTokens);
  const unused = Math.max(0, historyTokens - used); // the tail may use it (rule: tail-reserve)
  const tail = await buildTail(situation, context.focus, {
    tokens: budget.tail + unused,
    counter: scale.tokens,
  });
  const history = units.flatMap((unit) => messagesOf(unit, scale));
  return {
    situation,
    scale,
    sections: { system: instructions + tools, example, context: context.blocks, history, tail: tail.text },
    fixed,
    context,
    historyTokens,
    units,
    tail,
    deferredList,
  };
}

interface FirstSections {
  readonly instructions: string;
  readonly example: readonly Message[];
  readonly deferredList: DeferredList;
}

interface FittedTools extends Pick<FittedPrompt, 'situation' | 'fixed'> {
  readonly tools: string;
}

/** Describes the tools. If a client offers more tools than fit, describes the longest ones as signatures. */
async function fitTools(situation: Situation, first: FirstSections, scale: Scale): Promise<FittedTools> {
  const { deferredList, ...sections } = first;
  const tools = (await renderTools(situation, scale.signal)) + deferredList.text;
  const fixed = await countFixed(situation, { ...sections, tools }, scale);
  const shortened = await shortenTools(situation, fixed, scale);
  return shortened ? fitTools(shortened, first, scale) : { situation, tools, fixed };
}

/** Share of the prompt budget for the list of deferred tools. */
const DEFERRED_SHARE = 0.05;

function deferredLimit({ request: { llm_config: config } }: Situation): number {
  return Math.floor((config.tokenLimit - config.reservedOutputTokens) * DEFERRED_SHARE);
}
