import { createContext, Script } from 'node:vm';
import { ToolError } from '../../sdk/actions/tool-errors.js';

/** Milliseconds for one call: an expression that backtracks for ever must not hold the process. */
const TIME_LIMIT_MS = 500;

export interface LineMatch {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Finds lines that match a regular expression, in several texts at once; what is no valid expression is taken
 * literally. Without capital letters, case does not matter (ripgrep's smart case).
 */
export function linePattern(pattern: string): (texts: readonly string[]) => LineMatch[][] {
  const sandbox: Sandbox = { expression: toExpression(pattern), texts: [] };
  createContext(sandbox);
  return (texts) => {
    sandbox.texts = texts.map((text) => text.split(/\r?\n/));
    return matchingIndexes(sandbox).map((indexes, text) =>
      indexes.map((index) => ({ line: index + 1, text: sandbox.texts[text]?.[index] ?? '' })),
    );
  };
}

interface Sandbox {
  readonly expression: RegExp;
  /** Each text as its lines. */
  texts: readonly (readonly string[])[];
}

function toExpression(pattern: string): RegExp {
  const flags = /\p{Lu}/u.test(pattern) ? '' : 'i';
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
  }
}

/** Entering a context with a time limit costs more than searching a file: hence several texts at once. */
const search = new Script(
  'texts.map((lines) => lines.flatMap((line, index) => (expression.test(line) ? [index] : [])))',
);

function matchingIndexes(sandbox: Sandbox): number[][] {
  try {
    // The script returns the indexes of lines, a list for each text, and nothing else.
    return search.runInContext(sandbox, { timeout: TIME_LIMIT_MS }) as number[][];
  } catch {
    throw new ToolError('The pattern takes too long; use a simpler one.');
  }
}
