import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import ignore, { type Ignore } from 'ignore';
import { ToolError } from '../sdk/actions/tool-errors.js';
import { isForbidden } from './forbidden-paths.js';
import type { ProjectRoot } from './project-root.js';
import { readText } from './read-text.js';

export interface WalkedEntry {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  /** Levels below where the walk began, from 1. */
  readonly depth: number;
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** How many levels to go down; without it, all. */
  readonly maxDepth?: number;
}

/** The rules of one `.gitignore` and the folder they are relative to. */
interface IgnoreRules {
  readonly folder: string;
  readonly rules: Ignore;
}

const alwaysIgnored = new Set(['.git', 'node_modules']);

/**
 * Everything below a folder in a stable order, folders after files of the same level; what `.gitignore` names,
 * secrets and links are left out.
 */
export async function* walkFiles(
  root: ProjectRoot,
  folder: string,
  options: WalkOptions,
): AsyncGenerator<WalkedEntry> {
  const start = root.name(await root.locate(folder));
  const inherited = await rulesAbove(root, start);
  yield* walk(root, start, { ...options, depth: 1, inherited });
}

interface WalkState extends WalkOptions {
  readonly depth: number;
  readonly inherited: readonly IgnoreRules[];
}

async function* walk(root: ProjectRoot, folder: string, state: WalkState): AsyncGenerator<WalkedEntry> {
  state.signal.throwIfAborted();
  const entries = await root.useFolder(folder, (pinned) => readdir(pinned, { withFileTypes: true }));
  const rules = await rulesWith(state.inherited, root, folder);
  const kept = entries.flatMap((entry) => toEntry(entry, folder, state.depth)).filter(isShown(rules));
  kept.sort((a, b) => Number(a.type === 'folder') - Number(b.type === 'folder') || compare(a.path, b.path));
  for (const entry of kept) {
    yield entry;
    if (entry.type === 'file' || state.depth >= (state.maxDepth ?? Infinity)) continue;
    yield* walk(root, entry.path, { ...state, depth: state.depth + 1, inherited: rules });
  }
}

function toEntry(entry: Dirent, folder: string, depth: number): WalkedEntry[] {
  const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
  if (entry.isFile()) return [{ path, type: 'file', depth }];
  return entry.isDirectory() ? [{ path, type: 'folder', depth }] : [];
}

const isShown = (all: readonly IgnoreRules[]) => (entry: WalkedEntry) => {
  const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
  return !alwaysIgnored.has(name) && !isForbidden(entry.path) && !isIgnored(entry, all);
};

/** As git does: the nearest file that says anything about the path decides. */
function isIgnored(entry: WalkedEntry, all: readonly IgnoreRules[]): boolean {
  const suffix = entry.type === 'folder' ? '/' : '';
  for (const { folder, rules } of all.toReversed()) {
    const path = folder === '.' ? entry.path : entry.path.slice(folder.length + 1);
    const { ignored, unignored } = rules.test(path + suffix);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The rules of all folders above, the root's first. */
async function rulesAbove(root: ProjectRoot, folder: string): Promise<readonly IgnoreRules[]> {
  if (folder === '.') return [];
  const parents = folder.split('/').map((_, index, parts) => parts.slice(0, index).join('/') || '.');
  let rules: readonly IgnoreRules[] = [];
  for (const parent of parents) rules = await rulesWith(rules, root, parent);
  return rules;
}

async function rulesWith(above: readonly IgnoreRules[], root: ProjectRoot, folder: string) {
  const file = folder === '.' ? '.gitignore' : `${folder}/.gitignore`;
  const text = await readText(root, file).catch((error) => {
    if (error instanceof ToolError) return undefined;
    throw error;
  });
  return text === undefined ? above : [...above, { folder, rules: ignore().add(text) }];
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
