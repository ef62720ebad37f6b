import { isObject } from '../../text/scanner.js';
import type { SchemaObject } from './image.js';

/** Alternative schemas of a value, and the keywords that hold for all of them. */
export interface Alternatives {
  readonly list: readonly unknown[];
  readonly shared: SchemaObject;
}

/**
 * Alternatives that only say which properties are required narrow, and are left to the check. A value that must be one of
 * two lists at once may be anything: their product is not worked out.
 */
export function alternativesOf(schema: SchemaObject): Alternatives | undefined {
  const [keyword, second] = ['anyOf', 'oneOf'].filter((each) => isChoice(schema[each]));
  if (keyword === undefined) return undefined;
  const { [keyword]: list, ...shared } = schema;
  return second === undefined ? { list: listOf(list), shared } : { list: [true], shared: {} };
}

const isChoice = (alternatives: unknown): boolean =>
  listOf(alternatives).some(
    (each) => !isObject(each) || Object.keys(each).some((keyword) => keyword !== 'required'),
  );

/** The schema with what `allOf` adds; undefined where two of its parts say different things of one matter. */
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

/** The sum of all parts of an `allOf`. */
interface Sums {
  readonly merged: Record<string, unknown>;
  readonly properties: Map<string, unknown>;
  readonly required: Set<unknown>;
}

function addParts(parts: readonly unknown[], sums: Sums): boolean {
  return parts.every((part) => {
    if (part === true) return true;
    const { allOf, ...own } = isObject(part) ? part : { not: true };
    return addPart(own, sums) && addParts(listOf(allOf), sums);
  });
}

function addPart({ properties, required, ...others }: SchemaObject, sums: Sums): boolean {
  for (const name of listOf(required)) sums.required.add(name);
  for (const [name, each] of Object.entries(isObject(properties) ? properties : {})) {
    if (sums.properties.has(name)) return false;
    sums.properties.set(name, each);
  }
  return Object.entries(others).every(([keyword, value]) => {
    const known = sums.merged[keyword];
    sums.merged[keyword] = known ?? value;
    return known === undefined || annotations.has(keyword) || JSON.stringify(known) === JSON.stringify(value);
  });
}

/** Whether null may be a value: the types that the image will have, known before it is made. */
export function mayBeNull(schema: unknown): boolean {
  const merged = isObject(schema) ? mergeAll(schema) : undefined;
  if (!merged) return false;
  const { const: constant, enum: values, type } = merged;
  if (constant !== undefined) return constant === null;
  if (Array.isArray(values)) return values.includes(null);
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  return alternativesOf(merged)?.list.some(mayBeNull) ?? false;
}

/** Keywords that say nothing about which values are taken. */
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

/** Whether it is a bound of the type's, and a number that the vendors take for it. */
export function isBound(bound: string, value: unknown, type: string): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (bound === 'minItems' || bound === 'maxItems')
    return type === 'array' && Number.isInteger(value) && value >= 0;
  if (type !== 'number' && type !== 'integer') return false;
  return bound !== 'multipleOf' || value > 0;
}

/** Whether no value can keep within the bounds of a type: vendors refuse such a schema. */
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

/** Returns NaN for other values, so that comparisons with it are false. */
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const isAbove = (low: number, high: number): boolean => low > high;

const isAtLeast = (low: number, high: number): boolean => low >= high;
