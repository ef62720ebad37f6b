import type { Compaction, CompactionRequestInput } from '../../contract/compaction.js';
import type { ContextReport } from '../../contract/context-report.js';
import type { TurnInput } from '../../contract/history.js';
import type { ActionDetails, ErrorResponse, Step } from '../../contract/step.js';
import type { StepRequestInput } from '../../contract/step-request.js';

/** What a run needs of the service. `StepwiseClient` is one; a saved run that is played again is another. */
export interface StepService {
  /** One step. Throws `StepwiseError`, or the signal's reason. */
  step(request: StepRequestInput, options?: CallOptions): Promise<Step>;
  /** The same step in events. Throws `StepwiseError` where it fails before or instead of its last event. */
  stream(request: StepRequestInput, options?: CallOptions): AsyncIterable<StepEvent>;
  /** A shorter history. Throws `StepwiseError`. */
  compact(request: CompactionRequest, options?: CallOptions): Promise<Compaction>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** The events of a streamed step (SPEC §9); `step.completed` is the last one. */
export type StepEvent =
  | { readonly type: 'step.started'; readonly request_id: string }
  | { readonly type: 'context.built'; readonly report: ContextReport }
  | {
      readonly type: 'reasoning.delta' | 'draft.delta' | 'thought.delta' | 'answer.delta';
      readonly delta: string;
    }
  | { readonly type: 'action.proposed'; readonly action: ActionDetails }
  | { readonly type: 'step.completed'; readonly step: Step };

/** What the wire carries: an `error` with the whole error body ends a stream as `step.completed` does. */
export type WireEvent = StepEvent | { readonly type: 'error'; readonly error: ErrorResponse };

/** A history to be shortened (SPEC §10). */
export interface CompactionRequest extends Omit<CompactionRequestInput, 'conversation_history'> {
  readonly conversation_history: readonly TurnInput[];
}
