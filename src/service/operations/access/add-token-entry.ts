import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isSeq, parseDocument, stringify } from 'yaml';
import { systemCode } from '../../../files/disk/open-contained.js';
import { MAX_TOKEN_FILE_BYTES, readTokenEntries, TokenFileError } from './token-entries.js';

/** An entry as it is written in the file of tokens (rule: token-file). */
export interface WrittenEntry {
  readonly name: string;
  readonly sha256: string;
  readonly projects: 'all' | readonly string[];
  readonly expires?: string;
}

/** Returns the text of a file with one entry. */
export const toTokenFile = (entry: WrittenEntry): string => stringify({ tokens: [entry] });

/**
 * Adds an entry to the end of a file of tokens; creates a missing one for its owner only. Replaces the file in one move, and
 * keeps its permissions, comments and other entries. Rejects with `TokenFileError` if the file cannot take the entry, and with
 * the system's own error if it cannot be written.
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

/** Resolves the links of a path, also to a file that does not exist yet, so that no link is replaced by a file. */
async function placeOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') return path;
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : placeOf(resolve(dirname(path), target));
  }
}

const TOO_LARGE = 'the service reads at most 256 KiB: take out entries that are not needed any more';

/** Refuses devices and pipes, which would be replaced by a file. */
async function findOrdinary(path: string): Promise<Stats | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw new TokenFileError(['expected an ordinary file']);
  return found;
}

/** Creates the new file as a lock: two commands at the same time would lose an entry. */
async function lock(next: string): Promise<void> {
  try {
    await (await open(next, 'wx', 0o600)).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    throw new TokenFileError([
      `${next} is there: another command is adding a token, or was ended while it did; if none is, delete that file`,
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

/** Keeps owner and mode, since the service may run as another user. Rejects, and nothing is replaced, if it cannot. */
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
      `there is a token ${entry.name} already: choose another name, or take that entry out`,
    ]);
  }
  return asJson(text, entry) ?? asYaml(text, entry);
}

/** Adds the entry to JSON, with the indentation of before. Undefined if the text is no JSON. */
function asJson(text: string, entry: WrittenEntry): string | undefined {
  try {
    const file: { tokens: unknown[] } = JSON.parse(text); // its entries were read already
    file.tokens.push(entry);
    return `${JSON.stringify(file, null, /^\{\s*?\n([ \t]+)/.exec(text)?.[1])}\n`;
  } catch {
    return undefined;
  }
}

function asYaml(text: string, entry: WrittenEntry): string {
  const document = parseDocument(text);
  const entries = document.get('tokens');
  // Else the first entry would stay inside the brackets of `[]`.
  if (isSeq(entries) && entries.items.length === 0) entries.flow = false;
  document.addIn(['tokens'], document.createNode(entry));
  return document.toString();
}
