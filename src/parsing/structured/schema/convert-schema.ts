import { countParts, expandSchema } from '../../arguments/expand-schema.js';
import { isJsonObject, type JsonValue, Scanner } from '../../text/scanner.js';
import { Conversion } from './conversion.js';
import { type Image, restored, type SchemaObject } from './image.js';
import type { SchemaDialect, SchemaSize } from './schema-dialect.js';

/** A tool's argument schema converted to a dialect, and the conversion back. */
export interface ConvertedSchema {
  readonly schema: SchemaObject;
  readonly size: SchemaSize;
  /**
   * Paths of values without a schema, such as `filter` or `items[].meta`. The model writes these values as JSON text.
   */
  readonly free: readonly string[];
  /** Whether a value matches the converted schema; bounds are ignored. */
  matches(value: JsonValue): boolean;
  /**
   * Converts a value in the form of the converted schema back to the tool's arguments. Parts in any other form stay
   * unchanged. Reports to `reading` duplicate keys, and errors in the JSON text of values without a schema.
   */
  restore(value: JsonValue, reading?: Scanner): JsonValue;
}

/**
 * Converts a tool's argument schema to a dialect so that every value the tool accepts can be expressed (rule:
 * reversible-schema). `level` is the nesting level of the argument object; the outermost object has level 1.
 * Returns null if the schema is not an object's or is too large.
 */
export function convertSchema(
  inputSchema: SchemaObject,
  dialect: SchemaDialect,
  level: number,
): ConvertedSchema | null {
  const converted = convertBy((conversion, schema) => conversion.convertArguments(schema, level), {
    schema: inputSchema,
    dialect,
  });
  if (!converted) return null;
  const { image, size, free } = converted;
  const restore: ConvertedSchema['restore'] = (value, reading = new Scanner('', 0)) =>
    restored(image, value, reading);
  return { schema: image.schema, size, free, matches: image.matches, restore };
}

/** A converted schema, its size, and the paths of its values without a schema. */
export type ConvertedValue = Pick<ConvertedSchema, 'size' | 'free'> & { readonly image: Image };

/**
 * Converts the schema of a value of any type to a dialect (rule: reversible-schema). `level` is the
 * nesting level of the value; the outermost object has level 1. Returns null if the schema is too large.
 */
export function convertValueSchema(
  schema: SchemaObject,
  dialect: SchemaDialect,
  level: number,
): ConvertedValue | null {
  return convertBy((conversion, expanded) => conversion.convertValue(expanded, level), { schema, dialect });
}

function convertBy(
  convert: (conversion: Conversion, expanded: SchemaObject) => Image | null,
  { schema, dialect }: { readonly schema: SchemaObject; readonly dialect: SchemaDialect },
): ConvertedValue | null {
  const expanded: unknown = speaksOtherwise(schema) ? null : expandSchema(schema)?.schema;
  if (!isJsonObject(expanded) || countParts(expanded) > MAX_PARTS) return null;
  const conversion = new Conversion(dialect);
  const image = convert(conversion, expanded);
  if (!image || conversion.isTooLarge) return null;
  const { size, free } = conversion;
  return { image, size, free };
}

/** Maximum number of parts of a schema; keeps the conversion from blocking the event loop. */
const MAX_PARTS = 5_000;

/**
 * Keywords that `expandSchema` omits although they may describe properties. A schema with one of them is not converted.
 */
const notWrittenOut = ['patternProperties', 'dependencies', '$dynamicRef', '$recursiveRef'];
/** Keywords that map names to schemas. */
const byName: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const values: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

function speaksOtherwise(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(speaksOtherwise);
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).some(
    ([keyword, value]) =>
      notWrittenOut.includes(keyword) ||
      (byName.has(keyword) && isJsonObject(value)
        ? Object.values(value).some(speaksOtherwise)
        : !values.has(keyword) && speaksOtherwise(value)),
  );
}
