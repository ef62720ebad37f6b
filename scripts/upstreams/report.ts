import type { Outcome } from './two-steps.js';

/** One row of the table: a trial and its outcome. */
export interface Row {
  readonly gateway: string;
  /** The APIs through which a request passes, such as `chat → messages`. */
  readonly way: string;
  readonly protocol: string;
  readonly streamed: boolean;
  readonly outcome: Outcome;
}

/**
 * Returns the row of the trial without a gateway that has the same API, protocol and kind of response (streamed or
 * plain).
 */
const directRow = (row: Row, rows: readonly Row[]): Row | undefined =>
  rows.find(
    ({ gateway, way, protocol, streamed }) =>
      gateway === 'direct' && way === row.way && protocol === row.protocol && streamed === row.streamed,
  );

/**
 * Returns who is at fault for a failed row: the gateway if it answered with an error and the same run succeeds
 * without it, otherwise Stepwise. Reasoning state that a gateway loses is no failure. Returns undefined if nothing
 * failed.
 */
export function faultOf(row: Row, rows: readonly Row[]): 'gateway' | 'stepwise' | undefined {
  const { problem, lost } = row.outcome;
  if (row.gateway === 'direct' && lost.length > 0) return 'stepwise';
  if (problem === undefined) return undefined;
  if (row.gateway === 'direct' || directRow(row, rows)?.outcome.problem !== undefined) return 'stepwise';
  return problem.startsWith('upstream_') ? 'gateway' : 'stepwise';
}

/** Returns the table. A plain and a streamed run with the same outcome share one row. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => ({ ...row, result: resultOf(row, rows) }));
  const merged = lines.flatMap((line, index) => {
    const isLike = (other: (typeof lines)[number]): boolean =>
      keyOf(other) === keyOf(line) && other.result === line.result;
    const first = lines.findIndex(isLike);
    if (first !== index) return [];
    const forms = lines.filter(isLike).map(({ streamed }) => (streamed ? 'streamed' : 'plain'));
    return [[line.gateway, line.way, line.protocol, forms.join(', '), line.result]];
  });
  const table = [['gateway', 'APIs', 'protocol', 'form', 'result'], ...merged];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  return table
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}

const keyOf = ({ gateway, way, protocol }: Row): string => [gateway, way, protocol].join('\n');

function resultOf(row: Row, rows: readonly Row[]): string {
  const { problem, kept, lost } = row.outcome;
  if (problem !== undefined) return `FAILED (${faultOf(row, rows)}): ${problem}`;
  const states = [
    ...(kept.length > 0 ? [`state kept: ${kept.join(', ')}`] : []),
    ...(lost.length > 0 ? [`lost: ${lost.join(', ')}`] : []),
  ];
  return ['ok', ...states].join('; ');
}
