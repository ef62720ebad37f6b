import { ToolError } from '../../sdk/actions/tool-errors.js';

interface LineMatch {
  /** Line number, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Finds the lines of each text that match, and returns their indexes, counted from 0. The regular expression comes
 * from a model and may backtrack forever, so each call must reject with `tooSlow()` after `SEARCH_TIME_LIMIT_MS`.
 * Takes several texts per call, because setting up the time limit costs more than searching one file.
 */
export type MatchLines = (
  expression: RegExp,
) => (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** Time limit for one call of `MatchLines`. */
export const SEARCH_TIME_LIMIT_MS = 500;

export const tooSlow = (): ToolError => new ToolError('The pattern takes too long; use a simpler one.');

/** Splits a text into lines without their line breaks. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** Finds the lines of several texts that match. */
export type FindLines = (texts: readonly string[]) => Promise<LineMatch[][]>;

export function findLines(expression: RegExp, matchLines: MatchLines): FindLines {
  const match = matchLines(expression);
  return async (texts) => (await match(texts)).map((indexes, text) => linesAt(texts[text] ?? '', indexes));
}

function linesAt(text: string, indexes: readonly number[]): LineMatch[] {
  if (indexes.length === 0) return [];
  const lines = linesOf(text);
  return indexes.map((index) => ({ line: index + 1, text: lines[index] ?? '' }));
}
