import { type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import { shorten } from '../text/characters.js';
import { decode } from '../text/literals.js';
import type { JsonValue, Repair, Spellings } from '../text/scanner.js';
import { canBeChecked, MAX_STEPS } from './check-steps.js';
import { decodePointer, expandSchema, isSchema } from './expand-schema.js';

type Values = Record<string, JsonValue>;
export type CheckedArguments =
  | { ok: true; values: Values; repairs: Repair[] }
  | { ok: false; problem: string };

/**
 * Checks arguments against the tool's JSON Schema. A value of another type is coerced if that loses
 * nothing ("42" ↔ 42, "true" ↔ true, a string that encodes the array); any other mismatch is a
 * problem (rule: values). With an unusable schema, all arguments are accepted.
 */
export function checkArguments(
  values: Values,
  inputSchema: Readonly<Record<string, unknown>> | undefined,
  spellings: Spellings,
): CheckedArguments {
  const expanded = inputSchema && expandSchema(inputSchema);
  if (!expanded) return { ok: true, values, repairs: [] };
  if (!canBeChecked(values, expanded)) return tooMuchToCheck;
  const given = withoutNulls(values, expanded.schema);
  const coercion = new Coercion(spellings);
  const coerced = coercion.coerceObject(given, expanded.schema);
  if (coercion.decodes && !canBeChecked(coerced, expanded)) return tooMuchToCheck;
  const error = firstError(coerced, expanded.schema);
  if (error) return { ok: false, problem: describe(error) };
  const dropped = given === values ? [] : ['null_dropped' as const];
  return { ok: true, values: coerced, repairs: [...dropped, ...coercion.repairs] };
}

/**
 * Omits each null of an optional parameter that does not allow null: models write such a null for "not given" (rule:
 * values).
 */
function withoutNulls(values: Values, { properties, required }: Schema): Values {
  const given = Object.entries(values).filter(([key, value]) => {
    const declared = value === null && !required?.includes(key) ? ownSchema(properties, key) : null;
    return !declared || errorsIn(value, declared).length === 0;
  });
  return given.length === Object.keys(values).length ? values : Object.fromEntries(given);
}

const tooMuchToCheck = {
  ok: false,
  problem: `the arguments are too large to be checked (more than ${MAX_STEPS} steps); write less`,
} as const;

/**
 * Describes why a value does not fit a JSON Schema; null if it fits. Unlike arguments, the value is
 * not coerced. With a schema that cannot be expanded, every value fits, so the caller must reject
 * such a schema first.
 */
export function findMismatch(value: JsonValue, schema: Readonly<Record<string, unknown>>): string | null {
  const expanded = expandSchema(schema);
  if (!expanded) return null;
  if (!canBeChecked(value, expanded)) return `it is too large to be checked (more than ${MAX_STEPS} steps)`;
  const error = innermost(errorsIn(value, expanded.schema));
  return error ? describe(error) : null;
}

/**
 * Describes where a value is: the object or array that holds it, its key there, and the name of the enclosing property.
 */
interface ValuePlace {
  readonly holder: object;
  readonly key: string | number;
  readonly name: string;
}

class Coercion {
  /** True if a string was decoded to the structure it encodes. */
  decodes = false;
  readonly #repairs = new Set<Repair>();
  readonly #spellings: Spellings;

  constructor(spellings: Spellings) {
    this.#spellings = spellings;
  }

  get repairs(): Repair[] {
    return [...this.#repairs];
  }

  coerceObject(values: Values, schema: Schema): Values {
    const changes = new Map<string, JsonValue>();
    for (const [key, value] of schema.properties ? Object.entries(values) : []) {
      const declared = ownSchema(schema.properties, key);
      const coerced = declared ? this.#coerce(value, declared, { holder: values, key, name: key }) : value;
      if (coerced !== value) changes.set(key, coerced);
    }
    if (changes.size === 0) return values;
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, changes.get(key) ?? value]));
  }

  #coerce(value: JsonValue, schema: Schema, place: ValuePlace): JsonValue {
    if (Array.isArray(value)) {
      const items = isSchema(schema.items) ? schema.items : null;
      if (!items) return value;
      return value.map((item, key) => this.#coerce(item, items, { holder: value, key, name: place.name }));
    }
    if (typeof value === 'object' && value !== null) return this.coerceObject(value, schema);
    const types = declaredTypes(schema);
    if (types.size === 0 || [...types].some((type) => isOfType(value, type))) return value;
    if (errorsIn(value, schema).length === 0) return value; // An alternative without a type accepts the value.
    for (const type of types) {
      const coerced = this.#convert(value, type, place);
      if (coerced === undefined) continue;
      this.#repairs.add(`coerced:${place.name}`);
      if (typeof coerced === 'object') this.decodes = true;
      return coerced;
    }
    return value;
  }

  #convert(value: JsonValue, type: string, { holder, key }: ValuePlace): JsonValue | undefined {
    const spelling = this.#spellings.get(holder)?.get(key);
    if (type === 'string') {
      if (typeof value === 'number') return spelling ?? String(value);
      return typeof value === 'boolean' ? String(value) : undefined;
    }
    if (typeof value !== 'string') return undefined;
    if (type === 'number' || type === 'integer')
      return toNumber(spelling === value ? withoutLeadingZeros(value) : value, type);
    if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
    return type === 'array' || type === 'object' ? toStructure(value, type, this.#spellings) : undefined;
  }
}

/** Returns the types that a schema or its alternatives name, as in `anyOf: [integer, null]`. */
export function declaredTypes(schema: Schema): ReadonlySet<string> {
  const alternatives: unknown[] = [schema, schema.anyOf, schema.oneOf, schema.allOf].flat();
  const types = alternatives.flatMap((each) => (isSchema(each) ? each.type : []));
  return new Set(types.filter((type) => typeof type === 'string'));
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

/**
 * Converts digits only if they convert back to the same text: "00123", "1e3" and numbers beyond a double's
 * range stay text.
 */
function toNumber(text: string, type: string): number | undefined {
  const value = Number(text);
  if (String(value) !== text || !Number.isFinite(value)) return undefined;
  if (Number.isInteger(value) ? !Number.isSafeInteger(value) : type === 'integer') return undefined;
  return value;
}

/** Removes the leading zeros of unquoted digits, as LFM2 writes them: `-007`. */
const withoutLeadingZeros = (digits: string): string => digits.replace(/^\+?(-?)0+(?=\d)/, '$1');

function toStructure(text: string, type: 'array' | 'object', spellings: Spellings): JsonValue | undefined {
  if (!text.trimStart().startsWith(type === 'array' ? '[' : '{')) return undefined;
  const decoded = decode(text, spellings);
  return decoded !== undefined && Array.isArray(decoded) === (type === 'array') ? decoded : undefined;
}

export function ownSchema(properties: Schema['properties'], key: string): Schema | null {
  const declared = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isSchema(declared) ? declared : null;
}

function firstError(values: Values, schema: Schema): OutputUnit | undefined {
  return innermost(errorsIn(values, onlyWhatIsGiven(schema, values)));
}

const innermost = (errors: readonly OutputUnit[]): OutputUnit | undefined =>
  errors.findLast((error) => !wrapping.has(error.keyword)) ?? errors[0];

/** Validates a value. A schema that the library cannot use reports no errors. */
function errorsIn(value: JsonValue, schema: Schema): readonly OutputUnit[] {
  try {
    // The references in the schema are already expanded, so the validator needs no lookup table.
    const { valid, errors } = validate(value, schema, '2019-09', {});
    return valid ? [] : errors;
  } catch {
    return [];
  }
}

/** Removes from the schema the properties that the call does not have; the validator would visit each of them. */
function onlyWhatIsGiven(schema: Schema, values: Values): Schema {
  const { properties } = schema;
  if (!properties) return schema;
  const given = Object.keys(values).filter((key) => Object.hasOwn(properties, key));
  return { ...schema, properties: Object.fromEntries(given.map((key) => [key, properties[key] ?? true])) };
}

/** Keywords whose errors only repeat that a nested value has an error. */
const wrapping = new Set(['properties', 'items', 'allOf', '$ref', 'additionalItems', 'prefixItems']);

function describe({ instanceLocation, keyword, error }: OutputUnit): string {
  const path = instanceLocation.split('/').slice(1).map(decodePointer).join('.');
  const words = shorten(error.replaceAll('"', '`').replace(/\.$/, ''), 200);
  return path === '' || keyword === 'required' ? words : `\`${shorten(path)}\`: ${words}`;
}
