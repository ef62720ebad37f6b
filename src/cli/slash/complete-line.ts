import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path/posix';
import type { ProjectRoot } from '../../tools/project-root.js';
import { portable } from '../context/mentions.js';
import type { Completion } from '../input/line-completion.js';
import type { Session } from '../session/session.js';
import { commandNames, commandWords } from './slash-commands.js';

/** Maximum number of completions for a path. */
const MAX_OFFERED = 200;

/** Returns completions for the word before the cursor: a command, its argument, or a path after `@`. */
export async function completeLine(session: Session, before: string): Promise<Completion | undefined> {
  const [word = ''] = /\S*$/.exec(before) ?? [];
  const from = before.length - word.length;
  if (word.startsWith('@')) {
    const paths = await pathsLike(session.parts.root, portable(word.slice(1)));
    return { from, words: paths.map((path) => (/\s/.test(path) ? `@"${path}"` : `@${path}`)) };
  }
  if (!before.startsWith('/') || before.includes('\n')) return undefined;
  if (from === 0) return { from, words: commandNames.filter((name) => name.startsWith(word)) };
  const [command = ''] = before.split(/\s/);
  if (command === '/save') return { from, words: await filesLike(word) };
  const words = await commandWords(session, command);
  return { from, words: words.filter((each) => each.startsWith(word)) };
}

/** Returns folder entries that begin with the path, or else project files whose path contains it. */
async function pathsLike(root: ProjectRoot, path: string): Promise<readonly string[]> {
  const folder = path.endsWith('/') ? path.slice(0, -1) : dirname(path);
  const entries = await entriesOf(root, folder || '.', (each) => each.startsWith(path));
  return entries.length > 0 || path === '' ? entries : filesWith(root, path.toLowerCase());
}

/** Lists the matching entries of a folder. The walk skips ignored and secret files. */
async function entriesOf(
  root: ProjectRoot,
  folder: string,
  isWanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const found: string[] = [];
  try {
    for await (const { path, type } of root.walk(folder, { signal, maxDepth: 1 }))
      if (isWanted(path)) found.push(type === 'folder' ? `${path}/` : path);
  } catch {
    return []; // the folder does not exist or is outside the project
  }
  return found.slice(0, MAX_OFFERED);
}

async function filesWith(root: ProjectRoot, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { path, type } of root.walk('.', { signal: new AbortController().signal })) {
    if (type === 'file' && path.toLowerCase().includes(text)) found.push(path);
    if (found.length >= MAX_OFFERED) break;
  }
  return found;
}

/** Lists files anywhere on this machine, for `/save`. */
async function filesLike(typed: string): Promise<readonly string[]> {
  const path = typed.startsWith('~/') ? `${homedir()}${typed.slice(1)}` : typed;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const entries = await readdir(folder || '.', { withFileTypes: true }).catch(() => []);
  return entries
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .filter((each) => each.startsWith(path));
}
