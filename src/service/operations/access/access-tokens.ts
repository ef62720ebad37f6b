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
  // As it was before it was read: what changes meanwhile is seen by the next look.
  const seen = await stateOf(path);
  return new TokenFile({ path, log, seen }, byDigest(readTokenEntries(await readBounded(path))));
}

/** In milliseconds. A look is one `stat`, which sees what is renamed, mounted or linked anew as well. */
const LOOK_EVERY_MS = 500;

interface WatchedFile {
  readonly path: string;
  readonly log: Logger;
  /** How the file was when it was last read. */
  seen: string;
}

class TokenFile implements AccessTokens {
  readonly #file: WatchedFile;
  #entries: Entries;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The problems that were told last: what stays is told once. */
  #told = '';

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

  /** What could not be read is tried again at each look: a revocation must not be lost with a failure of the system. */
  async #look(): Promise<void> {
    const { path, seen, log } = this.#file;
    const state = await stateOf(path);
    if (state === seen) return;
    try {
      const text = await readBounded(path);
      this.#file.seen = state;
      this.#told = '';
      this.#entries = byDigest(readTokenEntries(text));
      log.info({ tokens: this.#entries.size }, 'the tokens were read again');
    } catch (error) {
      this.#tell(error instanceof TokenFileError ? error.problems : ['expected a file that can be read']);
    }
  }

  #tell(problems: readonly string[]): void {
    const text = problems.join('\n');
    if (text === this.#told) return;
    this.#told = text;
    this.#file.log.warn(
      { problems },
      'AUTH_TOKENS_FILE cannot be used as it is now: the tokens of before stay',
    );
  }
}

/** Differs whenever the contents may. */
async function stateOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join() : 'not there';
}

/** Opened so that neither a pipe nor a device can hold the service. Throws `TokenFileError`. */
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

/** Whether the file is to blame, or the system: too many open files (`EMFILE`), a disk (`EIO`). */
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
 * How long the look-up takes depends on the digest alone, whose beginning nobody can choose without knowing the token;
 * the comparison after it takes the same time wherever the two differ.
 */
function find(entries: Entries, digest: string): TokenEntry | undefined {
  const entry = entries.get(digest);
  return entry && timingSafeEqual(Buffer.from(entry.sha256), Buffer.from(digest)) ? entry : undefined;
}
