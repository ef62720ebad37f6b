import type { Compaction, CompactionRequestInput } from '../../contract/compaction.js';
import type { Step } from '../../contract/step.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import type { StreamErrorEvent, StreamEvent } from '../../contract/wire-types.js';

/** The part of the service that a run uses. Implemented by `StepwiseClient`, and by the replay of a saved run. */
export interface StepService {
  /** Makes one step. Throws `StepwiseError`, or the signal's reason. */
  step(request: StepRequestInput, options?: CallOptions): Promise<Step>;
  /** Makes one step and yields its events. Throws `StepwiseError` if the step fails before its last event. */
  stream(request: StepRequestInput, options?: CallOptions): AsyncIterable<StepEvent>;
  /** Returns a shorter history. Throws `StepwiseError`. */
  compact(request: CompactionRequestInput, options?: CallOptions): Promise<Compaction>;
  /** Describes a step of a recorded run, by its number, before it is replayed. Live services do not have this method. */
  foresee?(step: number): ForeseenStep;
}

/** Facts about a step of a saved run that are available before the step is replayed. */
export interface ForeseenStep {
  /** False if the recorded run was stopped before this step. */
  readonly hasBegun: boolean;
  /**
   * Number of steps that the recorded run had left, this step included. A continued run may have had more left
   * than at its start.
   */
  readonly iterationsLeft: number;
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * API key of the model's provider for this call; default: the client's `llmKey`. It is sent in a header and
   * stored nowhere.
   */
  readonly llmKey?: string | undefined;
}

/** An event of a streamed step; `step.completed` is the last one. The client throws `error` events as exceptions. */
export type StepEvent = Exclude<StreamEvent, StreamErrorEvent>;
