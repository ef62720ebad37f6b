import { isObject } from '../../../contract/fields.js';
import type { Turn } from '../../../contract/history.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { resultText } from '../../../conversation/observation-text.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { type OfferedTool, OfferedTools, parameterOrder } from '../../../parsing/arguments/offered-tool.js';
import { countValues } from './json-values.js';

/**
 * Clients whose maps reorder keys send the same tools, arguments and results in another order with each step. Here
 * they get one order, so that the prompt keeps its bytes (rules: tool-order, observation-text, stable-prompt). What is in order
 * already, and most is, stays the very value.
 */

/** Objects with more keys stay as they come: sorting them would hold the event loop. */
const MOST_SORTED = 1_000;

/** What ordering one value books of the event loop, and writing one character. */
const ORDERING = 16;
const WRITING = 1 / 8;

/** Keys that come first, by their place; everything else comes by name. */
type Ranks = ReadonlyMap<string, number>;

const byNameAlone: Ranks = new Map();

/** What a reader of a schema looks for first. */
const firstKeywords: Ranks = ranksOf(['type', 'description']);

function ranksOf(names: readonly string[]): Ranks {
  return new Map(names.map((name, place) => [name, place]));
}

/** Tools whose schemas have their keys in order: keywords, and the properties as the signature shows them. */
export async function orderTools(
  tools: readonly ToolDefinition[],
  signal: AbortSignal | undefined,
): Promise<ToolDefinition[]> {
  const ordered: ToolDefinition[] = [];
  for (const tool of tools) {
    await eventLoopShare.take(ORDERING * countValues(tool.inputSchema), signal);
    const inputSchema = orderSchema(tool.inputSchema);
    ordered.push(inputSchema === tool.inputSchema ? tool : { ...tool, inputSchema });
  }
  return ordered;
}

/** Turns with their arguments as their tool's signature shows them, and with the results that are shown as text. */
export async function orderTurns(
  turns: readonly Turn[],
  offered: readonly OfferedTool[],
  signal: AbortSignal | undefined,
): Promise<Turn[]> {
  const ranksFor = ranksOfTools(offered);
  const ordered: Turn[] = [];
  for (const turn of turns) {
    const values = countValues(turn.toolCall?.parameters) + countValues(turn.toolResult?.result);
    const pause = eventLoopShare.take(ORDERING * values, signal);
    if (pause) await pause;
    const shown = writeResult(orderArguments(turn, ranksFor));
    if (shown.content !== turn.content) await eventLoopShare.take(WRITING * shown.content.length, signal);
    ordered.push(shown);
  }
  return ordered;
}

/** Made for the tools that are called: many more may be offered. */
function ranksOfTools(offered: readonly OfferedTool[]): (name: string) => Ranks {
  const tools = OfferedTools.of(offered);
  const made = new Map<string, Ranks>();
  return (name) => {
    const ranks = made.get(name) ?? ranksOf(tools.find(name)?.parameters ?? []);
    made.set(name, ranks);
    return ranks;
  };
}

function orderArguments(turn: Turn, ranksFor: (name: string) => Ranks): Turn {
  const { toolCall } = turn;
  if (!toolCall) return turn;
  const parameters = orderObject(toolCall.parameters, ranksFor(toolCall.name), orderKeys);
  return parameters === toolCall.parameters ? turn : { ...turn, toolCall: { ...toolCall, parameters } };
}

/** A result is written once, here: reading the history finds it as text. */
function writeResult(turn: Turn): Turn {
  const result = turn.toolResult?.result;
  if (turn.content !== '' || typeof result !== 'object' || result === null) return turn;
  return { ...turn, content: resultText(orderKeys(result)) };
}

/** A JSON value with the keys of all its objects by name. */
function orderKeys(value: unknown): unknown {
  if (Array.isArray(value)) return mapItems(value, orderKeys);
  return isObject(value) ? orderObject(value, byNameAlone, orderKeys) : value;
}

type JsonObject = Readonly<Record<string, unknown>>;

function orderSchema(schema: JsonObject): JsonObject {
  return orderObject(schema, firstKeywords, (value, keyword) =>
    keyword === 'properties' && isObject(value) && isSortable(Object.keys(value))
      ? orderObject(value, ranksOf(parameterOrder(schema)), orderSchemas)
      : orderSchemas(value),
  );
}

/** Whatever stands in a schema is ordered as one: a `default` or an `enum` loses nothing by it. */
function orderSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return mapItems(value, orderSchemas);
  return isObject(value) ? orderSchema(value) : value;
}

function mapItems(items: readonly unknown[], order: (item: unknown) => unknown): readonly unknown[] {
  const ordered = items.map(order);
  return ordered.every((item, at) => item === items[at]) ? items : ordered;
}

function orderObject(
  object: JsonObject,
  ranks: Ranks,
  order: (value: unknown, key: string) => unknown,
): JsonObject {
  const keys = Object.keys(object);
  if (!isSortable(keys)) return object;
  const names = inOrder(keys, ranks);
  const values = names.map((name) => order(object[name], name));
  if (names === keys && keys.every((key, at) => object[key] === values[at])) return object;
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

const isSortable = ({ length }: readonly string[]): boolean => length > 0 && length <= MOST_SORTED;

/** The very list if it is in order. */
function inOrder(keys: readonly string[], ranks: Ranks): readonly string[] {
  const rank = (key: string): number => ranks.get(key) ?? ranks.size;
  const compare = (one: string, other: string): number => rank(one) - rank(other) || (one < other ? -1 : 1);
  const isInOrder = keys.every((key, at) => at === 0 || compare(keys[at - 1] ?? '', key) < 0);
  return isInOrder ? keys : keys.toSorted(compare);
}
