import type { SchemaDialect, SchemaSize } from './schema-dialect.js';

/** Nesting level of the argument object in a reply: the reply is level 1, its action 2, the arguments 3. */
export const ARGUMENTS_LEVEL = 3;

/** Maximum length of a schema of a tool or of the answer that is converted. No vendor accepts a longer one. */
export const MAX_SCHEMA_LENGTH = 256 * 1024;

const wrapping: SchemaSize = {
  depth: ARGUMENTS_LEVEL,
  properties: 4,
  optionalProperties: 0,
  unions: 2,
  enumValues: 0,
  characters: 'thoughtactionthoughtfinal_answer'.length,
};

/** Adds up the sizes of all parts of the reply schema, and compares them with the dialect's limits. */
export class Total {
  readonly #limits: SchemaSize;
  #size: SchemaSize = wrapping;

  constructor({ limits }: SchemaDialect) {
    this.#limits = limits;
  }

  get isExceeded(): boolean {
    return !this.takes({});
  }

  takes(further: Partial<SchemaSize>): boolean {
    const sum = plus(this.#size, further);
    return sizes.every((size) => sum[size] <= this.#limits[size]);
  }

  add(further: Partial<SchemaSize>): void {
    this.#size = plus(this.#size, further);
  }
}

const sizes = ['properties', 'optionalProperties', 'unions', 'enumValues', 'characters'] as const;

const plus = (size: SchemaSize, further: Partial<SchemaSize>): SchemaSize => ({
  depth: size.depth,
  properties: size.properties + (further.properties ?? 0),
  optionalProperties: size.optionalProperties + (further.optionalProperties ?? 0),
  unions: size.unions + (further.unions ?? 0),
  enumValues: size.enumValues + (further.enumValues ?? 0),
  characters: size.characters + (further.characters ?? 0),
});

/** The size of a schema, updated while the schema is converted. */
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

  /** Records a level of nesting; false if it is too deep. */
  enterLevel(level: number): boolean {
    if (level > this.#deepest) return false;
    this.depth = Math.max(this.depth, level);
    return true;
  }
}
