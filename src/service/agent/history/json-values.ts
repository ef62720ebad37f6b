import { isObject } from '../../../contract/fields.js';
import type { Turn } from '../../../contract/history.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import type { PairedCall, Unit } from '../../../conversation/units.js';
import { parameterOrder } from '../../parsing/arguments/offered-tool.js';

/** All strings inside a JSON value, keys not counted. */
export function stringsIn(value: unknown): string[] {
  const strings: string[] = [];
  collectStrings(value, strings);
  return strings;
}

function collectStrings(value: unknown, strings: string[]): void {
  if (typeof value === 'string') strings.push(value);
  else if (Array.isArray(value)) for (const each of value) collectStrings(each, strings);
  else if (isObject(value)) for (const key in value) collectStrings(value[key], strings);
}

/** The value with each string inside it replaced, keys left as they are. */
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, map)]));
}

/**
 * A value with U+FFFD for every NUL in its strings and keys; the very value if it has none. A request may hold
 * no NUL (rule: error-table), and whatever a model says must be fit to be sent back.
 */
export function withoutNul<Value>(value: Value): Value {
  return hasNul(value) ? (replaceNul(value) as Value) : value; // only characters of strings differ
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (Array.isArray(value)) return value.some(hasNul);
  return isObject(value) && Object.entries(value).some((entry) => entry.some(hasNul));
}

function replaceNul(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(replaceNul);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [replaceNul(key), replaceNul(each)]));
}

/**
 * Clients whose maps reorder keys send the same tools, arguments and results in another order with each step. Here
 * they get one order, so that the prompt keeps its bytes (rules: tool-order, observation-text, stable-prompt).
 */

/** Objects with more keys stay as they come: sorting them would hold the event loop. */
const MOST_SORTED = 1_000;

/** What a reader of a schema looks for first; everything else comes by name. */
const FIRST_KEYWORDS = ['type', 'description'];

/** A tool whose schema has its keys in order: keywords, and the properties as its signature shows them. */
export function orderTool(tool: ToolDefinition): ToolDefinition {
  return { ...tool, inputSchema: orderSchema(tool.inputSchema) };
}

/** A call's arguments as its tool's signature shows them, the rest by name. */
function orderArguments(
  parameters: PairedCall['parameters'],
  signature: readonly string[],
): PairedCall['parameters'] {
  return orderObject(parameters, signature, orderKeys);
}

/** The unit with the arguments of its calls in order. */
export function orderUnit(unit: Unit, signatures: ReadonlyMap<string, readonly string[]>): Unit {
  if (unit.type !== 'action') return unit;
  const calls = unit.calls.map((call) => ({
    ...call,
    parameters: orderArguments(call.parameters, signatures.get(call.name) ?? []),
  }));
  return { ...unit, calls };
}

/** The turn with the keys of its tool's result by name, if it is the result that is shown. */
export function orderResult(turn: Turn): Turn {
  const { content, toolResult } = turn;
  if (content !== '' || typeof toolResult?.result !== 'object') return turn;
  return { ...turn, toolResult: { ...toolResult, result: orderKeys(toolResult.result) } };
}

/** A JSON value with the keys of all its objects by name. */
export function orderKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(orderKeys);
  return isObject(value) ? orderObject(value, [], orderKeys) : value;
}

function orderSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = parameterOrder(schema);
  return orderObject(schema, FIRST_KEYWORDS, (value, keyword) => {
    if (keyword === 'properties' && isObject(value)) return orderObject(value, names, orderSchemas);
    return orderSchemas(value);
  });
}

/** Whatever stands in a schema is ordered as one: a `default` or an `enum` loses nothing by it. */
function orderSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(orderSchemas);
  return isObject(value) ? orderSchema(value) : value;
}

function orderObject(
  object: Readonly<Record<string, unknown>>,
  first: readonly string[],
  order: (value: unknown, key: string) => unknown,
): Readonly<Record<string, unknown>> {
  if (keepsItsOrder(object)) return object;
  const keys = Object.keys(object).sort();
  const ordered = new Set([...first.filter((key) => Object.hasOwn(object, key)), ...keys]);
  return Object.fromEntries([...ordered].map((key) => [key, order(object[key], key)]));
}

/** Nothing to sort, or too much. */
function keepsItsOrder(object: Readonly<Record<string, unknown>>): boolean {
  let keys = 0;
  for (const _ in object) {
    keys += 1;
    if (keys > MOST_SORTED) return true;
  }
  return keys === 0;
}
