import { noUsage } from '../../conversation/usage.js';
import type { PendingApproval, PendingDecision } from '../actions/pending-approval.js';
import type { RunOptions } from './run-options.js';
import { type Continuation, DEFAULT_MAX_STEPS } from './run-state.js';
import type { Trajectory } from './trajectory.js';

/** Options of a resumed run: the decisions, and what a file cannot hold, such as `tools`. They win over the saved options. */
export interface ResumeOptions extends Partial<RunOptions> {
  /** The decisions about pending calls. A call without one is a question to `approve`, or waits again. */
  readonly decisions: readonly PendingDecision[];
}

/** Returns the options of a run that goes on where the saved one waits for approval. */
export function resumedOptions(saved: Trajectory, { decisions: _, ...given }: ResumeOptions): RunOptions {
  const { options, projectId, sessionId, attachments = [] } = saved;
  return { ...options, projectId, sessionId, attachments, ...given };
}

/** Returns the state in which a saved run waits. Throws `TypeError` if it does not wait, or for a decision about another call. */
export function continuationOf(saved: Trajectory, { decisions }: ResumeOptions): Continuation {
  const { result, responses, options } = saved;
  const response = responses.at(-1);
  if (result?.stopReason !== 'needs_approval' || !response)
    throw new TypeError('resume: this run does not wait for approval. Continue it with client.run.');
  const pending = result.pending ?? [];
  for (const [index, decision] of decisions.entries())
    checkDecision(pending, decision, `decisions[${index}]`);
  const { beganWith, observations, history, tasks } = saved;
  return {
    beganWith,
    observations,
    history,
    tasks,
    responses,
    response,
    steps: result.steps ?? [],
    usage: result.usage ?? noUsage,
    iterationsLeft: response.iterations_remaining ?? options.maxSteps ?? DEFAULT_MAX_STEPS,
    pending,
    decisions: new Map(decisions.map((decision) => [decision.id, decision])),
  };
}

function checkDecision(pending: readonly PendingApproval[], decision: PendingDecision, place: string): void {
  const call = pending.find(({ id }) => id === decision?.id);
  if (!call) throw new TypeError(`${place}.id: no call with this id waits for approval.`);
  if (call.argsHash !== decision.argsHash)
    throw new TypeError(`${place}.argsHash: the decision is about other arguments than those of ${call.id}.`);
}
