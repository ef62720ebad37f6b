import { isObject } from '../../conversation/is-object.js';
import { noUsage } from '../../conversation/usage.js';
import { type ApprovalDecision, findDecisionProblem } from '../actions/approval.js';
import type { PendingApproval, PendingDecision } from '../actions/pending-approval.js';
import { anObject, aString, type Expectation, expectValue } from '../base/expect-value.js';
import { isText, listOf } from '../base/shape.js';
import type { RunOptions } from './run-options.js';
import { type Continuation, DEFAULT_MAX_STEPS, type RunState } from './run-state.js';
import { savedOptions, type Trajectory } from './trajectory.js';

/** Options of a resumed run: the decisions, and what a file cannot hold, such as `tools`. They win over the saved options. */
export interface ResumeOptions extends Partial<RunOptions> {
  /**
   * The decisions about pending calls. A call without a decision is passed to `approve`; without `approve`, it waits
   * again.
   */
  readonly decisions: readonly PendingDecision[];
}

/**
 * Returns the options of a run that continues a saved run at its pending approvals. Throws `TypeError` for a value that
 * is no saved run.
 */
export function resumedOptions(saved: Trajectory, given: ResumeOptions): RunOptions {
  expectValue('saved', saved, savedRun);
  expectValue('options', given, anObject);
  const { options, projectId, sessionId, attachments = [] } = saved;
  const { decisions: _, ...more } = given;
  const set = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
  return { ...savedOptions(options), projectId, sessionId, attachments, ...set };
}

/**
 * Returns the state of a saved run that waits for approval. Throws `TypeError` if it does not wait, and for a decision
 * that cannot be carried out.
 */
export function continuationOf(saved: Trajectory, { decisions }: ResumeOptions): Continuation {
  const { result, responses, options } = saved;
  const response = responses.at(-1);
  if (result?.stopReason !== 'needs_approval' || !response)
    throw new TypeError('resume: this run does not wait for approval. Continue it with client.run.');
  expectValue('decisions', decisions, decisionList);
  const pending = result.pending ?? [];
  for (const [index, decision] of decisions.entries())
    checkDecision(pending, decision, `decisions[${index}]`);
  const { beganWith, observations, history, tasks, recordedSteps } = saved;
  return {
    beganWith,
    observations,
    history,
    tasks,
    responses,
    recordedSteps,
    response,
    steps: result.steps ?? [],
    usage: result.usage ?? noUsage,
    iterationsLeft: response.iterations_remaining ?? options.maxSteps ?? DEFAULT_MAX_STEPS,
    pending,
    decisions: new Map(decisions.map((decision) => [decision.id, decision])),
  };
}

const savedRun: Expectation = [
  (value) => isObject(value) && Array.isArray(value['responses']) && isObject(value['options']),
  'a saved run: that of run.save(), or its file read with readTrajectory',
];
const decisionList: Expectation = [
  listOf(isObject),
  'a list of decisions, such as { id, argsHash, type: "allow" }',
];

function checkDecision(pending: readonly PendingApproval[], decision: PendingDecision, place: string): void {
  expectValue(`${place}.id`, decision.id, aString);
  const call = pending.find(({ id }) => id === decision.id);
  if (!call) throw new TypeError(`${place}.id: no call with this id waits for approval.`);
  expectValue(`${place}.argsHash`, decision.argsHash, [isText, 'the argsHash of the pending call']);
  if (call.argsHash !== decision.argsHash)
    throw new TypeError(`${place}.argsHash: the decision is about other arguments than those of ${call.id}.`);
  const problem = findDecisionProblem(decision, place);
  if (problem) throw new TypeError(problem);
}

/**
 * Throws `TypeError` if a pending call needs a tool that the resumed run does not have. Otherwise the call would fail
 * although a person approved it. A refused call needs no tool.
 */
export function checkPendingTools({ continued, tools }: RunState): void {
  if (!continued) return;
  const { pending, decisions } = continued;
  const missing = pending.find(({ id, toolName }) => !isRefusal(decisions.get(id)) && !tools.has(toolName));
  if (!missing) return;
  const { id, toolName } = missing;
  throw new TypeError(
    `tools: ${id} waits for the tool "${toolName}", which is missing. Pass the tools of the run to resume; nothing has run.`,
  );
}

const isRefusal = (decision: ApprovalDecision | undefined): boolean =>
  decision?.type === 'deny' || decision?.type === 'stop';
