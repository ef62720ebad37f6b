import { StringDecoder } from 'node:string_decoder';
import { showing } from '../read/limits.js';

/** In characters, of the beginning and of the end each. */
const HALF_LENGTH = 15_000;

/** Keeps the beginning and the end of an output of any length. `rest` tells how to get at what lies between. */
export class OutputCapture {
  readonly #rest: string;
  readonly #decoder = new StringDecoder('utf8');
  #head = '';
  #tail = '';
  #total = 0;

  constructor(rest = 'send the output to a file and search it') {
    this.#rest = rest;
  }

  /** Gives the text that the chunk completes. */
  add(chunk: Buffer): string {
    const text = this.#decoder.write(chunk);
    this.#total += text.length;
    const room = HALF_LENGTH - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail = (this.#tail + text.slice(room)).slice(-HALF_LENGTH);
    return text;
  }

  text(): string {
    const shown = this.#head.length + this.#tail.length;
    if (shown === this.#total) return (this.#head + this.#tail).trimEnd();
    const cut = showing({ shown, total: this.#total, what: 'characters', rest: this.#rest });
    return `${this.#head}\n… (${cut}) …\n${this.#tail.trimEnd()}`;
  }
}
