import {
  type ActionView,
  type ModelCallView,
  type RunView,
  renderCall,
  type StepView,
} from '../../../sdk/index.js';
import { shownState } from '../../run/shown-state.js';

/** The same part of a step in two runs, such as its thought. */
export interface PartPair {
  readonly name: 'Thought' | 'Call' | 'Result' | 'Answer' | 'Failure';
  /** Text of the part in the left run; empty if that run lacks the part. */
  readonly left: string;
  readonly right: string;
  readonly isSame: boolean;
}

/** Tokens and time that a step used. */
export interface StepFigures {
  /** Size of the prompt as the service counts it; null without a context report. */
  readonly promptTokens: number | null;
  /** Input tokens as the provider counts them; null if it does not report them. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** The steps with the same number in two runs. The figures are null for a run without such a step. */
export interface StepPair {
  readonly number: number;
  readonly parts: readonly PartPair[];
  readonly isSame: boolean;
  readonly left: StepFigures | null;
  readonly right: StepFigures | null;
}

/** Pairs the steps of two runs by number: a branch continues the numbering of its parent. */
export function alignSteps(left: RunView, right: RunView): readonly StepPair[] {
  const count = Math.max(left.steps.length, right.steps.length);
  return Array.from({ length: count }, (_, at) => pairOf(at + 1, left.steps[at], right.steps[at]));
}

function pairOf(number: number, left: StepView | undefined, right: StepView | undefined): StepPair {
  const parts = pairParts(partsOf(left), partsOf(right));
  const isSame = left !== undefined && right !== undefined && parts.every((part) => part.isSame);
  return {
    number,
    parts,
    isSame,
    left: left ? figuresOf(left) : null,
    right: right ? figuresOf(right) : null,
  };
}

type Part = readonly [PartPair['name'], string];

/** Returns the parts of a step in reading order. */
function partsOf(step: StepView | undefined): readonly Part[] {
  if (!step) return [];
  const { calls, actions } = step;
  const joinTexts = (textOf: (call: ModelCallView) => string): string =>
    calls.map(textOf).filter(Boolean).join('\n\n');
  const failures = calls.flatMap(({ failures: failed }) => failed.map(({ error }) => error.message));
  const parts: readonly Part[] = [
    ['Thought', joinTexts(({ draft, thought }) => draft + thought)],
    ...actions.flatMap((action): readonly Part[] => [
      ['Call', callOf(action)],
      ['Result', action.observation ?? ''],
    ]),
    ['Answer', joinTexts(({ answer }) => answer)],
    ['Failure', failures.join('\n')],
  ];
  return parts.filter(([, text]) => text !== '');
}

const callOf = (action: ActionView): string => {
  const call = renderCall(action.tool, action.args);
  const state = shownState(action);
  return state === 'done' ? call : `${call} (${state})`;
};

/**
 * Pairs parts with the same name in their order, such as the first call of the left step with the first call of
 * the right one.
 */
function pairParts(left: readonly Part[], right: readonly Part[]): readonly PartPair[] {
  return names.flatMap((name) => {
    const [ours, theirs] = [left, right].map((parts) => parts.filter(([each]) => each === name));
    const count = Math.max(ours?.length ?? 0, theirs?.length ?? 0);
    return Array.from({ length: count }, (_, at) => {
      const [mine = '', other = ''] = [ours?.[at]?.[1], theirs?.[at]?.[1]];
      return { name, left: mine, right: other, isSame: mine === other };
    });
  });
}

const names = ['Thought', 'Call', 'Result', 'Answer', 'Failure'] as const;

function figuresOf({ calls }: StepView): StepFigures {
  const responses = calls.flatMap(({ response }) => response ?? []);
  return {
    promptTokens: sum(responses.map(({ context_report: report }) => report?.prompt_tokens ?? null)),
    inputTokens: sum(responses.map(({ usage }) => usage?.input_tokens ?? null)),
    outputTokens: sum(responses.map(({ usage }) => usage?.output_tokens ?? null)),
  };
}

/** Returns the sum of the known counts; null if none is known. */
const sum = (counts: readonly (number | null)[]): number | null =>
  counts.reduce((total, count) => (count === null ? total : (total ?? 0) + count), null);
