import type { WorkflowContext, WorkflowSharedContext } from '@restatedev/restate-sdk';
import type { ActionDetails } from 'stepwise';

/** A call that waits for a person to allow, edit or deny it; for `request_input`, to answer it. */
export interface WaitingCall {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: ActionDetails['tool_args'];
}

/** The result of a run. `error` comes from the failed step's body, or from this program. */
export type Outcome =
  | { readonly state: 'answered'; readonly answer: string }
  | { readonly state: 'failed'; readonly error: { readonly code: string; readonly message: string } }
  | { readonly state: 'cancelled' };

/** Calls of a step that wait for people. The run stores all of them; callers see those without a reply. */
export interface Waiting {
  readonly state: 'waiting';
  readonly step: number;
  readonly waiting_for: readonly WaitingCall[];
}

/** The state of a run. */
export type Status = { readonly state: 'running'; readonly step: number } | Waiting | Outcome;

/** State that Restate stores beside the journal; readable while the run continues. */
interface RunState extends Record<string, unknown> {
  status: Status;
  invocation: string;
}

export type RunContext = WorkflowContext<RunState>;
export type SharedContext = WorkflowSharedContext<RunState>;
