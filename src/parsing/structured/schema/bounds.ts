import type { SchemaObject } from './image.js';

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
  const [least, most] = names[type] ?? [];
  if (least === undefined || most === undefined) return false;
  const [low, high] = [numberOf(schema[least]), numberOf(schema[most])];
  if (type !== 'number' && type !== 'integer') return isAbove(low, high);
  const [above, below] = [numberOf(schema['exclusiveMinimum']), numberOf(schema['exclusiveMaximum'])];
  return isAbove(low, high) || isAtLeast(above, high) || isAtLeast(low, below) || isAtLeast(above, below);
}

const names: Readonly<Record<string, readonly [string, string]>> = {
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};

/** Not a number compares as neither. */
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const isAbove = (low: number, high: number): boolean => low > high;

const isAtLeast = (low: number, high: number): boolean => low >= high;
