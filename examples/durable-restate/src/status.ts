import type { WorkflowContext, WorkflowSharedContext } from '@restatedev/restate-sdk';
import type { ActionDetails } from 'stepwise';

/** A call that waits for a person: to be allowed, edited or denied; that of `request_input` to be answered. */
export interface WaitingCall {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: ActionDetails['tool_args'];
}

/** How a run ended. `error` is the `error` of a failed step's body, or what this program says in its place. */
export type Outcome =
  | { readonly state: 'answered'; readonly answer: string }
  | { readonly state: 'failed'; readonly error: { readonly code: string; readonly message: string } }
  | { readonly state: 'cancelled' };

/** A step's calls wait for people. The run writes down all of them; a caller is shown those that have no reply yet. */
export interface Waiting {
  readonly state: 'waiting';
  readonly step: number;
  readonly waiting_for: readonly WaitingCall[];
}

/** What a run is doing. */
export type Status = { readonly state: 'running'; readonly step: number } | Waiting | Outcome;

/** What Restate keeps for a run beside its journal; anyone may read it while the run goes on. */
interface RunState extends Record<string, unknown> {
  status: Status;
  invocation: string;
}

export type RunContext = WorkflowContext<RunState>;
export type SharedContext = WorkflowSharedContext<RunState>;
