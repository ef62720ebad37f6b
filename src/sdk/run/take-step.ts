import type { TurnInput } from '../../contract/history.js';
import type { Step } from '../../contract/step.js';
import type { AnswerCheck } from './answer-schema.js';
import { callModel, type ModelCall } from './call-model.js';
import { compactIfNeeded } from './compact-if-needed.js';
import { renewTools } from './offer-tools.js';
import { performActions } from './perform-actions.js';
import { clientError, endOfFailedStep, outOfSteps, type RunEnd, unfinishedAnswer } from './run-end.js';
import type { RunState } from './run-state.js';

const MAX_CORRECTIONS_IN_A_ROW = 2;
const MAX_EMPTY_REPLIES_IN_A_ROW = 2;

/** Matches a line that has only the word TASK_COMPLETE, with which models mark the end of their work. */
const completionMark = /^[^\p{L}\p{N}\n]*TASK_COMPLETE[^\p{L}\p{N}\n]*$/mu;

/**
 * The response of a step, or the end of the run. `isUnusable` is true if the reply was empty or its action could not be
 * read: the next step tries again.
 */
export type TakenStep =
  | { readonly response: Step; readonly isUnusable: boolean; readonly end?: never }
  | { readonly end: RunEnd };

/** The end of the run, `unusable` if the reply must be repeated, or undefined if the run continues. */
type FollowUp = RunEnd | 'unusable' | undefined;

/** Makes one model call and runs its actions. Both strategies consist of such steps. */
export async function takeStep(run: RunState, call: ModelCall): Promise<TakenStep> {
  run.phase = call.phase;
  await compactIfNeeded(run);
  await renewTools(run);
  const { iterationsLeft } = run;
  await run.emit({ type: 'agent_turn_start', phase: call.phase, iterationsLeft });
  const response = await callModel(run, call);
  const next = await followUp(run, response);
  return typeof next === 'object' ? { end: next } : { response, isUnusable: next === 'unusable' };
}

async function followUp(run: RunState, response: Step): Promise<FollowUp> {
  if (response.status === 'error') return endUnlessEmpty(run, response);
  run.emptyRepliesInARow = 0;
  if (run.answerCheck && isAnswer(response)) return answerTyped(run, response, run.answerCheck);
  const text = response.direct_response ?? response.thought ?? '';
  if (completionMark.test(text)) return answered(run, text.replace(completionMark, '').trim());
  if (response.correction) return correct(run, response);
  run.correctionsInARow = 0;
  if (response.status === 'action_proposed') return performActions(run, response);
  return response.status === 'direct_response_provided' ? answer(run, response) : undefined;
}

/** Ends the run after a failed step, except for an empty reply, which may be temporary: the next step tries again. */
function endUnlessEmpty(run: RunState, response: Step): FollowUp {
  run.emptyRepliesInARow += 1;
  const again = response.error?.retryable && run.emptyRepliesInARow <= MAX_EMPTY_REPLIES_IN_A_ROW;
  return again ? 'unusable' : endOfFailedStep(response);
}

/**
 * Appends the correction that tells the model what was wrong with its reply (rule: correction-limit). Accepts the
 * reply's text as the answer if an answer was required, or if the service parsed it as an answer and the model was
 * corrected before or has no iterations left. In the phase `act`, such a text does not end the run: the round continues
 * with `observe`.
 */
function correct(run: RunState, { correction, direct_response, parse, phase }: Step): FollowUp {
  const wasCorrected = run.correctionsInARow > 0 || run.iterationsLeft === 0;
  const isAccepted = parse?.outcome === 'answer' && wasCorrected;
  if (isAccepted && phase === 'act') return undefined;
  if (isAccepted || (run.mustAnswer && phase === null)) return answered(run, direct_response);
  if (run.iterationsLeft === 0) return outOfSteps(unfinishedAnswer(direct_response));
  if (run.correctionsInARow === MAX_CORRECTIONS_IN_A_ROW) return unreadable(direct_response, parse?.problem);
  run.correctionsInARow += 1;
  if (correction) run.append(correction);
  return 'unusable';
}

const isAnswer = ({ status, parse }: Step): boolean =>
  status === 'direct_response_provided' && parse?.outcome === 'answer';

/** Ends the run with an answer that fits its schema; corrects the model otherwise (rule: typed-results). */
async function answerTyped(run: RunState, response: Step, { check }: AnswerCheck): Promise<FollowUp> {
  const { direct_response, correction, parse } = response;
  const checked = correction
    ? { problem: parse?.problem ?? 'the answer does not fit' }
    : await check(response.answer);
  if (checked.problem === null) return { ...answered(run, direct_response), value: checked.value };
  if (run.iterationsLeft === 0 || run.correctionsInARow === MAX_CORRECTIONS_IN_A_ROW)
    return mismatched(direct_response, checked.problem);
  run.correctionsInARow += 1;
  run.append(correction ?? ownCorrection(checked.problem));
  return 'unusable';
}

/** Returns the correction of an answer that fits the JSON Schema, but fails the checks of the caller's own schema. */
const ownCorrection = (problem: string): TurnInput => ({
  role: 'user',
  kind: 'notice',
  content: `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. Write the whole answer again, in the same form.`,
});

const mismatched = (answer: string | null, problem: string): RunEnd => ({
  stopReason: 'error',
  error: clientError(
    'answer_mismatch',
    `The model gave no answer that fits answerSchema, also after corrections: ${problem}`,
    answer,
  ),
});

/**
 * Ends the run with the answer. If the model wanted to act at the step limit instead, or wrote a call that cannot be read,
 * the run ends with `step_limit`.
 */
function answer(run: RunState, { direct_response, parse, control }: Step): RunEnd {
  if (run.mustAnswer) return answered(run, direct_response);
  // The service has already put its own sentence in front of this text.
  if (parse?.outcome === 'action_after_limit') return outOfSteps(direct_response);
  const wantsMore = control?.should_continue === true || isUnreadable(parse);
  return wantsMore ? outOfSteps(unfinishedAnswer(direct_response)) : answered(run, direct_response);
}

const isUnreadable = (parse: Step['parse']): boolean =>
  parse?.outcome === 'malformed_action' || parse?.outcome === 'unknown_tool';

const answered = (run: RunState, text: string | null): RunEnd => ({
  stopReason: run.lastActionsDenied ? 'denied' : 'answered',
  answer: text,
});

const unreadable = (text: string | null, problem: string | null | undefined): RunEnd => ({
  stopReason: 'error',
  error: clientError(
    'malformed_action',
    `The model wrote three actions in a row that could not be read${problem ? `; the last: ${problem}` : '.'}`,
    text,
  ),
});
