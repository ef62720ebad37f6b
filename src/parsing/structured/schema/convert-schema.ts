import { countParts, expandSchema } from '../../arguments/expand-schema.js';
import { isObject, type JsonValue, Scanner } from '../../text/scanner.js';
import { Conversion } from './conversion.js';
import { restored, type SchemaObject } from './image.js';
import type { SchemaDialect, SchemaSize } from './schema-dialect.js';

/** The schema of a tool's arguments as a dialect takes it, and the way back. */
export interface ConvertedSchema {
  readonly schema: SchemaObject;
  readonly size: SchemaSize;
  /** Paths of free values, such as `filter` or `items[].meta`, which the model writes as the text of a JSON value. */
  readonly free: readonly string[];
  /** Whether a value is of the schema, but for bounds. */
  matches(value: JsonValue): boolean;
  /**
   * Returns the arguments that a value of the schema means; any other value comes back as it is. Adds to `reading`
   * duplicate keys and problems in free values.
   */
  restore(value: JsonValue, reading?: Scanner): JsonValue;
}

/**
 * Turns the schema of a tool's arguments into one that a dialect takes, without losing a value that the tool takes
 * (rule: reversible-schema). `level` counts the objects around the arguments. Null where the schema is no object's, or
 * too large to be looked at.
 */
export function convertSchema(
  inputSchema: SchemaObject,
  dialect: SchemaDialect,
  level: number,
): ConvertedSchema | null {
  const schema: unknown = speaksOtherwise(inputSchema) ? null : expandSchema(inputSchema)?.schema;
  if (!isObject(schema) || countParts(schema) > MAX_PARTS) return null;
  const conversion = new Conversion(dialect);
  const image = conversion.convertArguments(schema, level);
  if (!image || conversion.isTooLarge) return null;
  const { size, free } = conversion;
  const { matches, schema: shown } = image;
  const restore: ConvertedSchema['restore'] = (value, reading = new Scanner('', 0)) =>
    restored(image, value, reading);
  return { schema: shown, size, free, matches, restore };
}

/** Maximum number of parts of a schema, so that converting it does not hold the event loop. */
const MAX_PARTS = 5_000;

/** Keywords that a written-out schema no longer holds, and that may speak of properties. */
const notWrittenOut = ['patternProperties', 'dependencies', '$dynamicRef', '$recursiveRef'];
/** Keywords that map names to schemas. */
const byName: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const values: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

function speaksOtherwise(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(speaksOtherwise);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(
    ([keyword, value]) =>
      notWrittenOut.includes(keyword) ||
      (byName.has(keyword) && isObject(value)
        ? Object.values(value).some(speaksOtherwise)
        : !values.has(keyword) && speaksOtherwise(value)),
  );
}
