import { singular, stemOf, wordsIn } from '../question/words.js';
import type { RankedPassage } from './rank-passages.js';
import type { NumberedLine } from './split-passages.js';

export interface Excerpt {
  /** The best line. */
  readonly line: number;
  readonly lines: readonly NumberedLine[];
}

/** Lines of an excerpt at most. */
const HEIGHT = 12;

/** The part of a passage that says most of what was asked; all of it if it is short. */
export function chooseExcerpt({ lines, matched }: RankedPassage): Excerpt {
  const weights = lines.map(({ text }) => weigh(text, matched));
  const best = weights.indexOf(Math.max(...weights));
  const start = lines.length <= HEIGHT ? 0 : bestWindow(weights);
  return { line: lines[best]?.line ?? 1, lines: lines.slice(start, start + HEIGHT) };
}

/** How many of the terms a line has. */
function weigh(text: string, matched: RankedPassage['matched']): number {
  const stems = wordsIn(text).map((word) => stemOf(singular(word)));
  const lower = text.toLowerCase();
  return [...matched.values()].filter((words) =>
    words.some((word) => stems.includes(word) || (lower.includes(word) && word.includes(' '))),
  ).length;
}

function bestWindow(weights: readonly number[]): number {
  let best = 0;
  let bestSum = -1;
  for (let start = 0; start + HEIGHT <= weights.length; start += 1) {
    const sum = weights.slice(start, start + HEIGHT).reduce((total, weight) => total + weight, 0);
    if (sum > bestSum) [best, bestSum] = [start, sum];
  }
  return best;
}
