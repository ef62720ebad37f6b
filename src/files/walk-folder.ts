import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type IgnoreRules, ignoreRules, isIgnored } from './ignore-rules.js';
import { type Contained, checkByWalk, kernelKnowsPaths, known, openContained } from './open-contained.js';
import { byCodeUnits } from './portable-path.js';
import { readText } from './read-text.js';
import { isSecretPath } from './secret-paths.js';

export interface FolderListing {
  /** Files below the folder, relative to the root, by code units. */
  readonly paths: readonly string[];
  /** True where the folder holds more than is listed. */
  readonly cut: boolean;
}

const MAX_ENTRIES_SEEN = 20_000;
const MAX_FILES = 2_000;
const MAX_DEPTH = 32;
const MAX_GITIGNORE_BYTES = 65_536;

/** Never walked into, though a path inside may be named: what package managers install. */
const SKIPPED_FOLDER = 'node_modules';

/**
 * Lists the files below a folder, nearest first until a limit of work is reached. Links are not followed;
 * `.gitignore` files count from the root down; secrets and `node_modules` are left out.
 */
export async function walkFolder(root: string, folder: string, signal: AbortSignal): Promise<FolderListing> {
  const files: string[] = [];
  let level: OpenFolder[] = [{ path: folder, chain: await rulesAbove(root, folder) }];
  let seen = 0;
  for (let depth = 0; level.length > 0 && depth < MAX_DEPTH; depth += 1) {
    const below: OpenFolder[] = [];
    for (const each of level) {
      signal.throwIfAborted();
      const found = await listOne(root, each);
      seen += found.seen;
      files.push(...found.files);
      below.push(...found.folders);
      if (files.length > MAX_FILES || seen > MAX_ENTRIES_SEEN) return listing(files, true);
    }
    level = below;
  }
  return listing(files, level.length > 0);
}

interface OpenFolder {
  readonly path: string;
  readonly chain: readonly IgnoreRules[];
}

function listing(files: string[], cut: boolean): FolderListing {
  return { paths: files.slice(0, MAX_FILES).sort(byCodeUnits), cut };
}

/** The rules of every folder above this one: Git asks them too. */
async function rulesAbove(root: string, folder: string): Promise<IgnoreRules[]> {
  const parts = folder === '.' ? [] : folder.split('/');
  const above = parts.map((_, length) => parts.slice(0, length).join('/') || '.');
  const rules = await Promise.all(above.map((each) => rulesOf(root, each)));
  return rules.filter((each) => each !== undefined);
}

async function rulesOf(root: string, folder: string): Promise<IgnoreRules | undefined> {
  const opened = await openContained(root, join(folder, '.gitignore'));
  if (!opened) return undefined;
  try {
    const text = await known(readText(opened.handle, opened.size, MAX_GITIGNORE_BYTES));
    return opened.kind === 'file' && text ? ignoreRules(folder, text.content) : undefined;
  } finally {
    await opened.handle.close();
  }
}

async function listOne(root: string, { path: folder, chain: above }: OpenFolder) {
  const entries = await entriesOf(root, folder);
  const own = entries.some(({ name }) => name === '.gitignore') ? await rulesOf(root, folder) : undefined;
  const chain = own ? [...above, own] : above;
  const files: string[] = [];
  const folders: OpenFolder[] = [];
  for (const entry of entries) {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (isSecretPath(path) || entry.name.includes('\\')) continue;
    if (entry.isFile() && !isIgnored(path, chain)) files.push(path);
    if (entry.isDirectory() && entry.name !== SKIPPED_FOLDER && !isIgnored(`${path}/`, chain)) {
      folders.push({ path, chain });
    }
  }
  return { files, folders, seen: entries.length };
}

/** By name, so that a limit always falls at the same place. */
async function entriesOf(root: string, folder: string): Promise<Dirent[]> {
  const opened = await openContained(root, folder);
  if (!opened) return [];
  try {
    const entries = opened.kind === 'folder' ? await known(readOpened(root, opened)) : undefined;
    return (entries ?? []).sort((a, b) => byCodeUnits(a.name, b.name));
  } finally {
    await opened.handle.close();
  }
}

/** Lists what was opened, wherever its path leads by now; where that cannot be done, what the path still means. */
async function readOpened(root: string, { handle, path }: Contained): Promise<Dirent[]> {
  if (kernelKnowsPaths) return readdir(`/proc/self/fd/${handle.fd}`, { withFileTypes: true });
  const entries = await readdir(join(root, path), { withFileTypes: true });
  return (await checkByWalk(handle, root, join(root, path))) ? entries : [];
}
