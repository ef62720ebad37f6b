import type { GatheredContext } from '../context/context-item.js';
import type { FittedContext } from '../context/fitting/fit-context.js';
import { countFixed, type FixedCosts } from './budget/fixed-costs.js';
import { fitContextAndHistory } from './budget/share-budget.js';
import { shortenTools } from './budget/shorten-tools.js';
import { type Fold, foldHistory } from './history/fold-history.js';
import { advise } from './history/signals.js';
import { type CutUnit, messagesOf } from './history/unit-forms.js';
import { StepRefused } from './interruption.js';
import { type DeferredList, listDeferred } from './prompt/deferred-tools.js';
import { renderExample } from './prompt/example.js';
import { renderInstructions, renderTools } from './prompt/instructions.js';
import type { PromptSections } from './prompt/lay-out-prompt.js';
import { buildTail, callOrder, phaseOrder, type Tail, type TailContents } from './prompt/tail.js';
import { type Scale, scaleOf } from './prompt/weigh-messages.js';
import type { Message } from './provider.js';
import type { PromptDependencies } from './step-dependencies.js';
import { expectsPlainText, type Situation } from './types.js';

/** A prompt that fits the budget. All numbers are tokens. */
export interface FittedPrompt {
  readonly situation: Situation;
  readonly scale: Scale;
  readonly sections: PromptSections;
  readonly fixed: FixedCosts;
  readonly context: FittedContext;
  /** Tokens that the history may use. */
  readonly historyTokens: number;
  readonly units: readonly CutUnit[];
  readonly fold: Fold;
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
  const example = renderExample(situation);
  const basis = { situation, gathered, scale };
  return fitWith(example, basis).catch((error: unknown) => {
    // The worked example is optional: before the request is refused, the prompt is fitted without it
    // (rule: worked-example).
    if (example.length > 0 && error instanceof StepRefused) return fitWith([], basis);
    throw error;
  });
}

interface FittingBasis {
  readonly situation: Situation;
  readonly gathered: GatheredContext;
  readonly scale: Scale;
}

async function fitWith(
  example: readonly Message[],
  { situation: whole, gathered, scale }: FittingBasis,
): Promise<FittedPrompt> {
  const instructions = renderInstructions(whole);
  const deferredList = await listDeferred(whole.deferred, deferredLimit(whole), scale);
  const { situation, tools, fixed } = await fitTools(whole, { instructions, example, deferredList }, scale);
  const shared = await fitContextAndHistory(situation, gathered, { fixed, scale });
  const { budget, context, historyTokens, units } = shared;
  const fold = foldHistory(units, historyTokens);
  const unused = Math.max(0, historyTokens - fold.tokens); // the tail may use it (rule: tail-reserve)
  const tail = await buildTail(tailContents(situation, context), budget.tail + unused, scale);
  const history = units.flatMap((unit, index) => messagesIn(unit, { ...fold, index }, scale));
  return {
    situation,
    scale,
    sections: { system: instructions + tools, example, context: context.blocks, history, tail: tail.text },
    fixed,
    context,
    historyTokens,
    units,
    fold,
    tail,
    deferredList,
  };
}

interface FirstSections {
  readonly instructions: string;
  readonly example: readonly Message[];
  readonly deferredList: DeferredList;
}

/** Describes the tools. If a client offers more tools than fit, describes the longest ones as signatures. */
async function fitTools(whole: Situation, sections: FirstSections, scale: Scale) {
  const fitted = await weighFixed(whole, sections, scale);
  const shortened = await shortenTools(whole, fitted.fixed, scale);
  return shortened ? weighFixed(shortened, sections, scale) : fitted;
}

async function weighFixed(situation: Situation, { deferredList, ...sections }: FirstSections, scale: Scale) {
  const tools = (await renderTools(situation, scale.signal)) + deferredList.text;
  return { situation, tools, fixed: await countFixed(situation, { ...sections, tools }, scale) };
}

/** Share of the prompt budget for the list of deferred tools. */
const DEFERRED_SHARE = 0.05;

function deferredLimit({ request: { llm_config: config } }: Situation): number {
  return Math.floor((config.tokenLimit - config.reservedOutputTokens) * DEFERRED_SHARE);
}

function tailContents(
  { request, protocol, mustAnswer, signals, clientTerms }: Situation,
  { focus }: FittedContext,
): TailContents {
  const tasks = request.tasks ?? [];
  // A client of a compatible endpoint (`clientTerms`) decides itself when its loop ends, so the model gets only the
  // advice about repeated calls (rule: client-terms).
  const heeded = clientTerms ? { ...signals, consecutive_read_only: 0, consecutive_errors: 0 } : signals;
  const order = phaseOrder(request, protocol) + callOrder(clientTerms);
  return {
    phaseOrder: order,
    mustAnswer,
    hasJsonAnswer: request.answer_schema !== undefined,
    tasks,
    focus,
    advice: expectsPlainText({ clientTerms }) ? undefined : advise(heeded),
  };
}

function messagesIn(
  unit: CutUnit,
  { forms, leftOut = [], index }: Fold & { readonly index: number },
  scale: Scale,
): readonly Message[] {
  const form = forms[index];
  if (form === 'dropped') return [];
  return form === 'masked' && unit.maskedMessages
    ? unit.maskedMessages
    : messagesOf(unit, leftOut[index] ?? 0, scale);
}
