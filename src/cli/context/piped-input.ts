import { fstatSync } from 'node:fs';
import { UsageError } from '../commands/usage.js';

/** Time after which a pipe without data is ignored. */
const FIRST_BYTE_MS = 3_000;

/** Maximum characters of piped input, so that the rest of the request still fits. */
const MAX_LENGTH = 2_000_000;

/**
 * Returns the piped input, or undefined if there is none. With `onNothing`, the function waits only a few seconds for
 * the first data, and then calls `onNothing`, because a script may leave a pipe open. Throws `UsageError`.
 */
export async function readPipedInput(
  input: NodeJS.ReadStream,
  onNothing: (() => void) | undefined,
): Promise<string | undefined> {
  if (input.isTTY || !isPipeOrFile()) return undefined;
  const pieces: Buffer[] = [];
  const giveUp = () => {
    onNothing?.();
    input.destroy();
  };
  const timer = onNothing && setTimeout(giveUp, FIRST_BYTE_MS);
  try {
    for await (const piece of input) {
      clearTimeout(timer);
      pieces.push(Buffer.from(piece));
      if (pieces.reduce((sum, { length }) => sum + length, 0) > MAX_LENGTH * 4) break;
    }
  } catch {
    return undefined; // standard input is closed
  } finally {
    clearTimeout(timer);
  }
  return toText(Buffer.concat(pieces));
}

function toText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8').trim();
  if (text.includes('\0')) throw new UsageError('The piped input is not text.');
  if (text.length > MAX_LENGTH)
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
