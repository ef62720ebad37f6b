import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import type { LineRange } from '../lines.js';
import { TextSearch } from './text-search.js';

/**
 * Maximum total length, in UTF-16 units, of the covered texts that are searched for chunks without line numbers.
 * Beyond it, a chunk is treated as covered only if it equals a whole covered text.
 */
const MAX_SEARCHED_CHARACTERS = 33_554_432;

/** The lines that the prompt already contains, called covered lines, by origin (rule: no-line-twice). */
export class Coverage {
  readonly #byOrigin = new Map<string, Covered>();
  /** Number of UTF-16 units that may still be searched; shared by all copies. */
  readonly #allowance: { characters: number };

  constructor(allowance = { characters: MAX_SEARCHED_CHARACTERS }) {
    this.#allowance = allowance;
  }

  copy(): Coverage {
    const copy = new Coverage(this.#allowance);
    for (const [origin, covered] of this.#byOrigin) copy.#byOrigin.set(origin, covered.copy());
    return copy;
  }

  add(origin: string, lines: readonly LineRange[], text: string): void {
    const covered = this.#byOrigin.get(origin) ?? new Covered();
    for (const range of lines) addRange(covered.lines, range);
    covered.add(text);
    this.#byOrigin.set(origin, covered);
  }

  has(origin: string): boolean {
    return this.#byOrigin.has(origin);
  }

  /** Returns the lines of a range that are not covered yet. */
  missing(origin: string, range: LineRange): LineRange[] {
    const covered = this.#byOrigin.get(origin)?.lines ?? [];
    const missing: LineRange[] = [];
    let first = range.first;
    for (let at = firstReaching(covered, first); at < covered.length && first <= range.last; at += 1) {
      const next = covered[at];
      if (!next || next.first > range.last) break;
      if (next.first > first) missing.push({ first, last: next.first - 1 });
      first = next.last + 1;
    }
    return first <= range.last ? [...missing, { first, last: range.last }] : missing;
  }

  /** Returns whether a text without line numbers equals a covered text or occurs within one. */
  async contains(origin: string, text: string): Promise<boolean> {
    const texts = this.#byOrigin.get(origin)?.texts;
    if (!texts) return false;
    const lines = trimNewlines(text);
    return lines === '' || texts.has(lines) || this.#isWithin(texts, lines);
  }

  async #isWithin(texts: Iterable<string>, lines: string): Promise<boolean> {
    let search: TextSearch | undefined;
    for (const text of texts) {
      if (text.length <= lines.length || text.length > this.#allowance.characters) continue;
      this.#allowance.characters -= text.length;
      await yieldIfBusy();
      search ??= new TextSearch(lines);
      if (search.isIn(text)) return true;
    }
    return false;
  }
}

/** The covered lines and texts of one origin. */
class Covered {
  /** Disjoint ranges in ascending order, so that a range can be found by bisection. */
  readonly lines: LineRange[];
  /**
   * Covered texts without leading and trailing newlines. Filled from `#added` only when `texts` is read, because only
   * texts without line numbers are compared with them.
   */
  readonly #texts = new Set<string>();
  #added: string[] = [];

  constructor(lines: LineRange[] = []) {
    this.lines = lines;
  }

  copy(): Covered {
    const copy = new Covered([...this.lines]);
    copy.#added = [...this.#texts, ...this.#added];
    return copy;
  }

  add(text: string): void {
    this.#added.push(text);
  }

  /** Returns the covered texts without leading and trailing newlines. */
  get texts(): ReadonlySet<string> {
    for (const text of this.#added.splice(0)) this.#texts.add(trimNewlines(text));
    return this.#texts;
  }
}

/** Removes leading and trailing newlines. A regular expression would be quadratic in a long run of newlines. */
function trimNewlines(text: string): string {
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

/** Returns the index of the first range that ends at a line or after it. */
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
