import { ToolError } from '../../sdk/actions/tool-errors.js';

export interface LineMatch {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Says of each text which of its lines an expression matches, counted from 0. The expression is a model's and may
 * backtrack for ever: it is given up after `SEARCH_TIME_LIMIT_MS` for each call, with `tooSlow()`. Entering a place with
 * a time limit costs more than searching a file: hence several texts at once.
 */
export type MatchLines = (
  expression: RegExp,
) => (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** Milliseconds for one call. */
export const SEARCH_TIME_LIMIT_MS = 500;

export const tooSlow = (): ToolError => new ToolError('The pattern takes too long; use a simpler one.');

/** The lines of a text, without their line breaks. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/**
 * Finds lines that match a regular expression, in several texts at once; what is no valid expression is taken
 * literally. Without capital letters, case does not matter (ripgrep's smart case).
 */
export function findLines(
  pattern: string,
  matchLines: MatchLines,
): (texts: readonly string[]) => Promise<LineMatch[][]> {
  const match = matchLines(toExpression(pattern));
  return async (texts) => (await match(texts)).map((indexes, text) => linesAt(texts[text] ?? '', indexes));
}

function linesAt(text: string, indexes: readonly number[]): LineMatch[] {
  if (indexes.length === 0) return [];
  const lines = linesOf(text);
  return indexes.map((index) => ({ line: index + 1, text: lines[index] ?? '' }));
}

function toExpression(pattern: string): RegExp {
  const flags = /\p{Lu}/u.test(pattern) ? '' : 'i';
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
  }
}
