import { RefusedPath } from '../../files/file-tree.js';
import { SecurityViolation, TerminalToolError, ToolError } from '../../sdk/actions/tool-errors.js';
import { MAX_FILE_BYTES } from './folder.js';

/** The machine's own trouble, which no other argument would mend: by a system's code, or a browser's name for it. */
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
 * What a failed file operation means to a run: the machine's trouble ends it, all else is one and the same
 * answer, so that a missing file cannot be told from a forbidden one.
 */
export function toToolError(error: unknown, path: string): Error {
  if (error instanceof ToolError || error instanceof TerminalToolError) return error;
  if (error instanceof RefusedPath && error.reason === 'outside') return outside(path);
  const failure = systemFailureOf(error instanceof RefusedPath ? error.cause : error);
  if (failure) return new TerminalToolError('SYSTEM_ERROR', `${failure} (${path})`, { cause: error });
  return notReadable(path);
}

/** Of another realm too, where `instanceof` does not help. */
function systemFailureOf(error: unknown): string | undefined {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return systemFailures.get(String(code)) ?? systemFailures.get(String(name));
}

/** What is missing or forbidden. */
export const notReadable = (path: string): ToolError =>
  new ToolError(`There is no readable file or folder at "${path}".`);

const outside = (path: string): SecurityViolation =>
  new SecurityViolation(`The path "${path}" leads outside the project folder.`);

/** What is no longer the text that was shown to the person who approved. */
export const changedMeanwhile = (path: string): ToolError =>
  new ToolError(`"${path}" was changed in the meantime, by another call or by somebody else. Read it again.`);

/** What is too large to be source code, if it is. */
export function checkSize(path: string, bytes: number): void {
  if (bytes > MAX_FILE_BYTES) throw new ToolError(`"${path}" is too large to read: ${bytes} bytes.`);
}

/** A hint where the spelling alone is wrong. */
export function checkSpelling(path: string): void {
  if (path.includes('\0')) throw new ToolError('A path cannot contain a NUL character.');
  if (path.includes('\\')) throw new ToolError('Use "/" between the parts of a path.');
}

/** The promise, with what it throws in the words that a model reads. */
export async function translated<Value>(path: string, found: Promise<Value>): Promise<Value> {
  return found.catch((error) => {
    throw toToolError(error, path);
  });
}
