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

/** The reasons why a request has no valid token. */
export type TokenProblem = 'missing' | 'repeated' | 'malformed' | 'model_key' | 'unknown' | 'expired';

/** The bearer tokens of a service (rule: bearer-tokens). */
export interface AccessTokens {
  /** Returns the caller for the `Authorization` headers of a request, or the problem with them. */
  identify(authorization: readonly string[]): Caller | TokenProblem;
  /** Stops watching the file. */
  close(): void;
}

/** Interval of checks by `stat`, which also detects a renamed, mounted or newly linked file. */
const CHECK_EVERY_MS = 500;

/**
 * Opens a file of tokens and reloads it whenever it changes (rule: token-file). Rejects with `TokenFileError` if
 * the file is invalid at startup. Later, an invalid file is logged and the loaded tokens stay valid.
 */
export async function openTokenFile(path: string, log: Logger): Promise<AccessTokens> {
  // The state is read before the contents, so that the next check detects a change that happens in between.
  let seen = await fileStateOf(path);
  let entries = byDigest(readTokenEntries(await readBounded(path)));
  /** Problems that were logged last, so that they are not logged again. */
  let logged = '';

  /** Reloads the file if it changed. After a failed read, each check tries again, so that no revocation is missed. */
  const check = async (): Promise<void> => {
    const state = await fileStateOf(path);
    if (state === seen) return;
    try {
      const text = await readBounded(path);
      seen = state;
      logged = '';
      entries = byDigest(readTokenEntries(text));
      log.info({ tokens: entries.size }, 'AUTH_TOKENS_FILE was reloaded');
    } catch (error) {
      const problems = error instanceof TokenFileError ? error.problems : ['expected a readable file'];
      if (problems.join('\n') === logged) return;
      logged = problems.join('\n');
      log.warn({ problems }, 'AUTH_TOKENS_FILE cannot be used; keeping the previously loaded tokens');
    }
  };

  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const checkLater = (): void => {
    if (!isClosed) timer = setTimeout(() => void check().finally(checkLater), CHECK_EVERY_MS).unref();
  };
  checkLater();
  return {
    identify: (authorization) => identify(entries, authorization),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Returns a text that changes whenever the contents of the file may have changed. */
async function fileStateOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join() : 'absent';
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

/**
 * Returns a sentence for a system error code: the file itself is wrong, or the system failed, for example with too
 * many open files (`EMFILE`) or a disk error (`EIO`).
 */
function whyUnread(code: string): string {
  const isOfFile = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(code);
  return isOfFile
    ? 'expected an existing file that the service may read'
    : `the system could not read the file (${code || 'unknown'})`;
}

type Entries = ReadonlyMap<string, TokenEntry>;

const byDigest = (entries: readonly TokenEntry[]): Entries =>
  new Map(entries.map((entry) => [entry.sha256, entry]));

/** Matches a bearer token (RFC 6750 §2.1). The scheme is case-insensitive (RFC 9110 §11.1). */
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
 * Finds the entry of a digest without revealing anything by the response time. The look-up time depends on the
 * digest, but nobody can choose a digest without knowing its token; the comparison always takes the same time.
 */
function find(entries: Entries, digest: string): TokenEntry | undefined {
  const entry = entries.get(digest);
  return entry && timingSafeEqual(Buffer.from(entry.sha256), Buffer.from(digest)) ? entry : undefined;
}
