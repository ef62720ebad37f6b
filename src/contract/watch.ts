import type { RecordedStep } from './recorded-step.js';

/** The endpoint that received the request of a step: `react_step`, or one of the compatible endpoints below `/v1`. */
export type WatchedEndpoint = 'react_step' | 'chat' | 'messages' | 'responses';

/** The request that a step belongs to. */
export interface StepOrigin {
  readonly requestId: string;
  readonly endpoint: WatchedEndpoint;
}

/**
 * The first event of the stream. The steps that the service kept follow, then the steps in progress, then new steps.
 */
interface WatchStarted {
  readonly type: 'watch.started';
  /** Number of kept steps that follow. */
  readonly kept: number;
  readonly limit_steps: number;
  readonly limit_bytes: number;
}

interface OfStep {
  /**
   * The request id. `#2`, `#3` … is appended if an earlier step has the same id, because a request to a compatible
   * endpoint may make several steps, and callers may reuse an id.
   */
  readonly id: string;
  readonly session_id: string | null;
  readonly endpoint: WatchedEndpoint;
}

/** A step that began. */
interface StepBegan extends OfStep {
  readonly type: 'step.began';
  readonly model: string;
  /** Start of the step (ISO 8601). */
  readonly began_at: string;
}

/** A step that a model answered. Contains no API keys. */
export interface StepWatched extends OfStep {
  readonly type: 'step.watched';
  readonly step: RecordedStep;
}

/**
 * The end of a step without a record: the step failed or timed out, its caller disconnected, or the record is too
 * large. The service keeps this event like that of an answered step.
 */
export interface StepFailed extends OfStep {
  readonly type: 'step.failed';
  /**
   * An error code of the contract, `caller_left`, or `record_too_large`: the step was answered, but its record exceeds
   * `limit_bytes`.
   */
  readonly code: string;
  readonly message: string;
  readonly duration_ms: number;
}

/** An event of `GET /api/agent/watch` (rule: watch). The name of each server-sent event is its `type`. */
export type WatchEvent = WatchStarted | StepBegan | StepWatched | StepFailed;
