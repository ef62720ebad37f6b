import { timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { systemCode } from '../../../files/disk/open-contained.js';
import { digestOf } from './token.js';
import {
  type Caller,
  MAX_TOKEN_FILE_BYTES,
  readTokenEntries,
  type TokenEntry,
  TokenFileError,
} from './token-entries.js';

/** Why a request names no caller. */
export type TokenProblem = 'missing' | 'repeated' | 'malformed' | 'model_key' | 'unknown' | 'expired';

/** The bearer tokens of a service (rule: bearer-tokens). */
export interface AccessTokens {
  /** Returns the caller by the `Authorization` headers of a request, or why there is none. */
  identify(authorization: readonly string[]): Caller | TokenProblem;
  /** Stops watching the file. */
  close(): void;
}

/**
 * Opens a file of tokens, which is read again whenever it changes (rule: token-file). Rejects with `TokenFileError` if it cannot
 * be used now; later, a file that cannot be used is logged and changes nothing.
 */
export async function openTokenFile(path: string, log: Logger): Promise<AccessTokens> {
  // Taken before reading, so that the next check sees a change in between.
  const seen = await fileStateOf(path);
  return new TokenFile({ path, log, seen }, byDigest(readTokenEntries(await readBounded(path))));
}

/** Interval of checks by `stat`, which also sees a file that was renamed, mounted or linked anew. */
const CHECK_EVERY_MS = 500;

interface WatchedFile {
  readonly path: string;
  readonly log: Logger;
  /** State of the file when it was last read. */
  seen: string;
}

class TokenFile implements AccessTokens {
  readonly #file: WatchedFile;
  #entries: Entries;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The problems that were logged last; the same ones are not repeated. */
  #logged = '';

  constructor(file: WatchedFile, entries: Entries) {
    this.#file = file;
    this.#entries = entries;
    this.#checkLater();
  }

  identify(authorization: readonly string[]): Caller | TokenProblem {
    return identify(this.#entries, authorization);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #checkLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => void this.#check().finally(() => this.#checkLater()),
      CHECK_EVERY_MS,
    ).unref();
  }

  /** A file that could not be read is tried again at each check, so that a failing system loses no revocation. */
  async #check(): Promise<void> {
    const { path, seen, log } = this.#file;
    const state = await fileStateOf(path);
    if (state === seen) return;
    try {
      const text = await readBounded(path);
      this.#file.seen = state;
      this.#logged = '';
      this.#entries = byDigest(readTokenEntries(text));
      log.info({ tokens: this.#entries.size }, 'AUTH_TOKENS_FILE was read again');
    } catch (error) {
      this.#logProblems(
        error instanceof TokenFileError ? error.problems : ['expected a file that can be read'],
      );
    }
  }

  #logProblems(problems: readonly string[]): void {
    const text = problems.join('\n');
    if (text === this.#logged) return;
    this.#logged = text;
    this.#file.log.warn(
      { problems },
      'AUTH_TOKENS_FILE cannot be used; keeping the previously loaded tokens',
    );
  }
}

/** Returns a text that differs whenever the contents may differ. */
async function fileStateOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join() : 'not there';
}

/** Reads the file without blocking on pipes or devices. Throws `TokenFileError`. */
async function readBounded(path: string): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const kind = await file.stat();
      if (kind.isFile() && kind.size <= MAX_TOKEN_FILE_BYTES) return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new TokenFileError([whyUnread(systemCode(error))]);
  }
  throw new TokenFileError(['expected an ordinary file of at most 256 KiB']);
}

/** Distinguishes a wrong file from a failing system: too many open files (`EMFILE`), a disk (`EIO`). */
function whyUnread(code: string): string {
  const isOfFile = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(code);
  return isOfFile
    ? 'expected a file that exists and that the service may read'
    : `the system could not read the file (${code || 'unknown'})`;
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
 * Finds the entry of a digest. The time of the look-up depends on the digest only, which nobody can choose without the token;
 * the comparison takes the same time wherever the two differ.
 */
function find(entries: Entries, digest: string): TokenEntry | undefined {
  const entry = entries.get(digest);
  return entry && timingSafeEqual(Buffer.from(entry.sha256), Buffer.from(digest)) ? entry : undefined;
}
