import { timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { digestOf } from './token.js';
import { type Caller, readTokenEntries, type TokenEntry, TokenFileError } from './token-entries.js';

/** Why a request names no caller. */
export type TokenProblem = 'missing' | 'repeated' | 'malformed' | 'model_key' | 'unknown' | 'expired';

/** Who may call (rule: bearer-tokens). */
export interface AccessTokens {
  /** The caller whose token stands in the `Authorization` headers of a request, or why there is none. */
  identify(authorization: readonly string[]): Caller | TokenProblem;
  /** Watches the file no longer. */
  close(): void;
}

/**
 * The tokens of a file, re-read whenever it changes (rule: token-file). Rejects with `TokenFileError` if it cannot be
 * used now; later, what cannot be used is logged and changes nothing.
 */
export async function openTokenFile(path: string, log: Logger): Promise<AccessTokens> {
  const seen = await stateOf(path);
  return new TokenFile({ path, log, seen }, byDigest(await readTokenFile(path)));
}

/** In milliseconds. A look is one `stat`, which sees what is renamed, mounted or linked anew as well. */
const LOOK_EVERY_MS = 500;

interface WatchedFile {
  readonly path: string;
  readonly log: Logger;
  /** As it was before it was read: what changes meanwhile is seen by the next look. */
  seen: string;
}

class TokenFile implements AccessTokens {
  readonly #file: WatchedFile;
  #entries: Entries;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(file: WatchedFile, entries: Entries) {
    this.#file = file;
    this.#entries = entries;
    this.#lookLater();
  }

  identify(authorization: readonly string[]): Caller | TokenProblem {
    return identify(this.#entries, authorization);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#lookLater()), LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    const state = await stateOf(this.#file.path);
    if (state === this.#file.seen) return;
    this.#file.seen = state;
    await this.#readAgain(this.#file);
  }

  async #readAgain({ path, log }: WatchedFile): Promise<void> {
    try {
      this.#entries = byDigest(await readTokenFile(path));
      log.info({ tokens: this.#entries.size }, 'the tokens were read again');
    } catch (error) {
      const problems =
        error instanceof TokenFileError ? error.problems : ['expected a file that can be read'];
      log.warn({ problems }, 'AUTH_TOKENS_FILE cannot be used as it is now: the tokens of before stay');
    }
  }
}

/** Differs whenever the contents may. */
async function stateOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join() : 'not there';
}

/** More than a thousand entries. Larger ones would hold the event loop whenever they are read again. */
const MAX_FILE_BYTES = 2 ** 18;

async function readTokenFile(path: string): Promise<readonly TokenEntry[]> {
  return readTokenEntries(await readBounded(path));
}

/** Opened so that neither a pipe nor a device can hold the service. */
async function readBounded(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) throw new TokenFileError(['expected a file that exists and that the service may read']);
  try {
    const kind = await file.stat();
    if (kind.isFile() && kind.size <= MAX_FILE_BYTES) return await file.readFile('utf8');
  } finally {
    await file.close();
  }
  throw new TokenFileError(['expected an ordinary file of at most 256 KiB']);
}

type Entries = ReadonlyMap<string, TokenEntry>;

const byDigest = (entries: readonly TokenEntry[]): Entries =>
  new Map(entries.map((entry) => [entry.sha256, entry]));

/** RFC 6750 §2.1; the scheme's case does not matter (RFC 9110 §11.1). */
const bearer = /^bearer +([\w.~+/-]{1,512}=*) *$/i;

function identify(entries: Entries, [header, ...more]: readonly string[]): Caller | TokenProblem {
  if (header === undefined) return 'missing';
  if (more.length > 0) return 'repeated';
  const token = bearer.exec(header)?.[1];
  if (token === undefined) return 'malformed';
  const entry = find(entries, digestOf(token));
  if (!entry) return token.startsWith('sk-') ? 'model_key' : 'unknown';
  return Date.now() < entry.caller.expiresAt ? entry.caller : 'expired';
}

/**
 * How long the look-up takes depends on the digest alone, whose beginning nobody can choose without knowing the token;
 * the comparison after it takes the same time wherever the two differ.
 */
function find(entries: Entries, digest: string): TokenEntry | undefined {
  const entry = entries.get(digest);
  return entry && timingSafeEqual(Buffer.from(entry.sha256), Buffer.from(digest)) ? entry : undefined;
}
