import type { ReportItem } from '../../../contract/context-report.js';
import type { ContextItem, FocusItem } from '../context-item.js';
import { cutAround } from '../cutting/cut-around.js';
import { cutLines } from '../cutting/cut-lines.js';
import { type FittedText, hasOnlyMarker, type TokenLimit } from '../cutting/cut-source.js';
import { fence } from '../fence.js';
import { formatLines, LineIndex, type LineRange } from '../lines.js';
import { reportRow } from '../report-row.js';
import type { Coverage } from './coverage.js';
import { cutSourceOf, linesOf, type Slice, wholeSlice } from './slices.js';

/** The focus file, with the part of it to include, chosen once the context has been fitted. */
export interface FocusToFit {
  readonly focus: FocusItem;
  /** The part of the file to include: all of it, some of its lines, or only a note that it is open. */
  readonly part: 'file' | LineRange | 'note';
}

interface FittedFocus {
  /** One fence for the tail; undefined if it did not fit. */
  readonly block: string | undefined;
  readonly item: ReportItem;
}

/**
 * Chooses the part of the focus file to send: the whole file if the context contains nothing of it, otherwise the
 * longest run of the selected lines (without a selection, of all lines) that the context lacks.
 */
export function planFocus(focus: FocusItem, covered: Coverage): FocusToFit {
  const { item, selection } = focus;
  if (!covered.has(item.origin)) return { focus, part: 'file' };
  const [range] = selection ? [selection] : linesOf(item);
  const missing = range ? covered.missing(item.origin, range) : [];
  const [longest] = missing.toSorted((a, b) => b.last - b.first - (a.last - a.first));
  return { focus, part: longest ?? 'note' };
}

/** Fits the focus file to a token limit: the whole file, or the selection and as many lines around it as fit. */
export async function fitFocus({ focus, part }: FocusToFit, limit: TokenLimit): Promise<FittedFocus> {
  const item = withSelection(focus);
  if (part === 'note') return pointAtContext(item, limit);
  const slice = part === 'file' ? wholeSlice(item) : onlyLines(item, part);
  const fitted =
    part === 'file' && focus.selection
      ? await cutAround(cutSourceOf(slice), focus.selection, limit)
      : await cutLines(cutSourceOf(slice), limit);
  if (!fitted || hasOnlyMarker(fitted)) {
    const reason = "no room in the prompt's tail";
    return {
      block: undefined,
      item: reportRow({ kind: 'implicit', id: item.id, status: 'dropped', reason }),
    };
  }
  return { block: fitted.rendered, item: includedRow(item, fitted, reasonsFor(part, fitted)) };
}

/** Returns a note that the file is open in the editor, for a file whose lines the context already contains. */
async function pointAtContext(item: ContextItem, limit: TokenLimit): Promise<FittedFocus> {
  const text = '[open in the editor; shown in the context above]\n';
  const block = fence({ tag: 'focus', attributes: item.attributes, text });
  const tokens = await limit.counter.fits(block, limit.tokens);
  return {
    block: tokens === undefined ? undefined : block,
    item: reportRow({
      kind: 'implicit',
      id: item.id,
      status: 'duplicate',
      tokens: tokens ?? 0,
      reason: 'included in the context already',
    }),
  };
}

function withSelection({ item, selection }: FocusItem): ContextItem {
  const selected = selection && (formatLines([selection]) ?? undefined);
  return { ...item, attributes: { ...item.attributes, selected } };
}

function onlyLines(item: ContextItem, lines: LineRange): Slice {
  const lineCount = lines.last - lines.first + 1;
  return { item, text: new LineIndex(item.text).slice(lines), lineCount, firstLine: lines.first };
}

/** Returns the reasons why the file is not included completely. */
function reasonsFor(part: FocusToFit['part'], { cut }: FittedText): string[] {
  return [
    ...(part === 'file' ? [] : ['only lines that the context does not show']),
    ...(cut ? ['cut to the lines around the focus'] : []),
  ];
}

function includedRow(item: ContextItem, fitted: FittedText, reasons: readonly string[]): ReportItem {
  const isWhole = !fitted.cut && fitted.text === item.text && item.note === undefined;
  return reportRow({
    kind: 'implicit',
    id: item.id,
    status: isWhole ? 'included' : 'truncated',
    tokens: fitted.tokens,
    original_tokens: isWhole ? fitted.tokens : null,
    lines: formatLines(fitted.lines),
    reason: [...reasons, ...(item.note ? [item.note] : [])].join('; ') || null,
  });
}
