import type { ParseDelta } from '../../delta-writer.js';

type FieldType = Extract<ParseDelta['type'], 'thought' | 'answer'>;

/** Tells fields in pieces, without white space at their edges: what a field ends with waits until it goes on. */
export class EdgelessDeltas {
  readonly #gaps: Record<FieldType, string> = { thought: '', answer: '' };
  readonly #told: Record<FieldType, boolean> = { thought: false, answer: false };

  /** The field goes on after text that was told already, with a gap between. */
  continue(type: FieldType, gap: string): void {
    this.#gaps[type] = gap;
  }

  hasTold(type: FieldType): boolean {
    return this.#told[type];
  }

  tell(type: FieldType, text: string): ParseDelta[] {
    const begun = this.#told[type] ? text : text.trimStart();
    const solid = begun.trimEnd();
    if (solid === '') {
      if (this.#told[type]) this.#gaps[type] += begun;
      return [];
    }
    const delta = this.#gaps[type] + solid;
    this.#gaps[type] = begun.slice(solid.length);
    this.#told[type] = true;
    return [{ type, delta }];
  }
}
