import { isJsonObject } from '../../text/scanner.js';
import type { SchemaObject } from './image.js';

/** Alternative schemas of a value (`list`), and the keywords that apply to all of them (`shared`). */
export interface Alternatives {
  readonly list: readonly unknown[];
  readonly shared: SchemaObject;
}

/**
 * Returns the alternatives of a schema. Alternatives that only list required properties are ignored here; the argument
 * check enforces them. A schema with two lists of alternatives (`anyOf` and `oneOf`) is not combined; its value may be
 * anything.
 */
export function alternativesOf(schema: SchemaObject): Alternatives | undefined {
  const [keyword, second] = ['anyOf', 'oneOf'].filter((each) => isChoice(schema[each]));
  if (keyword === undefined) return undefined;
  const { [keyword]: list, ...shared } = schema;
  return second === undefined ? { list: listOf(list), shared } : { list: [true], shared: {} };
}

const isChoice = (alternatives: unknown): boolean =>
  listOf(alternatives).some(
    (each) => !isJsonObject(each) || Object.keys(each).some((keyword) => keyword !== 'required'),
  );

/**
 * Merges the parts of `allOf` into the schema; undefined if two parts declare the same property, or give one keyword
 * different values.
 */
export function mergeAll(schema: SchemaObject): SchemaObject | undefined {
  if (!Array.isArray(schema['allOf'])) return schema;
  const { allOf, properties, required, ...merged } = schema;
  const sums: Sums = {
    merged: { ...merged },
    properties: new Map<string, unknown>(),
    required: new Set<unknown>(),
  };
  if (!addPart({ properties, required }, sums) || !addParts(listOf(allOf), sums)) return undefined;
  return {
    ...sums.merged,
    ...(sums.properties.size > 0 && { properties: Object.fromEntries(sums.properties) }),
    ...(sums.required.size > 0 && { required: [...sums.required] }),
  };
}

/** Result of merging the parts of an `allOf`, while it is built. */
interface Sums {
  readonly merged: Record<string, unknown>;
  readonly properties: Map<string, unknown>;
  readonly required: Set<unknown>;
}

function addParts(parts: readonly unknown[], sums: Sums): boolean {
  return parts.every((part) => {
    if (part === true) return true;
    const { allOf, ...own } = isJsonObject(part) ? part : { not: true };
    return addPart(own, sums) && addParts(listOf(allOf), sums);
  });
}

function addPart({ properties, required, ...others }: SchemaObject, sums: Sums): boolean {
  for (const name of listOf(required)) sums.required.add(name);
  for (const [name, each] of Object.entries(isJsonObject(properties) ? properties : {})) {
    if (sums.properties.has(name)) return false;
    sums.properties.set(name, each);
  }
  return Object.entries(others).every(([keyword, value]) => {
    const existing = sums.merged[keyword];
    sums.merged[keyword] = existing ?? value;
    return (
      existing === undefined || annotations.has(keyword) || JSON.stringify(existing) === JSON.stringify(value)
    );
  });
}

/**
 * Whether the schema mentions null among its types, values or alternatives. Reads the original schema, because the
 * caller needs the result before converting it.
 */
export function mayBeNull(schema: unknown): boolean {
  const merged = isJsonObject(schema) ? mergeAll(schema) : undefined;
  if (!merged) return false;
  const { const: constant, enum: values, type } = merged;
  if (constant !== undefined) return constant === null;
  if (Array.isArray(values)) return values.includes(null);
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  return alternativesOf(merged)?.list.some(mayBeNull) ?? false;
}

/** Keywords that do not restrict values. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Whether a keyword is a bound that applies to the type, with a number that vendors accept. */
export function isBound(bound: string, value: unknown, type: string): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (bound === 'minItems' || bound === 'maxItems')
    return type === 'array' && Number.isInteger(value) && value >= 0;
  if (type !== 'number' && type !== 'integer') return false;
  return bound !== 'multipleOf' || value > 0;
}

/** Whether the bounds of a type exclude every value; vendors refuse such a schema. */
export function contradicts(schema: SchemaObject, type: string): boolean {
  const [least, most] = boundNames[type] ?? [];
  if (least === undefined || most === undefined) return false;
  const [low, high] = [numberOf(schema[least]), numberOf(schema[most])];
  if (type !== 'number' && type !== 'integer') return isAbove(low, high);
  const [above, below] = [numberOf(schema['exclusiveMinimum']), numberOf(schema['exclusiveMaximum'])];
  return isAbove(low, high) || isAtLeast(above, high) || isAtLeast(low, below) || isAtLeast(above, below);
}

const boundNames: Readonly<Record<string, readonly [string, string]>> = {
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};

/** Returns the number, or NaN so that comparisons are false. */
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const isAbove = (low: number, high: number): boolean => low > high;

const isAtLeast = (low: number, high: number): boolean => low >= high;
