import type { RecordedStep } from './recorded-step.js';

/** The endpoint that a step was asked of: `react_step`, or one of the compatible endpoints below `/v1`. */
export type WatchedEndpoint = 'react_step' | 'chat' | 'messages' | 'responses';

/** The request that a step belongs to. */
export interface StepOrigin {
  readonly requestId: string;
  readonly endpoint: WatchedEndpoint;
}

/** The first event: how much is kept. Every kept step follows, then every step in progress, then the live ones. */
interface WatchStarted {
  readonly type: 'watch.started';
  /** Number of ended steps that follow. */
  readonly kept: number;
  readonly limit_steps: number;
  readonly limit_bytes: number;
}

interface OfStep {
  /**
   * The request id. `#2`, `#3` … is appended if it is the id of an earlier step, because a request to a compatible
   * endpoint may make several steps, and callers may send an id again.
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

/** A step that a model answered, without keys. */
export interface StepWatched extends OfStep {
  readonly type: 'step.watched';
  readonly step: RecordedStep;
}

/** A step that no model answered: it failed, its time was up, or its caller left. It is kept like an answered one. */
export interface StepFailed extends OfStep {
  readonly type: 'step.failed';
  /**
   * An error code of the contract, `caller_left`, or `record_too_large` for a step that was answered but whose record is
   * larger than everything that the service keeps.
   */
  readonly code: string;
  readonly message: string;
  readonly duration_ms: number;
}

/** An event of `GET /api/agent/watch` (rule: watch). The name of each server-sent event is its `type`. */
export type WatchEvent = WatchStarted | StepBegan | StepWatched | StepFailed;
