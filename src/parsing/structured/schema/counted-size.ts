import type { SchemaSize } from './schema-dialect.js';

/** The size of a schema while it is made. */
export class CountedSize implements SchemaSize {
  depth = 0;
  properties = 0;
  optionalProperties = 0;
  unions = 0;
  enumValues = 0;
  characters = 0;
  readonly #deepest: number;

  constructor(deepest: number) {
    this.#deepest = deepest;
  }

  addProperty(name: string): void {
    this.properties += 1;
    this.characters += name.length;
  }

  /** False if objects may not be nested as deep. */
  enterLevel(level: number): boolean {
    if (level > this.#deepest) return false;
    this.depth = Math.max(this.depth, level);
    return true;
  }
}
