import { describeReading, promptDifference } from '../../../eval/describe-step.js';
import type { CellReport, Divergence, EvalReport } from '../../../eval/eval-report.js';
import { columnsOf } from '../../display/columns.js';
import type { Paint } from '../../display/paint.js';
import { showExact, showExactLine } from '../../screen/visible-text.js';

interface RenderOptions {
  readonly paint: Paint;
  /** True if every divergence is printed, with all of its lines. */
  readonly isVerbose: boolean;
}

const SHOWN_DIVERGENCES = 3;
const SHOWN_LINES = 30;
const SHOWN_FILES = 10;
const MAX_READING_CHARS = 300;

/** Renders a report for a terminal: files that were skipped, a table of cells, and the first diverging steps. */
export function renderReport(report: EvalReport, options: RenderOptions): string {
  const { cells, divergences, moreDivergences, skipped } = report;
  const { isVerbose, paint } = options;
  const shown = isVerbose ? divergences : divergences.slice(0, SHOWN_DIVERGENCES);
  const rest = divergences.length - shown.length + moreDivergences;
  return [
    ...renderSkipped(skipped, isVerbose),
    ...(report.runs > 0 ? renderTable(cells, paint) : []),
    ...cells.flatMap(renderReasons),
    ...shown.flatMap((each) => ['', ...renderDivergence(each, options)]),
    ...(rest > 0 ? ['', `${rest} more. --verbose prints up to 100, --html writes them to a page.`] : []),
    ...(report.runs === 0 ? ['No run could be evaluated.'] : []),
    ...(report.end === 'interrupted' ? ['', 'Stopped: the rest has no result.'] : []),
    '',
  ].join('\n');
}

function renderSkipped(skipped: EvalReport['skipped'], isVerbose: boolean): readonly string[] {
  const shown = isVerbose ? skipped : skipped.slice(0, SHOWN_FILES);
  const more = skipped.length - shown.length;
  return [
    ...shown.map(({ file, reason }) => showExactLine(`skipped ${file}: ${reason}`)),
    ...(more > 0 ? [`skipped ${more} more files`] : []),
    ...(skipped.length > 0 ? [''] : []),
  ];
}

function renderTable(cells: readonly CellReport[], paint: Paint): readonly string[] {
  const hasPrice = cells.some(({ usage }) => usage.price !== null);
  const head = ['cell', 'same', 'accepted', 'different', 'missing', 'skipped', 'tokens in', 'out'];
  const rows = cells.map(({ name, counts, usage }) => [
    showExactLine(name),
    ...[counts.same, counts.accepted, counts.different, counts.missing, counts.skipped].map(String),
    figure(usage.inputTokens),
    figure(usage.outputTokens),
    ...(hasPrice ? [usage.price?.toFixed(4) ?? '-'] : []),
  ]);
  const all = [[...head, ...(hasPrice ? ['price'] : [])], ...rows];
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((row) => columnsOf(row[column] ?? '')))) ?? [];
  return all.map((row, index) => {
    const line = row.map((text, column) => pad(text, widths[column] ?? 0, column === 0)).join('  ');
    if (index === 0) return paint('bold', line.trimEnd());
    const cell = cells[index - 1];
    const isBad = cell?.fails || (cell?.counts.missing ?? 0) > 0;
    return paint(isBad ? 'red' : 'green', isBad ? '✗ ' : '✓ ') + line.slice(2).trimEnd();
  });
}

const figure = (count: number | null): string => (count === null ? '-' : count.toLocaleString('en'));

/** Pads a cell of the table. The first column is indented, because its row begins with ✓ or ✗. */
function pad(text: string, width: number, isFirst: boolean): string {
  const space = ' '.repeat(Math.max(0, width - columnsOf(text)));
  return isFirst ? `  ${text}${space}` : space + text;
}

/** Lists why steps of a cell are missing or were skipped, the most frequent reason first. */
function renderReasons({ name, steps }: CellReport): readonly string[] {
  const counts = new Map<string, number>();
  for (const { verdict, reason = '' } of steps) {
    if (verdict !== 'missing' && verdict !== 'skipped') continue;
    const key = `${verdict}: ${reason}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_FILES)
    .map(([reason, count]) => showExactLine(`${name}: ${count} × ${reason}`));
}

function renderDivergence(
  { cell, run, step, differs, recorded, now }: Divergence,
  { isVerbose, paint }: RenderOptions,
): readonly string[] {
  const difference = promptDifference(recorded.prompt, now.prompt);
  return [
    paint('bold', showExactLine(`${run}, step ${step} (${cell}): differs in ${differs.join(', ')}`)),
    `  recorded  ${reading(recorded)}`,
    `  now       ${reading(now)}`,
    ...(recorded.reading.leftOut.join() === now.reading.leftOut.join()
      ? []
      : [showExactLine(`  left out  ${now.reading.leftOut.join(', ') || 'nothing'}`)]),
    ...(recorded.reply === now.reply ? ['  The reply is the same.'] : []),
    ...renderDifference(difference, isVerbose, paint),
  ];
}

function reading({ reading: read }: Divergence['now']): string {
  const text = showExactLine(describeReading(read));
  return text.length > MAX_READING_CHARS ? `${text.slice(0, MAX_READING_CHARS)}…` : text;
}

function renderDifference(
  difference: string | undefined,
  isVerbose: boolean,
  paint: Paint,
): readonly string[] {
  if (difference === undefined) return [];
  const lines = showExact(difference).split('\n');
  const shown = isVerbose ? lines : lines.slice(0, SHOWN_LINES);
  const more = lines.length - shown.length;
  return [
    '  The prompts differ:',
    ...shown.map((line) => `    ${colour(line, paint)}`),
    ...(more > 0 ? [`    … ${more} more lines`] : []),
  ];
}

const colour = (line: string, paint: Paint): string =>
  line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line;
