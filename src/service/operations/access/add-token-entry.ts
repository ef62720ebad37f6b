import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isSeq, parseDocument, stringify } from 'yaml';
import { systemCode } from '../../../files/disk/open-contained.js';
import { MAX_TOKEN_FILE_BYTES, readTokenEntries, TokenFileError } from './token-entries.js';

/** An entry as it stands in the file of tokens (rule: token-file). */
export interface WrittenEntry {
  readonly name: string;
  readonly sha256: string;
  readonly projects: 'all' | readonly string[];
  readonly expires?: string;
}

/** The text of a file with this entry alone. */
export const toTokenFile = (entry: WrittenEntry): string => stringify({ tokens: [entry] });

/**
 * Puts an entry at the end of a file of tokens, which is made, for its owner alone, if it is not there. The file is
 * replaced in one move; who may read it, its comments and its other entries stay. Rejects with `TokenFileError` if the file
 * cannot take the entry, and with the system's own error if it cannot be written.
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

/** Where a path leads, through links to what is not there yet as well: a link is not to be replaced by a file. */
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

/** A device or a pipe would be replaced by a file, for all who use it. */
async function findOrdinary(path: string): Promise<Stats | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw new TokenFileError(['expected an ordinary file']);
  return found;
}

/** Two that add at the same time would lose an entry: the file to be is the lock of the one that is. */
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

/** The service that reads the file may be another user: where the owner cannot stay, nothing is replaced. */
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

/** What is JSON stays JSON, indented as it was. Undefined if it is none. */
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
  // An empty list can only be written as `[]`, in which the first entry would stay.
  if (isSeq(entries) && entries.items.length === 0) entries.flow = false;
  document.addIn(['tokens'], document.createNode(entry));
  return document.toString();
}
