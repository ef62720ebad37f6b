/**
 * The JSON Schema that one way of constraining a model's output takes: what differs between vendors, as data. What each
 * vendor documents: docs/reference/constrained-output.md.
 */
export interface SchemaDialect {
  /** How the schema is sent. */
  readonly form: 'json_schema' | 'llama' | 'anthropic';
  /** A union may be the whole schema; else it stands under a property of an object. */
  readonly unionAtRoot: boolean;
  /** Every property is required: an optional one is nullable instead. */
  readonly allRequired: boolean;
  /** Objects of a union begin with different properties, or with one that tells them apart by a constant. */
  readonly distinctFirstKeys: boolean;
  /** An object may hold properties that are not declared, and a value may be anything. */
  readonly openValues: boolean;
  /** Bounds that the constraint enforces; others are left out, and checked in what comes back. */
  readonly bounds: readonly string[];
  /** A list of more strings than this, with more characters in all, is not taken. */
  readonly longEnum: { readonly values: number; readonly characters: number };
  /** The schema is put into the prompt, and paid for. */
  readonly isCharged: boolean;
  /** The most of everything in one schema. */
  readonly limits: SchemaSize;
}

/** How much there is of a schema. */
export interface SchemaSize {
  /** Levels of objects, the outermost included. */
  readonly depth: number;
  readonly properties: number;
  readonly optionalProperties: number;
  /** Properties or items that take one of several schemas. */
  readonly unions: number;
  readonly enumValues: number;
  /** UTF-16 code units of property names, enum values and constants. */
  readonly characters: number;
}
