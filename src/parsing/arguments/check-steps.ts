import type { Schema } from '@cfworker/json-schema';
import type { JsonValue } from '../text/scanner.js';
import { countParts, type ExpandedSchema, isSchema } from './expand-schema.js';

/**
 * Maximum number of checks of one value against one schema node while one call's arguments are checked (rule:
 * linear-work).
 */
export const MAX_STEPS = 1_000_000;

/** Keywords whose subschemas apply to the value itself, not to its parts. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'] as const;
/** Keywords whose schemas apply to every item or property. */
const forItems = ['items', 'prefixItems', 'additionalItems', 'contains', 'unevaluatedItems'] as const;
const forProperties = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const;

/** Whether the validator would check values against schemas at most `MAX_STEPS` times. */
export function canBeChecked(values: JsonValue, { schema, size }: ExpandedSchema): boolean {
  if (countValues(values, MAX_STEPS / size) <= MAX_STEPS / size) return true;
  const count = new StepCount();
  count.add(values, schema);
  return count.left >= 0;
}

/** Counts a value and all values inside it; stops above `max`. */
function countValues(value: JsonValue, max: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (count > max) return count;
    count += countValues(each, max - count);
  }
  return count;
}

/** Counts how often the validator would check a value against a schema, and stops when that is too often. */
class StepCount {
  left = MAX_STEPS;
  /** Number of validation steps of a scalar value, cached for each schema. It is the same for all scalars. */
  readonly #plain = new Map<Schema, number>();

  add(value: JsonValue, schema: unknown): void {
    this.left -= 1;
    if (this.left < 0 || !isSchema(schema)) return;
    if (typeof value === 'object' && value !== null) this.#addParts(value, schema);
    else this.#addPlain(value, schema);
  }

  #addPlain(value: JsonValue, schema: Schema): void {
    const before = this.left;
    const cached = this.#plain.get(schema);
    if (cached === undefined) this.#addParts(value, schema);
    else this.left -= cached;
    if (cached === undefined && this.left >= 0) this.#plain.set(schema, before - this.left);
  }

  #addParts(value: JsonValue, schema: Schema): void {
    this.left -= countParts(schema.required) + countParts(schema.enum) + countParts(schema.const);
    this.#addAll(value, schema, inPlace);
    if (Array.isArray(value)) for (const item of value) this.#addAll(item, schema, forItems);
    else if (typeof value === 'object' && value !== null) this.#addProperties(value, schema);
  }

  #addProperties(value: { [key: string]: JsonValue }, schema: Schema): void {
    const properties = schema.properties ?? {};
    this.left -= Object.keys(properties).length;
    for (const [key, each] of Object.entries(value)) {
      if (this.left < 0) return;
      if (Object.hasOwn(properties, key)) this.add(each, properties[key]);
      this.#addAll(each, schema, forProperties);
    }
  }

  #addAll(value: JsonValue, schema: Schema, keywords: readonly (keyof Schema)[]): void {
    for (const keyword of keywords) {
      const held: unknown = schema[keyword];
      if (held === undefined || this.left < 0) continue;
      const schemas: unknown[] =
        keyword === 'dependentSchemas' && isSchema(held) ? Object.values(held) : [held].flat();
      for (const each of schemas) {
        if (this.left < 0) return;
        this.add(value, each);
      }
    }
  }
}
