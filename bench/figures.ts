import { median, quantile } from './measure/samples.js';

/** One line of the last table: what was promised, and what was measured. */
export interface Figure {
  readonly what: string;
  readonly wanted: string;
  readonly measured: string;
  /** From the first quartile to the third, and of how many samples. */
  readonly spread: string;
  /** Null where no bound is set. */
  readonly reached: boolean | null;
}

export interface Quantity {
  readonly what: string;
  /** As it is written after the number. */
  readonly unit: string;
  /** Digits after the point. Default 1. */
  readonly digits?: number;
}

export function atLeast(quantity: Quantity, bound: number, samples: readonly number[]): Figure {
  const reached = median(samples) >= bound;
  return { ...stated(quantity, samples), wanted: `≥ ${bound} ${quantity.unit}`, reached };
}

export function atMost(quantity: Quantity, bound: number, samples: readonly number[]): Figure {
  const reached = median(samples) <= bound;
  return { ...stated(quantity, samples), wanted: `≤ ${bound} ${quantity.unit}`, reached };
}

/** A figure without a bound: it stands beside one that has. */
export function stated({ what, unit, digits = 1 }: Quantity, samples: readonly number[]): Figure {
  const show = (number: number): string => number.toFixed(digits);
  const [first, third] = [quantile(samples, 0.25), quantile(samples, 0.75)];
  return {
    what,
    wanted: '–',
    measured: `${show(median(samples))} ${unit}`,
    spread: samples.length > 1 ? `${show(first)}–${show(third)} (${samples.length})` : 'one sample',
    reached: null,
  };
}

/** As a table of Markdown, which can be read on a terminal as well: what was promised first, what stands beside it after. */
export function tableOf(unordered: readonly Figure[]): string {
  const isStated = ({ reached }: Figure): number => (reached === null ? 1 : 0);
  const figures = [...unordered].sort((one, other) => isStated(one) - isStated(other));
  const heading = ['what', 'figure wanted', 'measured', 'spread', 'reached'];
  const rows = figures.map((each) => [each.what, each.wanted, each.measured, each.spread, sayReached(each)]);
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function sayReached({ reached }: Figure): string {
  if (reached === null) return '';
  return reached ? 'yes' : 'NO';
}
