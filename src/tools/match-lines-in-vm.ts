import { createContext, Script } from 'node:vm';
import { linesOf, type MatchLines, SEARCH_TIME_LIMIT_MS, tooSlow } from './read/find-lines.js';

const search = new Script(
  'texts.map((lines) => lines.flatMap((line, index) => (expression.test(line) ? [index] : [])))',
);

/** Matches in this process: a context of Node's can be given up in the middle of an expression. */
export const matchLinesInVm: MatchLines = (expression) => {
  const sandbox: { expression: RegExp; texts: readonly (readonly string[])[] } = { expression, texts: [] };
  createContext(sandbox);
  return async (texts) => {
    sandbox.texts = texts.map(linesOf);
    try {
      // The script returns the indexes of lines, a list for each text, and nothing else.
      return search.runInContext(sandbox, { timeout: SEARCH_TIME_LIMIT_MS }) as number[][];
    } catch {
      throw tooSlow();
    }
  };
};
