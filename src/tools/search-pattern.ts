import { createContext, Script } from 'node:vm';
import { ToolError } from '../sdk/tool-errors.js';

/** Milliseconds for one file: an expression that backtracks for ever must not hold the process. */
const patience = 500;

export interface LineMatch {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Finds lines that match a regular expression; what is no valid expression is taken literally. Without capital
 * letters, case does not matter (ripgrep's smart case).
 */
export function linePattern(pattern: string): (text: string) => LineMatch[] {
  const sandbox: Sandbox = { expression: toExpression(pattern), lines: [] };
  createContext(sandbox);
  return (text) => {
    sandbox.lines = text.split(/\r?\n/);
    return matchingIndexes(sandbox).map((index) => ({ line: index + 1, text: sandbox.lines[index] ?? '' }));
  };
}

interface Sandbox {
  readonly expression: RegExp;
  lines: readonly string[];
}

function toExpression(pattern: string): RegExp {
  const flags = /\p{Lu}/u.test(pattern) ? '' : 'i';
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
  }
}

const search = new Script('lines.flatMap((line, index) => (expression.test(line) ? [index] : []))');

function matchingIndexes(sandbox: Sandbox): number[] {
  try {
    // The script returns the indexes of lines and nothing else.
    return search.runInContext(sandbox, { timeout: patience }) as number[];
  } catch {
    throw new ToolError('The pattern takes too long; use a simpler one.');
  }
}
