import type { LineRange } from '../lines.js';

/** What is in the prompt already, by origin and lines (rule: no-line-twice). */
export class Coverage {
  readonly #shown = new Map<string, Shown>();

  copy(): Coverage {
    const copy = new Coverage();
    for (const [origin, { lines, texts }] of this.#shown)
      copy.#shown.set(origin, { lines: [...lines], texts: [...texts] });
    return copy;
  }

  add(origin: string, lines: readonly LineRange[], text: string): void {
    const shown = this.#shown.get(origin) ?? { lines: [], texts: [] };
    for (const range of lines) addRange(shown.lines, range);
    shown.texts.push(text);
    this.#shown.set(origin, shown);
  }

  has(origin: string): boolean {
    return this.#shown.has(origin);
  }

  /** What of a range is not there yet. */
  missing(origin: string, range: LineRange): LineRange[] {
    const shown = this.#shown.get(origin)?.lines ?? [];
    const missing: LineRange[] = [];
    let first = range.first;
    for (let at = firstReaching(shown, first); at < shown.length && first <= range.last; at += 1) {
      const there = shown[at];
      if (!there || there.first > range.last) break;
      if (there.first > first) missing.push({ first, last: there.first - 1 });
      first = there.last + 1;
    }
    return first <= range.last ? [...missing, { first, last: range.last }] : missing;
  }

  /** For text without line numbers. */
  contains(origin: string, text: string): boolean {
    const lines = text.replace(/^\n+|\n+$/g, '');
    return (this.#shown.get(origin)?.texts ?? []).some((shown) => shown.includes(lines));
  }
}

interface Shown {
  /** Disjoint, in order: a range is found without a look at all of them. */
  readonly lines: LineRange[];
  readonly texts: string[];
}

function addRange(ranges: LineRange[], { first, last }: LineRange): void {
  const start = firstReaching(ranges, first - 1);
  let end = start;
  while ((ranges[end]?.first ?? Number.POSITIVE_INFINITY) <= last + 1) end += 1;
  const joined = {
    first: Math.min(first, ranges[start]?.first ?? first),
    last: Math.max(last, ranges[end - 1]?.last ?? last),
  };
  ranges.splice(start, end - start, end > start ? joined : { first, last });
}

/** The first range that ends at a line or after it. */
function firstReaching(ranges: readonly LineRange[], line: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.last ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
