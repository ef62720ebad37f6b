import type { SchemaDialect, SchemaSize } from './schema-dialect.js';

/** Objects around the arguments: the reply and its action. */
export const ARGUMENTS_LEVEL = 3;

const wrapping: SchemaSize = {
  depth: ARGUMENTS_LEVEL,
  properties: 4,
  optionalProperties: 0,
  unions: 2,
  enumValues: 0,
  characters: 'thoughtactionthoughtfinal_answer'.length,
};

/** What all branches take together. */
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
