import { median, quantile } from './measure/samples.js';

/** One row of the table of results. */
export interface Figure {
  readonly what: string;
  /** Unit of the samples, printed after each number. */
  readonly unit: string;
  /** Number of digits after the decimal point. Default 1. */
  readonly digits?: number;
  readonly measured: Measured;
  /** The same quantity, measured only on the first requests of a fresh process. */
  readonly cold?: Measured;
}

/** Samples of a quantity, and the bound that their median must meet. Without a bound, the figure is only printed. */
export interface Measured {
  readonly samples: readonly number[];
  readonly bound?: Bound;
}

interface Bound {
  readonly sign: '≥' | '≤';
  readonly value: number;
}

export const atLeast = (value: number, samples: readonly number[]): Measured => ({
  samples,
  bound: { sign: '≥', value },
});

export const atMost = (value: number, samples: readonly number[]): Measured => ({
  samples,
  bound: { sign: '≤', value },
});

const heading = ['what', 'bound', 'measured', 'spread', 'bound, cold', 'cold', 'spread, cold', 'reached'];

/** Returns a Markdown table of the figures, aligned for a terminal. Figures with a bound come first. */
export function tableOf(figures: readonly Figure[]): string {
  const bounded = figures.filter((figure) => boundsOf(figure).length > 0);
  const others = figures.filter((figure) => boundsOf(figure).length === 0);
  const rows = [...bounded, ...others].map(cellsOf);
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function cellsOf(figure: Figure): string[] {
  const { what, measured, cold } = figure;
  const coldCells = cold ? measuredCells(figure, cold) : ['', '', ''];
  return [what, ...measuredCells(figure, measured), ...coldCells, reachedCell(figure)];
}

/** Returns the cells for the bound, the median, the spread (first to third quartile) and the number of samples. */
function measuredCells({ unit, digits = 1 }: Figure, { samples, bound }: Measured): string[] {
  const show = (number: number): string => number.toFixed(digits);
  const quartiles = `${show(quantile(samples, 0.25))}–${show(quantile(samples, 0.75))}`;
  return [
    bound ? `${bound.sign} ${bound.value} ${unit}` : '',
    `${show(median(samples))} ${unit}`,
    samples.length > 1 ? `${quartiles} (${samples.length})` : 'one sample',
  ];
}

function reachedCell(figure: Figure): string {
  const bounds = boundsOf(figure);
  if (bounds.length === 0) return '';
  return bounds.every(isReached) ? 'yes' : 'NO';
}

const boundsOf = ({ measured, cold }: Figure): Measured[] =>
  [measured, ...(cold ? [cold] : [])].filter(({ bound }) => bound !== undefined);

function isReached({ samples, bound }: Measured): boolean {
  if (!bound) return true;
  const value = median(samples);
  return bound.sign === '≥' ? value >= bound.value : value <= bound.value;
}
