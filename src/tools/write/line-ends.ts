import { DIFF_TIMEOUT_MS } from './unified-diff.js';

/** A line of a text, with its line break. The text after the last line break is a line without one. */
interface Line {
  readonly text: string;
  readonly end: string;
}

/** A text as `read_file` shows it: without a byte order mark, and with `\n` as the only line break. */
interface ShownText {
  readonly bom: string;
  readonly shown: string;
}

const BOM = '\uFEFF';

/** Returns the text as the model sees it; also returns the byte order mark, which the model does not see. */
export function toShown(text: string): ShownText {
  const bom = text.startsWith(BOM) ? BOM : '';
  return { bom, shown: withLineFeeds(text.slice(bom.length)) };
}

const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n');

/**
 * Returns the new text of a file, with the byte order mark and the line breaks of the old text. The model sees
 * neither of them, so it cannot write them itself (rule: line-ends).
 */
export async function keepLineEnds(before: string, after: string): Promise<string> {
  const { bom } = toShown(before);
  const own = before.slice(bom.length);
  if (!own.includes('\n')) return after.startsWith(bom) ? after : bom + after;
  const { shown } = toShown(after);
  return bom + withBreaks(shown, await breaksFor(shown, own));
}

/** Positions of a part in the text that the model sees, and the text that replaces this part. */
interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Replaces a part of the text that the model sees. Everything outside this part stays unchanged, including line
 * breaks.
 */
export async function replaceShown(before: string, { from, to, text }: Replacement): Promise<string> {
  const { bom, shown } = toShown(before);
  const own = before.slice(bom.length);
  const start = from === 0 ? 0 : shown.lastIndexOf('\n', from - 1) + 1;
  const stop = shown.indexOf('\n', to) + 1 || shown.length;
  const [ownStart, ownTo, ownStop] = [start, to, stop].map((at) => offsetInOwn(own, at));
  const head = own.slice(0, ownStart);
  const changed = shown.slice(start, from) + text;
  const breaks = await breaksFor(
    changed + shown.slice(to, stop),
    own.slice(ownStart, ownStop),
    lastBreak(head),
  );
  return bom + head + withBreaks(changed, breaks) + own.slice(ownTo);
}

/**
 * Converts a position in the text that the model sees to a position in the file. The text that the model sees lacks
 * each `\r` before a `\n`.
 */
function offsetInOwn(own: string, at: number): number {
  let offset = at;
  for (let end = own.indexOf('\r\n'); end >= 0 && end < offset; end = own.indexOf('\r\n', end + 2))
    offset += 1;
  return offset;
}

const lastBreak = (text: string): string => (text.endsWith('\r\n') ? '\r\n' : '\n');

/** Replaces the line breaks of a text by those in the list, in the same order. */
function withBreaks(shown: string, breaks: readonly string[]): string {
  const lines = shown.split('\n');
  return lines.map((line, index) => (index === 0 ? line : `${breaks[index - 1]}${line}`)).join('');
}

/**
 * Returns a line break for each line of a text that the model wrote. A line gets the line break of the old line that it
 * repeats, replaces or follows, or `otherwise` if no old line has a line break.
 */
async function breaksFor(shown: string, before: string, otherwise = '\n'): Promise<readonly string[]> {
  const old = linesOf(before);
  const [only = otherwise, ...others] = new Set(old.flatMap(({ end }) => end || []));
  const lines = shown.split('\n');
  const aligned = others.length > 0 ? await alignedEnds(old, lines) : [];
  return lines.map((_, index) => aligned[index] ?? only);
}

/**
 * Compares two texts line by line, and returns a line break for each new line. The list is empty if the comparison
 * takes too long.
 */
async function alignedEnds(old: readonly Line[], lines: readonly string[]): Promise<readonly string[]> {
  const { diffArrays } = await import('diff');
  const texts = old.map(({ text }) => text);
  const changes = diffArrays(texts, [...lines], { timeout: DIFF_TIMEOUT_MS }) ?? [];
  const known = old.flatMap(({ end }) => end || []);
  const endAt = (index: number) => known[Math.max(0, Math.min(index, known.length - 1))] ?? '\n';
  const ends: string[] = [];
  let [at, removed] = [0, 0];
  for (const change of changes) {
    if (change.removed) {
      removed = change.count;
      continue;
    }
    // Each added line gets the line break of the removed line that it replaces. Further added lines get that of
    // the last removed line.
    const [first, last] = change.added ? [at, at + removed - 1] : [at + removed, Number.POSITIVE_INFINITY];
    for (let index = 0; index < change.count; index++) ends.push(endAt(Math.min(first + index, last)));
    at += removed + (change.added ? 0 : change.count);
    removed = 0;
  }
  return ends;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
    const end = at > from && text[at - 1] === '\r' ? '\r\n' : '\n';
    lines.push({ text: text.slice(from, at + 1 - end.length), end });
    from = at + 1;
  }
  return from < text.length ? [...lines, { text: text.slice(from), end: '' }] : lines;
}
