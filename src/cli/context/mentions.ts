import { basename } from 'node:path/posix';
import type { ProjectRoot } from '../../tools/project-root.js';
import { closestWord } from '../commands/closest-word.js';
import { showExactLine } from '../screen/shown-text.js';

/** What the `@path` words of a task name. */
export interface Mentions {
  /** Those that are there. */
  readonly paths: readonly string[];
  /** Those that look like a path and are not. */
  readonly missing: readonly Missing[];
}

interface Missing {
  readonly path: string;
  /** The file that was meant, perhaps. */
  readonly nearest: string | undefined;
}

/** Files among which the nearest name is looked for. */
const MAX_FILES = 5_000;

/** The `@path` words of a task that name something in the folder, or seem to; all others are words like any other. */
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

/** In one sentence, for a person. */
export function describeMissing({ path, nearest }: Missing): string {
  const hint = nearest === undefined ? '' : ` Did you mean @${nearest}?`;
  return showExactLine(`There is no readable file "${path}" in this folder.${hint}`);
}

/** As the folder names it: on Windows people write `\\` between folders. */
export const portable = (path: string, platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32' ? path.replaceAll('\\', '/') : path;

export const withoutLines = (path: string): string => path.replace(/:\d+(?:-\d+)?$/, '');

export const isThere = async (root: ProjectRoot, path: string): Promise<boolean> =>
  (await root.kindOf(path).catch(() => undefined)) !== undefined;

/** The same name in another folder, or one that differs by a letter or two. */
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
