import { isObject } from '../../../contract/fields.js';
import { renderCall, renderJsonAction, renderXmlCall } from '../../../conversation/call-text.js';
import { checkArguments } from '../../../parsing/arguments/check-arguments.js';
import { expandSchema } from '../../../parsing/arguments/expand-schema.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import { signature } from '../../../parsing/dialects/written-call.js';
import type { JsonValue } from '../../../parsing/text/scanner.js';
import type { TaughtProtocol } from './render-unit.js';

/** So many parameters of a tool that requires none show how it is called. */
const MOST_OPTIONAL = 2;
/** A sample that would need more items, or lies deeper, is not written. */
const MOST_ITEMS = 3;
const DEEPEST = 4;
const LONGEST_TEXT = 80;
/** Nor one of more values or characters: it is read with every step, and a schema may ask for millions. */
const MOST_VALUES = 24;
const LONGEST_SAMPLE = 1_000;

/**
 * A call of a tool in the very form that the model is taught, with the tool's own parameters and values that pass the
 * check of a real call: the same for the same tool (rule: worked-example). Where no such values are found, the
 * tool's signature.
 */
export function sampleCall(tool: OfferedTool, protocol: TaughtProtocol): string {
  const parameters = sampleArguments(tool);
  if (!parameters) return signature(tool);
  if (protocol === 'xml') return renderXmlCall(tool.name, parameters);
  if (protocol === 'json') return renderJsonAction(`I use ${tool.name}.`, tool.name, parameters);
  if (protocol === 'native') return `${tool.name}(${JSON.stringify(parameters)})`;
  return `Thought: I use ${tool.name}.\nAction: ${renderCall(tool.name, parameters)}`;
}

/** Few values that pass the check of a real call, or none; a text says what belongs there, or else `text`. */
export function sampleArguments(tool: OfferedTool, text?: string): Record<string, JsonValue> | undefined {
  const written = { values: 0 };
  const parameters = proposeArguments(tool, { depth: 0, text, written });
  if (written.values > MOST_VALUES || JSON.stringify(parameters).length > LONGEST_SAMPLE) return undefined;
  return checkArguments(parameters, tool.inputSchema, new WeakMap()).ok ? parameters : undefined;
}

function proposeArguments(
  { parameters, inputSchema = {} }: OfferedTool,
  place: Place,
): Record<string, JsonValue> {
  const schema: unknown = expandSchema(inputSchema)?.schema;
  const { properties, required } = isObject(schema) ? schema : {};
  const wanted = new Set(Array.isArray(required) ? required : []);
  const shown = parameters.filter((name) => wanted.has(name));
  const names = shown.length > 0 ? shown : parameters.slice(0, MOST_OPTIONAL);
  return sampleEach(names, properties, place);
}

/** One name too many is enough to tell that the sample is none. */
function sampleEach(names: readonly string[], properties: unknown, place: Place): Record<string, JsonValue> {
  const few = names.slice(0, MOST_VALUES + 1);
  return Object.fromEntries(
    few.map((name) => [name, sampleValue(name, propertyOf(properties, name), place)]),
  );
}

function propertyOf(properties: unknown, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

type SchemaObject = Readonly<Record<string, unknown>>;

interface Place {
  readonly depth: number;
  /** What texts say, if not what belongs there. */
  readonly text: string | undefined;
  /** Counted over the whole sample. */
  readonly written: { values: number };
}

const below = ({ depth, ...place }: Place): Place => ({ depth: depth + 1, ...place });

const samplesByType: Readonly<
  Record<string, (schema: SchemaObject, name: string, place: Place) => JsonValue>
> = {
  integer: (schema) => sampleNumber(schema, 1),
  number: (schema) => sampleNumber(schema, 0),
  boolean: () => true,
  array: ({ minItems, items }, name, place) =>
    Array.from({ length: Math.min(numberOr(minItems, 0), MOST_ITEMS) }, () =>
      sampleValue(name, items, below(place)),
    ),
  object: sampleObject,
  null: () => null,
};

/** What the schema itself names as a value, else one of its type; a text says what belongs there. */
function sampleValue(name: string, schema: unknown, place: Place): JsonValue {
  place.written.values += 1;
  if (place.written.values > MOST_VALUES) return null; // there will be no sample
  if (!isObject(schema)) return place.text ?? `some ${name}`;
  const { const: only, default: usual, examples, enum: allowed, type, anyOf, oneOf } = schema;
  const named = [only, ...listOf(examples), usual, ...listOf(allowed)].find((value) => isShort(value));
  // a schema arrives as JSON, and so does every value in it
  if (named !== undefined) return named as JsonValue;
  const [alternative] = [...listOf(anyOf), ...listOf(oneOf)];
  if (type === undefined && alternative !== undefined && place.depth < DEEPEST)
    return sampleValue(name, alternative, below(place));
  const first = String(Array.isArray(type) ? type[0] : type);
  const sample = Object.hasOwn(samplesByType, first) ? samplesByType[first] : undefined;
  return sample && place.depth < DEEPEST ? sample(schema, name, place) : sampleText(schema, name, place);
}

function sampleObject({ properties, required }: SchemaObject, _: string, place: Place): JsonValue {
  const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string');
  return sampleEach(names, properties, below(place));
}

/** 1, or the value nearest to it that the bounds allow. */
function sampleNumber(schema: SchemaObject, step: number): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const unit = numberOr(multipleOf, step);
  const above = numberOr(exclusiveMinimum, -Infinity) + (unit || 1);
  const below = numberOr(exclusiveMaximum, Infinity) - (unit || 1);
  const least = Math.max(numberOr(minimum, -Infinity), above);
  const most = Math.min(numberOr(maximum, Infinity), below);
  const near = Math.min(Math.max(1, least), most);
  if (unit === 0) return near;
  const rounded = Math.ceil(near / unit) * unit;
  return rounded > most ? Math.floor(near / unit) * unit : rounded;
}

function sampleText({ minLength, maxLength }: SchemaObject, name: string, { text }: Place): string {
  const least = Math.min(numberOr(minLength, 0), LONGEST_TEXT);
  return (text ?? `some ${name}`).padEnd(least, '.').slice(0, numberOr(maxLength, Infinity));
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, 1) : []);

/** A value of a schema that is referred to many times is looked through once. */
const shortness = new WeakMap<object, boolean>();

/** A sample is read with every step: a long one is none. */
function isShort(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string' && value.length > LONGEST_TEXT) return false;
  const known = typeof value === 'object' ? shortness.get(value) : undefined;
  const short = known ?? JSON.stringify(value).length <= LONGEST_TEXT;
  if (typeof value === 'object') shortness.set(value, short);
  return short;
}
