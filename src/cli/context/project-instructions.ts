import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectRoot } from '../../tools/project-root.js';
import { showExactLine } from '../screen/visible-text.js';

const FILE = 'AGENTS.md';

/** Maximum share of the token limit for `AGENTS.md`. */
const SHARE = 1 / 8;
/**
 * Estimated characters per token, low for English text. Texts in scripts such as Chinese have fewer characters per
 * token, so they can take more than their share of tokens.
 */
const CHARACTERS_PER_TOKEN = 3;

export interface ProjectInstructions {
  /** Text for the model. Undefined if the file cannot be used. */
  readonly text: string | undefined;
  /** Message for the person: how much is used, or why nothing is. */
  readonly notice: string;
}

/**
 * Reads the folder's `AGENTS.md`, cut to its share of the token limit. Returns undefined if it does not exist or is
 * empty.
 */
export async function readProjectInstructions(
  root: ProjectRoot,
  tokenLimit: number,
): Promise<ProjectInstructions | undefined> {
  if (!(await isThere(join(root.folder, FILE)))) return undefined;
  try {
    const content = (await root.readText(FILE)).content.trim();
    return content === ''
      ? undefined
      : cutToShare(content, Math.floor(tokenLimit * SHARE * CHARACTERS_PER_TOKEN));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { text: undefined, notice: showExactLine(`${FILE} is not read: ${reason}`) };
  }
}

/** Returns true if the file exists. Also returns true for a broken link, so that the notice can report it. */
const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

function cutToShare(content: string, characters: number): ProjectInstructions {
  const lines = content.split('\n');
  const fitting = fittingLines(lines, characters);
  if (fitting === 0) return { text: undefined, notice: `${FILE} is not read: ${TOO_LONG}` };
  const isWhole = fitting === lines.length;
  const count = isWhole ? `${fitting} lines` : `${fitting} of ${lines.length} lines`;
  const cut = isWhole ? '' : `\n(${FILE} was cut: ${count}; read_file shows the rest.)`;
  return {
    text: `What this project tells agents, in ${FILE}:\n\n${lines.slice(0, fitting).join('\n')}${cut}`,
    notice: `${FILE} is read: ${count}${isWhole ? '' : ', as many as fit its share of the token limit'}.`,
  };
}

const TOO_LONG = 'its first line alone is longer than its share of the token limit.';

function fittingLines(lines: readonly string[], characters: number): number {
  let used = 0;
  const over = lines.findIndex((line) => {
    used += line.length + 1;
    return used > characters;
  });
  return over < 0 ? lines.length : over;
}
