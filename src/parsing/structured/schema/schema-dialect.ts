/**
 * Describes which JSON Schema a vendor accepts for one kind of constrained output (documented in
 * docs/reference/constrained-output.md).
 */
export interface SchemaDialect {
  /** Format in which the schema is sent. */
  readonly form: 'json_schema' | 'llama' | 'anthropic';
  /** True if a schema may constrain the answer while native tools are offered. */
  readonly besideTools?: boolean;
  /** True if the root may be a union; otherwise the union is a property of an object. */
  readonly unionAtRoot: boolean;
  /** True if every property must be required, so that optional ones become nullable. */
  readonly allRequired: boolean;
  /**
   * True if the objects of a union must begin with different properties, or with a property whose constant
   * distinguishes them.
   */
  readonly distinctFirstKeys: boolean;
  /** True if objects may have undeclared properties and values may be anything. */
  readonly openValues: boolean;
  /**
   * Keywords for bounds that the vendor enforces. Other bounds are omitted from the schema, and the argument check
   * enforces them.
   */
  readonly bounds: readonly string[];
  /** The vendor refuses an `enum` that has both more string values and more characters in total than this. */
  readonly longEnum: { readonly values: number; readonly characters: number };
  /** True if the vendor adds the schema to the prompt and bills it. */
  readonly isCharged: boolean;
  /** Maximum size of one schema. */
  readonly limits: SchemaSize;
}

export interface SchemaSize {
  /** Levels of nested objects, the outermost one included. */
  readonly depth: number;
  readonly properties: number;
  readonly optionalProperties: number;
  /** Number of properties or items with several alternative schemas. */
  readonly unions: number;
  readonly enumValues: number;
  /** UTF-16 code units of property names, enum values and constants. */
  readonly characters: number;
}
