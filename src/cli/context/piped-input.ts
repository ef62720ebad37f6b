import { fstatSync } from 'node:fs';
import { UsageError } from '../commands/usage.js';

/** Time after which a pipe without data is ignored. */
const FIRST_BYTE_TIMEOUT_MS = 3_000;

/** Maximum characters of piped input, so that the rest of the request still fits. */
const MAX_CHARACTERS = 2_000_000;

/**
 * Returns the piped input, or undefined if there is none. With `onNoData`, the function waits only a few seconds for
 * the first data, and then calls `onNoData`, because a script may leave a pipe open. Throws `UsageError`.
 */
export async function readPipedInput(
  input: NodeJS.ReadStream,
  onNoData: (() => void) | undefined,
): Promise<string | undefined> {
  if (input.isTTY || !isPipeOrFile()) return undefined;
  const chunks: Buffer[] = [];
  const stopWaiting = () => {
    onNoData?.();
    input.destroy();
  };
  const timer = onNoData && setTimeout(stopWaiting, FIRST_BYTE_TIMEOUT_MS);
  try {
    for await (const chunk of input) {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk));
      if (chunks.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS * 4) break;
    }
  } catch {
    return undefined; // standard input is closed
  } finally {
    clearTimeout(timer);
  }
  return toText(Buffer.concat(chunks));
}

function toText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8').trim();
  if (text.includes('\0')) throw new UsageError('The piped input is not text.');
  if (text.length > MAX_CHARACTERS)
    throw new UsageError('The piped input is too long for one request: at most 2,000,000 characters.');
  return text === '' ? undefined : text;
}

/** Returns false if standard input is `/dev/null` or closed. */
function isPipeOrFile(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isFile() || kind.isSocket();
  } catch {
    return false;
  }
}
