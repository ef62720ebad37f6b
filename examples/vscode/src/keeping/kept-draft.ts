import { type KeptValue, keptValue, type Places } from './kept-files.js';

/** The task as it is being typed, so that it outlives a reload of the window. */
export class KeptDraft {
  readonly #place: KeptValue;
  #text = '';
  #written = '';
  #isWriting = false;

  constructor(places: Places) {
    this.#place = keptValue(places, 'draft');
  }

  get text(): string {
    return this.#text;
  }

  async restore(): Promise<void> {
    const text = await this.#place.read().catch(() => undefined);
    if (this.#text === '' && typeof text === 'string') this.#text = this.#written = text;
  }

  /** Written at once; what is typed while that goes on is written next, and only the newest of it. */
  async change(text: string): Promise<void> {
    this.#text = text;
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#written !== this.#text) {
      this.#written = this.#text;
      // What cannot be kept is still in the box.
      await this.#place.write(this.#text === '' ? null : this.#text).catch(() => undefined);
    }
    this.#isWriting = false;
  }
}
