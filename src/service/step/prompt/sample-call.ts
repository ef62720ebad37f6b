import { isObject } from '../../../contract/fields.js';
import { renderCall, renderJsonAction, renderXmlCall } from '../../../conversation/call-text.js';
import { checkArguments } from '../../../parsing/arguments/check-arguments.js';
import { expandSchema } from '../../../parsing/arguments/expand-schema.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import { signature } from '../../../parsing/dialects/written-call.js';
import type { JsonValue } from '../../../parsing/text/scanner.js';
import type { TaughtProtocol } from '../types.js';

/** Maximum number of parameters in the sample call of a tool without required parameters. */
const MAX_OPTIONAL_PARAMETERS = 2;
/**
 * Limits of a sample call. A tool that needs more gets no sample, because the sample is part of every prompt and a
 * schema may require millions of values.
 */
const MAX_ITEMS = 3;
const MAX_DEPTH = 4;
const MAX_TEXT_CHARACTERS = 80;
const MAX_VALUES = 24;
const MAX_SAMPLE_CHARACTERS = 1_000;

/**
 * Writes a sample call of a tool in the form that the prompt asks for. Its values pass the same check as a real call.
 * The same tool always gets the same sample (rule: worked-example). Returns the tool's signature if no such values
 * are found. `text` is the value of every string, by default a hint such as `some path`.
 */
export function sampleCall(tool: OfferedTool, protocol: TaughtProtocol, text?: string): string {
  const parameters = sampleArguments(tool, text);
  if (!parameters) return signature(tool);
  if (protocol === 'xml') return renderXmlCall(tool.name, parameters);
  if (protocol === 'json') return renderJsonAction(`I use ${tool.name}.`, tool.name, parameters);
  if (protocol === 'native') return `${tool.name}(${JSON.stringify(parameters)})`;
  return `Thought: I use ${tool.name}.\nAction: ${renderCall(tool.name, parameters)}`;
}

/**
 * Proposes a few arguments that pass the check of a real call; undefined if none are found. `text` is the value of
 * every string, by default a hint such as `some path`.
 */
export function sampleArguments(tool: OfferedTool, text?: string): Record<string, JsonValue> | undefined {
  const written = { values: 0 };
  const parameters = proposeArguments(tool, { depth: 0, text, written });
  if (written.values > MAX_VALUES || JSON.stringify(parameters).length > MAX_SAMPLE_CHARACTERS)
    return undefined;
  return checkArguments(parameters, tool.inputSchema, new WeakMap()).ok ? parameters : undefined;
}

function proposeArguments(
  { parameters, inputSchema = {} }: OfferedTool,
  place: Place,
): Record<string, JsonValue> {
  const schema: unknown = expandSchema(inputSchema)?.schema;
  const { properties, required } = isObject(schema) ? schema : {};
  const wanted = new Set(Array.isArray(required) ? required : []);
  const needed = parameters.filter((name) => wanted.has(name));
  const names = needed.length > 0 ? needed : parameters.slice(0, MAX_OPTIONAL_PARAMETERS);
  return sampleEach(names, properties, place);
}

/** Proposes a value for each name. Stops at one value above the maximum, which is enough to reject the sample. */
function sampleEach(names: readonly string[], properties: unknown, place: Place): Record<string, JsonValue> {
  const few = names.slice(0, MAX_VALUES + 1);
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
  /** Value of all strings instead of hints such as `some path`. */
  readonly text: string | undefined;
  /** Number of values in the whole sample so far. */
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
    Array.from({ length: Math.min(numberOr(minItems, 0), MAX_ITEMS) }, () =>
      sampleValue(name, items, below(place)),
    ),
  object: sampleObject,
  null: () => null,
};

/** Returns a value that the schema lists, such as one of its `enum`; otherwise a value of the schema's type. */
function sampleValue(name: string, schema: unknown, place: Place): JsonValue {
  place.written.values += 1;
  if (place.written.values > MAX_VALUES) return null; // too many values: the caller rejects the sample
  if (!isObject(schema)) return place.text ?? `some ${name}`;
  const { const: only, default: usual, examples, enum: allowed, type, anyOf, oneOf } = schema;
  const named = [only, ...listOf(examples), usual, ...listOf(allowed)].find((value) => isShort(value));
  // Cast: a schema was parsed from JSON, so every value in it is a JSON value.
  if (named !== undefined) return named as JsonValue;
  const [alternative] = [...listOf(anyOf), ...listOf(oneOf)];
  if (type === undefined && alternative !== undefined && place.depth < MAX_DEPTH)
    return sampleValue(name, alternative, below(place));
  const first = String(Array.isArray(type) ? type[0] : type);
  const sample = Object.hasOwn(samplesByType, first) ? samplesByType[first] : undefined;
  return sample && place.depth < MAX_DEPTH ? sample(schema, name, place) : sampleText(schema, name, place);
}

function sampleObject({ properties, required }: SchemaObject, _: string, place: Place): JsonValue {
  const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string');
  return sampleEach(names, properties, below(place));
}

/** Returns 1, or the nearest number within the schema's bounds. */
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
  const least = Math.min(numberOr(minLength, 0), MAX_TEXT_CHARACTERS);
  return (text ?? `some ${name}`).padEnd(least, '.').slice(0, numberOr(maxLength, Infinity));
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, 1) : []);

/** Caches whether a value is short enough for a sample, because a schema may refer to one value in many places. */
const shortness = new WeakMap<object, boolean>();

function isShort(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS) return false;
  const cached = typeof value === 'object' ? shortness.get(value) : undefined;
  const short = cached ?? JSON.stringify(value).length <= MAX_TEXT_CHARACTERS;
  if (typeof value === 'object') shortness.set(value, short);
  return short;
}
