import { fstatSync } from 'node:fs';
import { UsageError } from '../commands/usage.js';

/** In milliseconds: a pipe into which nobody writes is not waited for. */
const FIRST_BYTE_MS = 3_000;

/** In characters: what a request can carry beside the rest. */
const MAX_LENGTH = 2_000_000;

/**
 * What is piped in; undefined where there is no pipe or file, or nothing comes. With `onNothing` it is called and no
 * longer waited after some seconds: a script may leave a pipe open. Throws `UsageError`.
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
    return undefined; // it was closed
  } finally {
    clearTimeout(timer);
  }
  return toText(Buffer.concat(pieces));
}

function toText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8').trim();
  if (text.includes('\0')) throw new UsageError('What is piped in is not text.');
  if (text.length > MAX_LENGTH) throw new UsageError('What is piped in is too much for one request.');
  return text === '' ? undefined : text;
}

/** Standard input may be `/dev/null`, or closed. */
function isPipeOrFile(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isFile() || kind.isSocket();
  } catch {
    return false;
  }
}
