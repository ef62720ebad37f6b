import type { Tokens } from 'marked';
import { columnsOf } from '../../display/columns.js';
import { wrap } from '../../display/wrap.js';
import { renderInline, type TextView } from './render-inline.js';

const BETWEEN = ' │ ';
/** Minimum width of a column. Narrower columns would break most words. */
const MIN_COLUMN = 8;

/** Renders a table no wider than the window. If columns would become too narrow, renders each row as a list. */
export function renderTable({ header, rows, align }: Tokens.Table, view: TextView): string[] {
  const { paint, width } = view;
  const heads = header.map((cell) => renderInline(cell.tokens, paint));
  const cells = rows.map((row) => row.map((cell) => renderInline(cell.tokens, paint)));
  const natural = heads.map((head, column) =>
    Math.max(...[head, ...cells.map((row) => row[column] ?? '')].map(columnsOf), 1),
  );
  const room = width - BETWEEN.length * (heads.length - 1);
  const widths = shareRoom(natural, room);
  if (widths.some((given, column) => given < Math.min(MIN_COLUMN, natural[column] ?? 0)))
    return renderRecords(heads, cells, view);
  const row = (texts: readonly string[]) => tableRow(texts, { widths, align, paint });
  const rule = paint('dim', widths.map((given) => '─'.repeat(given)).join('─┼─'));
  return [...row(heads.map((head) => paint('bold', head))), rule, ...cells.flatMap(row)];
}

/** Distributes the width: narrow columns get what they need, wide ones share the rest equally. */
function shareRoom(natural: readonly number[], room: number): readonly number[] {
  const narrowFirst = natural.map((needs, column) => ({ needs, column })).sort((a, b) => a.needs - b.needs);
  const widths = [...natural];
  let left = room;
  for (const [index, { needs, column }] of narrowFirst.entries()) {
    const given = Math.max(1, Math.min(needs, Math.floor(left / (natural.length - index))));
    widths[column] = given;
    left -= given;
  }
  return widths;
}

interface TableLook extends Pick<TextView, 'paint'> {
  readonly widths: readonly number[];
  readonly align: Tokens.Table['align'];
}

function tableRow(texts: readonly string[], { widths, align, paint }: TableLook): string[] {
  const columns = widths.map((given, column) => wrap(texts[column] ?? '', given));
  const height = Math.max(...columns.map((rows) => rows.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((rows, column) => pad(rows[line] ?? '', widths[column] ?? 0, align[column] ?? 'left'))
      .join(paint('dim', BETWEEN))
      .trimEnd(),
  );
}

function pad(text: string, width: number, align: 'left' | 'center' | 'right'): string {
  const free = Math.max(0, width - columnsOf(text));
  const before = align === 'left' ? 0 : align === 'right' ? free : Math.floor(free / 2);
  return ' '.repeat(before) + text + ' '.repeat(free - before);
}

function renderRecords(heads: readonly string[], rows: readonly (readonly string[])[], view: TextView) {
  const { paint, width } = view;
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [''] : []),
    ...row.flatMap((cell, column) => wrap(`${paint('bold', `${heads[column] ?? ''}:`)} ${cell}`, width)),
  ]);
}
