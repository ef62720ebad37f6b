import type { TokenCounter } from '../../../tokens/token-counter.js';
import type { ContextItem } from '../context-item.js';
import { type FittedText, fitWhole } from '../cutting/cut-source.js';
import { cutSourceOf, type Slice } from './slices.js';

/**
 * Maximum number of tokens that are counted to divide the limit among the items, as a multiple of the limit. More
 * text would not fit anyway.
 */
const MAX_COUNTED_PER_LIMIT = 8;
/** Maximum number of UTF-16 units that are counted only for the report. */
const MAX_REPORTED_CHARACTERS = 524_288;

/**
 * Counts the tokens of uncut slices. Two maximums bound the work, however much text the request asks for: one for
 * tokens that are counted to divide the limit among the items, one for text that is counted only for the report.
 * Items are counted in order, so the same request always gets the same sizes.
 */
export class SliceSizes {
  readonly #limit: number;
  readonly #counter: TokenCounter;
  /** Sizes by tag, first line and origin, then by text. */
  readonly #sizes = new Map<string, Map<string, number>>();
  /** Rendered items that fit the limit, kept for reuse. */
  readonly #rendered = new Map<ContextItem, FittedText>();
  #tokensLeft: number;
  #charactersLeft = MAX_REPORTED_CHARACTERS;

  constructor(limit: number, counter: TokenCounter) {
    this.#limit = limit;
    this.#counter = counter;
    this.#tokensLeft = limit * MAX_COUNTED_PER_LIMIT;
  }

  /**
   * Returns the size of each slice. The size is infinite if the slice exceeds the limit, or if it
   * was not counted because the maximum was reached.
   */
  async ofEach(slices: readonly Slice[]): Promise<number[]> {
    const sizes: number[] = [];
    for (const slice of slices) {
      sizes.push(this.#sameAs(slice).get(slice.text) ?? (await this.#count(slice)));
    }
    return sizes;
  }

  /** Returns the uncut rendering of a slice, if it fits the limit. */
  rendered({ item, text }: Slice): FittedText | undefined {
    const rendered = this.#rendered.get(item);
    return rendered?.text === text ? rendered : undefined;
  }

  /**
   * Returns the size for the report, even above the limit; null if the maximum for the report was
   * reached.
   */
  async forReport(slice: Slice): Promise<number | null> {
    const cached = this.#sameAs(slice).get(slice.text) ?? Number.POSITIVE_INFINITY;
    if (Number.isFinite(cached)) return cached;
    this.#charactersLeft -= slice.text.length;
    return this.#charactersLeft < 0 ? null : this.#tokensWithin(slice, Number.POSITIVE_INFINITY);
  }

  async #count(slice: Slice): Promise<number> {
    if (this.#tokensLeft <= 0) return Number.POSITIVE_INFINITY;
    const tokens = await this.#tokensWithin(slice, this.#limit);
    this.#tokensLeft -= Math.min(tokens, this.#limit);
    this.#sameAs(slice).set(slice.text, tokens);
    return tokens;
  }

  async #tokensWithin(slice: Slice, limit: number): Promise<number> {
    const whole = await fitWhole(cutSourceOf(slice), { tokens: limit, counter: this.#counter });
    if (whole && limit === this.#limit) this.#rendered.set(slice.item, whole);
    return whole?.tokens ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the cached sizes of slices that have this slice's tag, origin and first line. */
  #sameAs({ item: { tag, origin }, firstLine }: Slice): Map<string, number> {
    const key = `${tag} ${firstLine} ${origin}`;
    const sizes = this.#sizes.get(key) ?? new Map<string, number>();
    this.#sizes.set(key, sizes);
    return sizes;
  }
}
