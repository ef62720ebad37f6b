import { type KeptValue, keptValue, type Places } from './kept-files.js';

/** Stores the task being typed, so that it survives a reload of the window. */
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

  /** Writes the text immediately; during a write, only the newest text is queued. */
  async change(text: string): Promise<void> {
    this.#text = text;
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#written !== this.#text) {
      this.#written = this.#text;
      // A failed write loses nothing yet: the text is still in the box.
      await this.#place.write(this.#text === '' ? null : this.#text).catch(() => undefined);
    }
    this.#isWriting = false;
  }
}
