/** Why a step ended from outside before it was done. */
export type InterruptionReason = 'deadline' | 'caller_left' | 'shutting_down';

/** The reason of an aborted step signal; thrown by whatever was waiting. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly reason: InterruptionReason;

  constructor(reason: InterruptionReason) {
    super(`The step was interrupted: ${reason}.`);
    this.reason = reason;
  }
}

/** How long a step may go on. The signal's reason is always an `Interruption`. */
export interface Patience {
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; 0 when it has passed. */
  remainingMs(): number;
}
