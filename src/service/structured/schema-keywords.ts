import type { SchemaObject } from './image.js';

/** What a value is one of. Alternatives that only say which properties are required narrow, and are left to the check. */
export function alternativesOf({ anyOf, oneOf }: SchemaObject): readonly unknown[] | undefined {
  const alternatives = anyOf ?? oneOf;
  if (!Array.isArray(alternatives)) return undefined;
  const narrows = alternatives.every(
    (each) => isObject(each) && Object.keys(each).every((key) => key === 'required'),
  );
  return narrows ? undefined : alternatives;
}

/** The schema with what `allOf` adds; undefined where two of its parts say different things of one matter. */
export function mergeAll(schema: SchemaObject): SchemaObject | undefined {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  let merged: Record<string, unknown> = own;
  for (const part of allOf) {
    if (part === true) continue;
    const further = isObject(part) ? mergeAll(part) : undefined;
    const both = further && mergeTwo(merged, further);
    if (!both) return undefined;
    merged = both;
  }
  return merged;
}

function mergeTwo(first: SchemaObject, second: SchemaObject): Record<string, unknown> | undefined {
  const merged: Record<string, unknown> = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    const known = merged[keyword];
    if (known === undefined || annotations.has(keyword)) merged[keyword] = known ?? value;
    else if (keyword === 'required' && Array.isArray(known) && Array.isArray(value))
      merged[keyword] = [...new Set([...known, ...value])];
    else if (keyword === 'properties' && isObject(known) && isObject(value)) {
      if (Object.keys(value).some((name) => Object.hasOwn(known, name))) return undefined;
      merged[keyword] = { ...known, ...value };
    } else if (JSON.stringify(known) !== JSON.stringify(value)) return undefined;
  }
  return merged;
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

export function hasKeyword(schema: unknown, keyword: string): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.hasOwn(schema, keyword) || Object.values(schema).some((each) => hasKeyword(each, keyword));
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
