import { RefusedPath, systemCode } from '../files/open-contained.js';
import { SecurityViolation, TerminalToolError, ToolError } from '../sdk/actions/tool-errors.js';

/** The machine's own trouble, which no other argument would mend. */
const systemFailures: Readonly<Record<string, string>> = {
  EIO: 'The disk reports an error.',
  EDQUOT: 'The disk quota is used up.',
  EMFILE: 'Too many files are open.',
  ENFILE: 'Too many files are open.',
  ENOMEM: 'The machine is out of memory.',
  ENOSPC: 'The disk is full.',
  EROFS: 'The file system is read-only.',
};

/**
 * What a failed file operation means to a run: the machine's trouble ends it, all else is one and the same
 * answer, so that a missing file cannot be told from a forbidden one.
 */
export function toToolError(error: unknown, path: string): Error {
  if (error instanceof ToolError || error instanceof TerminalToolError) return error;
  if (error instanceof RefusedPath && error.reason === 'outside') return outside(path);
  const failure = systemFailures[systemCode(error instanceof RefusedPath ? error.cause : error)];
  if (failure) return new TerminalToolError('SYSTEM_ERROR', `${failure} (${path})`, { cause: error });
  return notReadable(path);
}

export const notReadable = (path: string): ToolError =>
  new ToolError(`There is no readable file or folder at "${path}".`);

const outside = (path: string): SecurityViolation =>
  new SecurityViolation(`The path "${path}" leads outside the project folder.`);
