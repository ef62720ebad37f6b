import { RefusedPath } from '../../files/file-tree.js';
import { SecurityViolation, TerminalToolError, ToolError } from '../../sdk/actions/tool-errors.js';
import { MAX_FILE_BYTES } from './folder.js';

/**
 * Messages for failures of the machine, such as a full disk, by Node error code or DOM exception name. The model
 * cannot avoid these failures by other arguments.
 */
const systemFailures: ReadonlyMap<string, string> = new Map([
  ['EIO', 'The disk reports an error.'],
  ['EDQUOT', 'The disk quota is used up.'],
  ['EMFILE', 'Too many files are open.'],
  ['ENFILE', 'Too many files are open.'],
  ['ENOMEM', 'The machine is out of memory.'],
  ['ENOSPC', 'The disk is full.'],
  ['EROFS', 'The file system is read-only.'],
  ['NotAllowedError', 'The browser may no longer use the folder.'],
  ['QuotaExceededError', 'The disk is full.'],
]);

/**
 * Converts the error of a file operation. A failure of the machine ends the run. All other errors get the same
 * message, so that the model cannot tell missing files from forbidden ones.
 */
export function toToolError(error: unknown, path: string): Error {
  if (error instanceof ToolError || error instanceof TerminalToolError) return error;
  if (error instanceof RefusedPath && error.reason === 'outside') return outside(path);
  const failure = systemFailureOf(error instanceof RefusedPath ? error.cause : error);
  if (failure) return new TerminalToolError('SYSTEM_ERROR', `${failure} (${path})`, { cause: error });
  return notReadable(path);
}

/**
 * Returns the message for a failure of the machine; undefined for other errors. Avoids `instanceof`, which fails
 * for errors of another realm.
 */
function systemFailureOf(error: unknown): string | undefined {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return systemFailures.get(String(code)) ?? systemFailures.get(String(name));
}

/** Creates the error for a file that is missing or forbidden. */
export const notReadable = (path: string): ToolError =>
  new ToolError(`There is no readable file or folder at "${path}".`);

const outside = (path: string): SecurityViolation =>
  new SecurityViolation(`The path "${path}" leads outside the project folder.`);

/** Creates the error for a file that has changed since a person approved the call. */
export const changedMeanwhile = (path: string): ToolError =>
  new ToolError(`"${path}" was changed in the meantime, by another call or by somebody else. Read it again.`);

/** Creates the error for a folder that is read or written like a file. */
export const isFolder = (path: string): ToolError => new ToolError(`"${path}" is a folder, not a file.`);

/** Creates the error for a file that nobody may write, although replacing it would be possible. */
export const readOnly = (path: string): ToolError =>
  new ToolError(`"${path}" is read-only, so it was not changed.`);

/** Throws `ToolError` if the file is too large. */
export function checkSize(path: string, bytes: number, maxBytes = MAX_FILE_BYTES): void {
  if (bytes > maxBytes) throw new ToolError(`"${path}" is too large to read: ${bytes} bytes.`);
}

/**
 * Throws `ToolError` with a hint if the path contains a backslash or a NUL character, or begins as a URL or a home
 * folder does. A shell or a program would resolve those; here they would name new folders such as `~`.
 */
export function checkSpelling(path: string): void {
  if (path.includes('\0')) throw new ToolError('A path cannot contain a NUL character.');
  if (path.includes('\\')) throw new ToolError('Use "/" between the parts of a path.');
  if (/^(?:~(?:\/|$)|[a-z][a-z\d+.-]+:\/\/)/i.test(path))
    throw new ToolError(`"${path}" is not a path in the project folder. Use a path relative to it.`);
}

/** Awaits `found`, and converts its rejection by `toToolError`. */
export async function translated<Value>(path: string, found: Promise<Value>): Promise<Value> {
  return found.catch((error) => {
    throw toToolError(error, path);
  });
}
