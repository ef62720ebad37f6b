import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { isSeq, parseDocument, stringify } from 'yaml';
import { systemCode } from '../../files/open-contained.js';
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
 * Puts an entry at the end of a file of tokens, which is made if it is not there. The file is replaced in one move, for
 * the eyes of its owner alone; its comments and its other entries stay. Rejects with `TokenFileError` if the file cannot
 * take the entry, and with the system's own error if it cannot be written.
 */
export async function addTokenEntry(path: string, entry: WrittenEntry): Promise<void> {
  const place = await realpath(path).catch(() => path);
  await requireOrdinary(place);
  const next = `${place}.new`;
  await lock(next);
  try {
    const text = withEntry(await readIfThere(place), entry);
    if (Buffer.byteLength(text) > MAX_TOKEN_FILE_BYTES) throw new TokenFileError([TOO_LARGE]);
    await write(next, text);
    await rename(next, place);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

const TOO_LARGE = 'the service reads at most 256 KiB: take out entries that are not needed any more';

/** A device or a pipe would be replaced by a file, for all who use it. */
async function requireOrdinary(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw new TokenFileError(['expected an ordinary file']);
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

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
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
