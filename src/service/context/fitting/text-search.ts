/**
 * Looks for one text in others, by Knuth, Morris and Pratt: in time that grows with their lengths, whatever they hold.
 * `includes` takes the product of both lengths where they repeat one character (rule: linear-work).
 */
export class TextSearch {
  readonly #wanted: string;
  /** For each beginning of what is wanted: the length of the longest shorter one that it ends with. */
  readonly #borders: Uint32Array;

  constructor(wanted: string) {
    this.#wanted = wanted;
    this.#borders = new Uint32Array(wanted.length);
    for (let at = 1, matched = 0; at < wanted.length; at += 1) {
      matched = this.#matchNext(matched, wanted.charCodeAt(at));
      this.#borders[at] = matched;
    }
  }

  isIn(text: string): boolean {
    const { length } = this.#wanted;
    let matched = 0;
    for (let at = 0; at < text.length && matched < length; at += 1) {
      matched = this.#matchNext(matched, text.charCodeAt(at));
    }
    return matched === length;
  }

  /** How many units are matched after one more. */
  #matchNext(matched: number, unit: number): number {
    let length = matched;
    while (length > 0 && this.#wanted.charCodeAt(length) !== unit) length = this.#borders[length - 1] ?? 0;
    return this.#wanted.charCodeAt(length) === unit ? length + 1 : length;
  }
}
