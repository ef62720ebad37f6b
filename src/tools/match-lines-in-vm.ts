import { createContext, Script } from 'node:vm';
import { linesOf, type MatchLines, SEARCH_TIME_LIMIT_MS, tooSlow } from './read/find-lines.js';

const search = new Script(
  'texts.map((lines) => [...lines.keys()].filter((index) => expression.test(lines[index])))',
);

/**
 * Matches lines in a Node VM context, because only the time limit of a VM can interrupt a regular expression that
 * backtracks forever.
 */
export const matchLinesInVm: MatchLines = (expression) => {
  const sandbox: { expression: RegExp; texts: readonly (readonly string[])[] } = { expression, texts: [] };
  createContext(sandbox);
  return async (texts) => {
    sandbox.texts = texts.map(linesOf);
    try {
      // Cast: the script returns one list of line indexes for each text.
      return search.runInContext(sandbox, { timeout: SEARCH_TIME_LIMIT_MS }) as number[][];
    } catch {
      throw tooSlow();
    }
  };
};
