import { StringDecoder } from 'node:string_decoder';
import { showing } from '../read/showing.js';

/** In characters, of the beginning and of the end each. */
const half = 15_000;

/** Keeps the beginning and the end of an output of any length. */
export class OutputCapture {
  readonly #decoder = new StringDecoder('utf8');
  #head = '';
  #tail = '';
  #total = 0;

  add(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    this.#total += text.length;
    const room = half - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail = (this.#tail + text.slice(room)).slice(-half);
  }

  text(): string {
    const shown = this.#head.length + this.#tail.length;
    if (shown === this.#total) return (this.#head + this.#tail).trimEnd();
    const rest = 'send the output to a file and search it';
    const cut = showing({ shown, total: this.#total, what: 'characters', rest });
    return `${this.#head}\n… (${cut}) …\n${this.#tail.trimEnd()}`;
  }
}
