import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import type { LineRange } from '../lines.js';
import { TextSearch } from './text-search.js';

/** UTF-16 units read in search of texts; what is beyond is compared as a whole only. */
const MOST_SEARCHED = 33_554_432;
/** What searching one of them books of the event loop. */
const SEARCHING = 1 / 8;

/** What is in the prompt already, by origin and lines (rule: no-line-twice). */
export class Coverage {
  readonly #shown = new Map<string, Shown>();
  /** Common to all copies. */
  readonly #allowance: { characters: number };

  constructor(allowance = { characters: MOST_SEARCHED }) {
    this.#allowance = allowance;
  }

  copy(): Coverage {
    const copy = new Coverage(this.#allowance);
    for (const [origin, shown] of this.#shown) copy.#shown.set(origin, shown.copy());
    return copy;
  }

  add(origin: string, lines: readonly LineRange[], text: string): void {
    const shown = this.#shown.get(origin) ?? new Shown();
    for (const range of lines) addRange(shown.lines, range);
    shown.add(text);
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

  /** For text without line numbers: whether it stands somewhere within a text that is there. */
  async contains(origin: string, text: string): Promise<boolean> {
    const texts = this.#shown.get(origin)?.texts;
    if (!texts) return false;
    const lines = withoutOuterNewlines(text);
    return lines === '' || texts.has(lines) || this.#isWithin(texts, lines);
  }

  async #isWithin(texts: Iterable<string>, lines: string): Promise<boolean> {
    let search: TextSearch | undefined;
    for (const text of texts) {
      if (text.length <= lines.length || text.length > this.#allowance.characters) continue;
      this.#allowance.characters -= text.length;
      await eventLoopShare.take(text.length * SEARCHING);
      search ??= new TextSearch(lines);
      if (search.isIn(text)) return true;
    }
    return false;
  }
}

/** What is there of one origin. */
class Shown {
  /** Disjoint, in order: a range is found without a look at all of them. */
  readonly lines: LineRange[];
  /** Made when somebody asks: to put a text into a set is to read all of it, and most lines have numbers. */
  #texts: Set<string> | undefined;
  #added: string[] = [];

  constructor(lines: LineRange[] = []) {
    this.lines = lines;
  }

  copy(): Shown {
    const copy = new Shown([...this.lines]);
    copy.#added = [...(this.#texts ?? []), ...this.#added];
    return copy;
  }

  add(text: string): void {
    this.#added.push(text);
  }

  /** Without newlines around them. */
  get texts(): ReadonlySet<string> {
    this.#texts ??= new Set();
    for (const text of this.#added.splice(0)) this.#texts.add(withoutOuterNewlines(text));
    return this.#texts;
  }
}

/** By hand: an expression would read a long run of newlines once for each of them. */
function withoutOuterNewlines(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '\n') start += 1;
  while (end > start && text[end - 1] === '\n') end -= 1;
  return text.slice(start, end);
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
