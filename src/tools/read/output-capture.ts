import { beginningOf, showing } from './limits.js';

/** Number of characters that are kept from the beginning, and as many from the end. */
const HALF_LENGTH = 15_000;

/**
 * Keeps only the beginning and the end of a long output. `rest` is advice for the model on how to get the part
 * between them.
 */
export class OutputCapture {
  readonly #rest: string;
  #head = '';
  #tail = '';
  #total = 0;

  constructor(rest = 'send the output to a file and search it') {
    this.#rest = rest;
  }

  add(text: string): void {
    this.#total += text.length;
    const room = HALF_LENGTH - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail = (this.#tail + text.slice(room)).slice(-HALF_LENGTH);
  }

  text(): string {
    if (this.#head.length + this.#tail.length === this.#total) return (this.#head + this.#tail).trimEnd();
    const head = beginningOf(this.#head, HALF_LENGTH);
    const tail = this.#tail.replace(/^[\udc00-\udfff]/, '');
    const count = { shown: head.length + tail.length, total: this.#total, what: 'characters' };
    return `${head}\n… (${showing({ ...count, rest: this.#rest })}) …\n${tail.trimEnd()}`;
  }
}
