/** Why a run ended for good (rule: run-result). */
export type TerminationReason = 'SECURITY_VIOLATION' | 'SYSTEM_ERROR' | 'STEP_LIMIT';

/**
 * A failure the model can react to: a wrong argument, a missing file. Its message becomes the observation.
 * Whatever else a tool throws is treated the same way.
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
}

/**
 * A call reached for what the tools must not touch, such as a path outside the folder. The model can react to it;
 * the third in one run ends the run (`SECURITY_VIOLATION`).
 */
export class SecurityViolation extends ToolError {
  override readonly name = 'SecurityViolation';
}

/** A failure that no further step can mend: the run ends without another call. */
export class TerminalToolError extends Error {
  override readonly name = 'TerminalToolError';
  /** What the run's `termination_reason` will be. */
  readonly reason: Exclude<TerminationReason, 'STEP_LIMIT'>;

  constructor(reason: Exclude<TerminationReason, 'STEP_LIMIT'>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
