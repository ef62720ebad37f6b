import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isSeq, parseDocument, stringify } from 'yaml';
import { systemCode } from '../../../files/disk/open-contained.js';
import {
  DEFAULT_REQUESTS_AT_ONCE,
  MAX_TOKEN_FILE_BYTES,
  readTokenEntries,
  TokenFileError,
} from './token-entries.js';

/** An entry as written in the file of tokens (rule: token-file). */
export interface WrittenEntry {
  readonly name: string;
  readonly sha256: string;
  readonly projects: 'all' | readonly string[];
  readonly expires?: string;
  readonly watch?: true;
}

/** Returns the text of a file with one entry. */
export const toTokenFile = (entry: WrittenEntry): string => stringify({ tokens: [withLimits(entry)] });

/** Adds the default limit to the entry as a visible field, so that operators can change it. */
const withLimits = (entry: WrittenEntry) => ({
  ...entry,
  limits: { requestsAtOnce: DEFAULT_REQUESTS_AT_ONCE },
});

/**
 * Appends an entry to a file of tokens; creates a missing file with access only for its owner. Replaces the file
 * atomically, and keeps its permissions, comments and other entries. Rejects with `TokenFileError` if the entry
 * cannot be added, and with the system's own error if the file cannot be written.
 */
export async function addTokenEntry(path: string, entry: WrittenEntry): Promise<void> {
  const place = await placeOf(path);
  const old = await findOrdinary(place);
  const next = `${place}.new`;
  await lock(next);
  try {
    const text = withEntry(await readIfThere(place), entry);
    if (Buffer.byteLength(text) > MAX_TOKEN_FILE_BYTES) throw new TokenFileError([TOO_LARGE]);
    await write(next, text, old);
    await rename(next, place);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/**
 * Resolves the links in a path, even if the file does not exist yet, so that writing the file does not replace a
 * link.
 */
async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') return path;
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : placeOf(resolve(dirname(path), target));
  }
}

const TOO_LARGE =
  'the file would be larger than 256 KiB, the maximum: remove entries that are no longer needed';

/** Rejects devices and pipes, which would be replaced by a file. */
async function findOrdinary(path: string): Promise<Stats | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw new TokenFileError(['expected an ordinary file']);
  return found;
}

/** Creates the new file exclusively, so that it also serves as a lock: two concurrent commands would lose an entry. */
async function lock(next: string): Promise<void> {
  try {
    await (await open(next, 'wx', 0o600)).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    throw new TokenFileError([
      `${next} exists: another command is adding a token, or was interrupted; if none is running, delete that file`,
    ]);
  }
}

async function write(path: string, text: string, old: Stats | undefined): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    if (old) await letRead(file, old);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Gives the new file the owner and mode of the old one, because the service may run as another user. If that
 * fails, rejects before anything is replaced.
 */
async function letRead(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid);
  await file.chmod(mode & 0o777);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function withEntry(text: string | undefined, entry: WrittenEntry): string {
  if (text === undefined || text.trim() === '') return toTokenFile(entry);
  if (readTokenEntries(text).some(({ caller }) => caller.name === entry.name)) {
    throw new TokenFileError([
      `a token named ${entry.name} already exists: choose another name, or remove that entry`,
    ]);
  }
  return asJson(text, entry) ?? asYaml(text, entry);
}

/** Adds the entry to a JSON file and keeps its indentation. Returns undefined if the text is not JSON. */
function asJson(text: string, entry: WrittenEntry): string | undefined {
  try {
    const file: { tokens: unknown[] } = JSON.parse(text); // already validated by `readTokenEntries`
    file.tokens.push(withLimits(entry));
    return `${JSON.stringify(file, null, /^\{\s*?\n([ \t]+)/.exec(text)?.[1])}\n`;
  } catch {
    return undefined;
  }
}

function asYaml(text: string, entry: WrittenEntry): string {
  const document = parseDocument(text);
  const entries = document.get('tokens');
  // Without this, YAML would write the first entry inside the brackets of an empty list `[]`.
  if (isSeq(entries) && entries.items.length === 0) entries.flow = false;
  document.addIn(['tokens'], document.createNode(withLimits(entry)));
  return document.toString();
}
