import { isObject } from '../../../contract/fields.js';
import type { Turn } from '../../../contract/history.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { resultText } from '../../../conversation/observation-text.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { type OfferedTool, OfferedTools, parameterOrder } from '../../../parsing/arguments/offered-tool.js';

/**
 * Some clients send the same tools, arguments and results in each step with their keys in a different order. This
 * file sorts the keys, so that the prompt stays the same byte for byte
 * (rules: tool-order, observation-text, stable-prompt). A value whose keys are already in order is returned
 * unchanged.
 */

/**
 * Maximum number of keys that are sorted. Larger objects keep their order, because sorting them would block
 * the event loop.
 */
const MAX_SORTED_KEYS = 1_000;

/** Sort ranks of the keys that come first. All other keys follow, sorted by name. */
type Ranks = ReadonlyMap<string, number>;

const byNameAlone: Ranks = new Map();

/** The schema keywords that come first, because readers look for them first. */
const firstKeywords: Ranks = ranksOf(['type', 'description']);

function ranksOf(names: readonly string[]): Ranks {
  return new Map(names.map((name, place) => [name, place]));
}

/** Sorts the keys in the schemas of tools. */
export async function orderTools(
  tools: readonly ToolDefinition[],
  signal: AbortSignal | undefined,
): Promise<ToolDefinition[]> {
  const ordered: ToolDefinition[] = [];
  for (const tool of tools) {
    await yieldIfBusy(signal);
    const inputSchema = orderSchema(tool.inputSchema);
    ordered.push(inputSchema === tool.inputSchema ? tool : { ...tool, inputSchema });
  }
  return ordered;
}

/** Sorts the arguments of calls as in their tools' signatures, and writes results that have no `content` as text. */
export async function orderTurns(
  turns: readonly Turn[],
  offered: readonly OfferedTool[],
  signal: AbortSignal | undefined,
): Promise<Turn[]> {
  const ranksFor = ranksOfTools(offered);
  const ordered: Turn[] = [];
  for (const turn of turns) {
    await yieldIfBusy(signal);
    ordered.push(writeResult(orderArguments(turn, ranksFor)));
  }
  return ordered;
}

/**
 * Returns a memoized lookup of ranks by tool name. It computes them only for the tools that the history calls,
 * which may be far fewer than the request offers.
 */
function ranksOfTools(offered: readonly OfferedTool[]): (name: string) => Ranks {
  const tools = OfferedTools.of(offered);
  const cache = new Map<string, Ranks>();
  return (name) => {
    const ranks = cache.get(name) ?? ranksOf(tools.find(name)?.parameters ?? []);
    cache.set(name, ranks);
    return ranks;
  };
}

function orderArguments(turn: Turn, ranksFor: (name: string) => Ranks): Turn {
  const { toolCall } = turn;
  if (!toolCall) return turn;
  const parameters = orderObject(toolCall.parameters, ranksFor(toolCall.name), orderKeys);
  return parameters === toolCall.parameters ? turn : { ...turn, toolCall: { ...toolCall, parameters } };
}

function writeResult(turn: Turn): Turn {
  const result = turn.toolResult?.result;
  if (turn.content !== '' || typeof result !== 'object' || result === null) return turn;
  return { ...turn, content: resultText(orderKeys(result)) };
}

/** Sorts the keys of all objects in a JSON value by name. */
function orderKeys(value: unknown): unknown {
  if (Array.isArray(value)) return mapItems(value, orderKeys);
  return isObject(value) ? orderObject(value, byNameAlone, orderKeys) : value;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Sorts the keys of a schema: keywords by name, properties in the order of the signature. */
export function orderSchema(schema: JsonObject): JsonObject {
  return orderObject(schema, firstKeywords, (value, keyword) =>
    keyword === 'properties' && isObject(value) && isSortable(Object.keys(value))
      ? orderObject(value, ranksOf(parameterOrder(schema)), orderSchemas)
      : orderSchemas(value),
  );
}

/**
 * Sorts the keys of all objects in a schema in the order of schema keywords. This includes values in `default` and
 * `enum`, where the order of keys has no meaning.
 */
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

const isSortable = ({ length }: readonly string[]): boolean => length > 0 && length <= MAX_SORTED_KEYS;

/** Sorts keys by rank, then by name. Returns the same list if it is already in order. */
function inOrder(keys: readonly string[], ranks: Ranks): readonly string[] {
  const rank = (key: string): number => ranks.get(key) ?? ranks.size;
  const compare = (one: string, other: string): number => rank(one) - rank(other) || (one < other ? -1 : 1);
  const isInOrder = keys.every((key, at) => at === 0 || compare(keys[at - 1] ?? '', key) < 0);
  return isInOrder ? keys : keys.toSorted(compare);
}
