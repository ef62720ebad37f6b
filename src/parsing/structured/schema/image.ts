import { skipSpace } from '../../text/characters.js';
import { isJson, readValue } from '../../text/literals.js';
import { isJsonObject, type JsonValue, Scanner } from '../../text/scanner.js';

export type SchemaObject = Readonly<Record<string, unknown>>;

type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** An image: a schema converted to a dialect, and the conversion of its values back to the original schema. */
export interface Image {
  readonly schema: SchemaObject;
  /** Possible types of the value; empty if it may have any type. */
  readonly types: readonly JsonType[];
  /**
   * Converts a value that matches the image to a value of the original schema; returns any other value as it is. Absent
   * if no value needs conversion.
   */
  readonly restore?: Restore | undefined;
  matches(value: JsonValue): boolean;
  /** The properties, if the image is an object without undeclared properties. */
  readonly properties?: Properties;
  /** Alternatives, if the image is a union; none of them is a union itself. */
  readonly alternatives?: readonly Image[];
}

/**
 * Converts a value of an image to a value of the original schema. Adds to `reading`, the scanner of the enclosing
 * action, the problems in values that the model wrote as JSON text.
 */
type Restore = (value: JsonValue, reading: Scanner) => JsonValue;

/** Properties of an object, in their order. */
export type Properties = readonly Property[];

interface Property {
  readonly name: string;
  readonly image: Image;
  /**
   * How the model omits an optional property: `required` cannot be omitted, `null` writes null, `omitted`
   * leaves the key out.
   */
  readonly absence: 'required' | 'null' | 'omitted';
}

export const restored = ({ restore }: Image, value: JsonValue, reading: Scanner): JsonValue =>
  restore ? restore(value, reading) : value;

export const anything: Image = { schema: {}, types: [], matches: () => true };

/**
 * A value without a schema, written as JSON text. Invalid JSON stays a string, so that the argument check
 * reports it.
 */
export const jsonText: Image = {
  schema: { type: 'string', description: 'a JSON value, written as text' },
  types: ['string'],
  restore: (value, reading) => (typeof value === 'string' ? readJson(value, reading) : value),
  matches: (value) => typeof value === 'string',
};

/** Returns the image of a value that has the same JSON Schema in the dialect. */
export function plainImage(schema: SchemaObject & { readonly type: string }): Image {
  const types = jsonTypes.filter((each) => each === (schema.type === 'integer' ? 'number' : schema.type));
  const { enum: values } = schema;
  return {
    schema,
    types,
    matches: (value) => types.includes(typeOf(value)) && (!Array.isArray(values) || values.includes(value)),
  };
}

export function arrayImage(items: Image, bounds: SchemaObject): Image {
  return {
    schema: { type: 'array', items: items.schema, ...bounds },
    types: ['array'],
    restore:
      items.restore &&
      ((value, reading) =>
        Array.isArray(value) ? value.map((each) => restored(items, each, reading)) : value),
    matches: (value) => Array.isArray(value) && value.every((each) => items.matches(each)),
  };
}

/** Returns the image of an object without undeclared properties. */
export function objectImage(properties: Properties): Image {
  const byName = new Map(properties.map((property) => [property.name, property]));
  const translates = properties.some(({ image, absence }) => image.restore || absence === 'null');
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties.map(({ name, image }) => [name, image.schema])),
      required: properties.filter(({ absence }) => absence !== 'omitted').map(({ name }) => name),
      additionalProperties: false,
    },
    types: ['object'],
    properties,
    restore: translates ? (value, reading) => restoreProperties(value, byName, reading) : undefined,
    matches: (value) => matchesProperties(value, byName),
  };
}

/** Returns the image of an object with unknown keys. The model writes such an object as a list of its entries. */
export function mapImage(value: Image): Image {
  const key = plainImage({ type: 'string' });
  const entry = objectImage([
    { name: 'key', image: key, absence: 'required' },
    { name: 'value', image: value, absence: 'required' },
  ]);
  const entries = arrayImage({ ...entry, restore: undefined }, {});
  return { ...entries, restore: (list, reading) => restoreEntries(list, value, reading) };
}

/**
 * Makes an optional property required: the model writes null to omit it. A value that may itself be null is wrapped in
 * an object.
 */
export function nullableImage(image: Image): Image {
  const mayBeNull = image.types.length === 0 || image.types.includes('null');
  const wrapped = mayBeNull ? objectImage([{ name: 'value', image, absence: 'required' }]) : image;
  return {
    schema: { anyOf: [wrapped.schema, { type: 'null' }] },
    types: [...wrapped.types, 'null'],
    restore: mayBeNull ? (value, reading) => unwrap(restored(wrapped, value, reading)) : image.restore,
    matches: (value) => value === null || wrapped.matches(value),
  };
}

const jsonTypes: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'array', 'object'];

function typeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return jsonTypes.find((type) => type === typeof value) ?? 'object';
}

/**
 * Parses a value that the model wrote as JSON text, with the reader for all text of a model: keeps the digits of
 * numbers and records duplicate keys (rule: values). Returns other text as it is.
 */
export function readJson(text: string, reading: Scanner): JsonValue {
  if (!isJson(text)) return text;
  const scanner = new Scanner(text, skipSpace(text, 0), { within: reading });
  const value = readValue(scanner);
  for (const repair of scanner.repairs) reading.repairs.add(repair);
  if (value !== undefined) return value;
  reading.fail(scanner.problem ?? 'a value cannot be read');
  return text;
}

function restoreProperties(
  value: JsonValue,
  properties: ReadonlyMap<string, Property>,
  reading: Scanner,
): JsonValue {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, each]): [string, JsonValue][] => {
    const property = properties.get(name);
    if (!property) return [[name, each]];
    const isAbsent = each === null && property.absence === 'null';
    return isAbsent ? [] : [[name, restored(property.image, each, reading)]];
  });
  return Object.fromEntries(entries);
}

function matchesProperties(value: JsonValue, properties: ReadonlyMap<string, Property>): boolean {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !properties.has(name))) return false;
  return [...properties.values()].every(({ name, image, absence }) => {
    const each = Object.hasOwn(value, name) ? value[name] : undefined;
    return each === undefined ? absence === 'omitted' : image.matches(each);
  });
}

function restoreEntries(list: JsonValue, value: Image, reading: Scanner): JsonValue {
  if (!Array.isArray(list)) return list;
  const entries = list.flatMap((entry): [string, JsonValue][] => {
    const { key, value: each } = isJsonObject(entry) ? entry : {};
    return typeof key === 'string' && each !== undefined ? [[key, restored(value, each, reading)]] : [];
  });
  const object = Object.fromEntries(entries);
  if (entries.length < list.length) return list;
  if (Object.keys(object).length < entries.length) reading.repairs.add('duplicate_key');
  return object;
}

function unwrap(value: JsonValue): JsonValue {
  return isJsonObject(value) && value['value'] !== undefined ? value['value'] : value;
}
