import { basename } from 'node:path/posix';
import type { ProjectRoot } from '../../tools/project-root.js';
import { closestWord } from '../commands/closest-word.js';
import { showExactLine } from '../screen/visible-text.js';

/** Files that the `@path` words of a task name. */
export interface Mentions {
  /** Paths that exist. */
  readonly paths: readonly string[];
  /** Words that look like a path that does not exist. */
  readonly missing: readonly Missing[];
}

interface Missing {
  readonly path: string;
  /** Existing file that the person probably wanted. */
  readonly nearest: string | undefined;
}

/** Maximum number of files that are compared with a mistyped path. */
const MAX_FILES = 5_000;

/** Finds `@path` words that name a file or folder, or look like one. Other `@` words are ignored. */
export async function findMentions(root: ProjectRoot, task: string): Promise<Mentions> {
  const words = [...task.matchAll(/(?<!\S)@(?:"([^"]+)"|(\S+?))(?=[,;.?!)]*(?:\s|$))/g)];
  const named = words.map(([, quoted, plain]) => portable(quoted ?? plain ?? ''));
  const paths: string[] = [];
  const missing: string[] = [];
  for (const path of named) {
    if (await isThere(root, withoutLines(path))) paths.push(path);
    else if (/[./]/.test(path)) missing.push(path);
  }
  return { paths, missing: await withNearest(root, missing) };
}

/** Describes a missing file in one sentence. */
export function describeMissing({ path, nearest }: Missing): string {
  const hint = nearest === undefined ? '' : ` Did you mean @${nearest}?`;
  return showExactLine(`There is no readable file "${path}" in this folder.${hint}`);
}

/** Converts a typed path to forward slashes, since people on Windows type backslashes. */
export const portable = (path: string, platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32' ? path.replaceAll('\\', '/') : path;

export const withoutLines = (path: string): string => path.replace(/:\d+(?:-\d+)?$/, '');

export const isThere = async (root: ProjectRoot, path: string): Promise<boolean> =>
  (await root.kindOf(path).catch(() => undefined)) !== undefined;

/** Adds to each missing path the file of the same name in another folder, or the most similar path. */
async function withNearest(root: ProjectRoot, missing: readonly string[]): Promise<readonly Missing[]> {
  if (missing.length === 0) return [];
  const files = await filesOf(root);
  return missing.map((path) => {
    const wanted = withoutLines(path);
    const elsewhere = files.filter((file) => basename(file) === basename(wanted));
    return { path, nearest: elsewhere.length === 1 ? elsewhere[0] : closestWord(wanted, files) };
  });
}

async function filesOf(root: ProjectRoot): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const { type, path } of root.walk('.', { signal: new AbortController().signal })) {
    if (type === 'file') files.push(path);
    if (files.length >= MAX_FILES) break;
  }
  return files;
}
