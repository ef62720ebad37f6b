import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import type { FileTree } from './file-tree.js';
import { type IgnoreRules, isIgnored, readIgnoreRules } from './ignore-rules.js';
import { byCodeUnits } from './portable-path.js';
import { isSecretPath } from './secret-paths.js';

/** A folder, with the rules of the `.gitignore` files in the folders above it, beginning with those of the root. */
export interface OpenFolder {
  /** Path relative to the root, with `/`; `.` for the root. */
  readonly path: string;
  readonly chain: readonly IgnoreRules[];
}

/** The visible entries of one folder, ordered by the code units of their names. Links are omitted. */
export interface FolderEntries {
  readonly files: readonly string[];
  readonly folders: readonly OpenFolder[];
  /** Number of entries that were examined, including those that were omitted. */
  readonly seen: number;
}

const MAX_GITIGNORE_BYTES = 65_536;

/** Folder of installed packages. Walks skip it, but a path inside it may be opened by name. */
const SKIPPED_FOLDER = 'node_modules';

/**
 * Folder where earlier versions saved runs in a project. Saved runs repeat the project's text, so searches
 * omit them.
 */
const SAVED_RUNS_FOLDER = '.stepwise/runs';

/** Returns whether a path, relative to the project, is in the folder of saved runs. */
export const isSavedRun = (path: string): boolean =>
  path === SAVED_RUNS_FOLDER || path.startsWith(`${SAVED_RUNS_FOLDER}/`);

/**
 * Opens a folder together with the ignore rules of every folder above it, as Git applies them. Returns undefined
 * if these rules exclude the folder.
 */
export async function enterFolder(
  tree: FileTree,
  folder: string,
  signal: AbortSignal,
): Promise<OpenFolder | undefined> {
  const parts = folder === '.' ? [] : folder.split('/');
  let chain: readonly IgnoreRules[] = [];
  for (const [depth, part] of parts.entries()) {
    const above = parts.slice(0, depth).join('/') || '.';
    chain = await withRulesOf(tree, { path: above, chain });
    if (await isIgnored(`${above === '.' ? '' : `${above}/`}${part}/`, chain, signal)) return undefined;
  }
  return { path: folder, chain };
}

/**
 * Lists one folder, ordered by name, so that a limit on the number of entries always cuts at the same place. Omits
 * links, secret files, saved runs, and entries that `.gitignore` excludes. Throws `RefusedPath`.
 */
export async function listFolder(
  tree: FileTree,
  { path: folder, chain: above }: OpenFolder,
  signal: AbortSignal,
): Promise<FolderEntries> {
  const entries = (await tree.list(folder)).toSorted((a, b) => byCodeUnits(a.name, b.name));
  const hasRules = entries.some(({ name }) => name === '.gitignore');
  const chain = hasRules ? await withRulesOf(tree, { path: folder, chain: above }) : above;
  const files: string[] = [];
  const folders: OpenFolder[] = [];
  for (const entry of entries) {
    await yieldIfBusy(signal);
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (isNeverListed(path, entry.name)) continue;
    if (entry.type === 'file' && !(await isIgnored(path, chain, signal))) files.push(path);
    if (entry.type === 'folder' && !(await isIgnored(`${path}/`, chain, signal)))
      folders.push({ path, chain });
  }
  return { files, folders, seen: entries.length };
}

function isNeverListed(path: string, name: string): boolean {
  if (name === SKIPPED_FOLDER || name.includes('\\') || isSecretPath(path)) return true;
  return isSavedRun(path);
}

async function withRulesOf(tree: FileTree, { path, chain }: OpenFolder): Promise<readonly IgnoreRules[]> {
  const name = path === '.' ? '.gitignore' : `${path}/.gitignore`;
  const text = await tree.readText(name, MAX_GITIGNORE_BYTES).catch(() => undefined);
  return text ? [...chain, readIgnoreRules(path, text.content)] : chain;
}
