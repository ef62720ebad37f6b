/** Reason why no further step can help the run (rule: run-result). */
export type TerminationReason = 'SECURITY_VIOLATION' | 'SYSTEM_ERROR' | 'STEP_LIMIT';

/**
 * A failure that the model can react to, such as a wrong argument or a missing file. Its message becomes the observation.
 * A run treats any other exception of a tool the same way, except for `TerminalToolError`.
 */
export class ToolError extends Error {
  /** Always `ToolError`, also in another realm. */
  override readonly name: string = 'ToolError';
}

/**
 * A call that tried to reach something forbidden, such as a path outside the folder. The model can react to the first
 * two violations of a run; the third one ends the run with the reason `SECURITY_VIOLATION`.
 */
export class SecurityViolation extends ToolError {
  override readonly name = 'SecurityViolation';
}

/** A failure that no further step can correct: the run ends without another model call. */
export class TerminalToolError extends Error {
  /** Always `TerminalToolError`, also in another realm. */
  override readonly name = 'TerminalToolError';
  /** Becomes the run's `terminationReason`. */
  readonly reason: Exclude<TerminationReason, 'STEP_LIMIT'>;

  /** Creates the error. `message` becomes the observation of the call. */
  constructor(reason: Exclude<TerminationReason, 'STEP_LIMIT'>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
