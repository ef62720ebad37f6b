import type { Compaction, CompactionRequestInput } from '../../contract/compaction.js';
import type { Step } from '../../contract/step.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import type { StreamEvent } from '../../contract/stream.js';

/** What a run needs of the service. `StepwiseClient` is one; a saved run that is played again is another. */
export interface StepService {
  /** One step. Throws `StepwiseError`, or the signal's reason. */
  step(request: StepRequestInput, options?: CallOptions): Promise<Step>;
  /** The same step in events. Throws `StepwiseError` where it fails before or instead of its last event. */
  stream(request: StepRequestInput, options?: CallOptions): AsyncIterable<StepEvent>;
  /** A shorter history. Throws `StepwiseError`. */
  compact(request: CompactionRequestInput, options?: CallOptions): Promise<Compaction>;
  /** Only of a run that has been already: what is known of its next step, by its number. */
  foresee?(step: number): ForeseenStep;
}

/** What a saved run tells of a step before it is played. */
export interface ForeseenStep {
  /** False where the run was stopped before this step. */
  readonly hasBegun: boolean;
  /** How many steps it was still allowed, this one included; a run that was gone on from may have been allowed more. */
  readonly iterationsLeft: number;
}

/** What goes with one call. */
export interface CallOptions {
  /** Ends the call; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** An event of a streamed step; `step.completed` is the last one. A failure is thrown instead. */
export type StepEvent = Exclude<StreamEvent, { type: 'error' }>;
