import { isJsonObject } from '../text/scanner.js';
import { expandSchema } from './expand-schema.js';

type SchemaObject = Readonly<Record<string, unknown>>;

/** Maximum number of values among which a reference is searched. */
const MAX_VALUES = 20_000;
/**
 * Maximum number of characters in the keys and texts of an expanded schema, since many references may name one long
 * schema. A longer one stays unexpanded.
 */
const MAX_LENGTH = 50_000;

/**
 * Returns a tool's schema with all parameters in its own `properties`: with the parameters of the schemas that it
 * refers to or combines, and without references in them. A parameter is required if each alternative requires it.
 * Returns any other schema unchanged.
 */
export function flatSchema(inputSchema: SchemaObject): SchemaObject {
  if (!['allOf', 'anyOf', 'oneOf'].some((key) => key in inputSchema) && !hasReference(inputSchema))
    return inputSchema;
  const expanded: unknown = expandSchema(inputSchema)?.schema;
  if (!isJsonObject(expanded) || !isShort(expanded)) return inputSchema;
  const { properties, required } = merge(expanded);
  // Expanding drops some keywords, such as `format`, so parameters without references stay as they are.
  for (const [name, schema] of entriesOf(inputSchema['properties']))
    if (!hasReference(schema)) properties.set(name, schema);
  return { ...inputSchema, properties: Object.fromEntries(properties), required: [...required] };
}

function hasReference(schema: unknown): boolean {
  const values = [schema];
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    if ('$ref' in value) return true;
    if (values.length < MAX_VALUES) for (const each of Object.values(value)) values.push(each);
  }
  return false;
}

function isShort(schema: SchemaObject): boolean {
  let left = MAX_LENGTH;
  const fits = (value: unknown): boolean => {
    left -= typeof value === 'string' ? value.length : 1;
    if (left < 0 || typeof value !== 'object' || value === null) return left >= 0;
    return Object.entries(value).every(([key, each]) => {
      left -= key.length;
      return fits(each);
    });
  };
  return fits(schema);
}

interface Parameters {
  /** The parameters' schemas by name. If a name is defined several times, the first definition. */
  readonly properties: Map<string, unknown>;
  readonly required: ReadonlySet<unknown>;
}

function merge(schema: SchemaObject): Parameters {
  const all = partsOf(schema['allOf']);
  const alternatives = [partsOf(schema['anyOf']), partsOf(schema['oneOf'])];
  const properties = new Map(entriesOf(schema['properties']));
  for (const part of [...all, ...alternatives.flat()])
    for (const [name, value] of part.properties) if (!properties.has(name)) properties.set(name, value);
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  for (const part of all) for (const name of part.required) required.add(name);
  for (const [first, ...others] of alternatives)
    for (const name of first?.required ?? [])
      if (others.every((other) => other.required.has(name))) required.add(name);
  return { properties, required };
}

const partsOf = (value: unknown): readonly Parameters[] =>
  (Array.isArray(value) ? value : []).filter(isJsonObject).map(merge);

const entriesOf = (properties: unknown): [string, unknown][] =>
  isJsonObject(properties) ? Object.entries(properties) : [];
