import type { TurnInput } from '../../contract/history.js';
import { observationText } from '../../conversation/observation-text.js';
import { callsOf, readUnits } from '../../conversation/units.js';

/**
 * A history on its way to a vendor's shape: the calls of one step are together, each result follows its call,
 * and nothing is empty. `origin` is the turn's place in our history; null for what only vendors need.
 */
export type ConversationItem = TextItem | CallsItem | ResultItem;

export interface TextItem {
  readonly type: 'text';
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly origin: Origin;
}

interface CallsItem {
  readonly type: 'calls';
  /** What the assistant says beside its calls; may be empty. */
  readonly text: string;
  readonly calls: readonly ConversationCall[];
}

export interface ResultItem {
  readonly type: 'result';
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
  readonly origin: Origin;
}

interface ConversationCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
}

type Origin = number | null;

/** A turn in its place; with a call, what vendors call it by, and where its result is. */
interface PlacedTurn {
  readonly turn: TurnInput;
  readonly origin: number;
  readonly call?: ConversationCall & { readonly result: PlacedTurn | undefined };
}

/** Vendors refuse empty messages, and calls without results. */
const EMPTY = '(empty)';
const NOT_RUN = 'Not run.';

/** What the turns become; every turn is in exactly one item. */
export function toItems(history: readonly TurnInput[]): ConversationItem[] {
  const placed = placeTurns(history);
  const results = new Set(placed.map(({ call }) => call?.result));
  const items: ConversationItem[] = [];
  let group: PlacedTurn[] = [];
  const endGroup = () => {
    items.push(...groupItems(group));
    group = [];
  };
  for (const each of placed.filter((turn) => !results.has(turn))) {
    const joins = each.call && each.turn.content === '' && group.at(-1)?.origin === each.origin - 1;
    if (!joins) endGroup();
    if (each.call) group.push(each);
    else items.push(textItem(each));
  }
  endGroup();
  return items;
}

/** The turns that a vendor's conversation amounts to; `residue` knows the rest. */
export function toTurns(items: readonly ConversationItem[]): TurnInput[] {
  return items.flatMap((item): TurnInput[] => {
    if (item.type === 'text') return [{ role: item.role, content: item.text }];
    if (item.type === 'result') return [resultTurn(item)];
    return item.calls.map(({ id, name, args }, index) => ({
      role: 'assistant',
      content: index === 0 ? item.text : '',
      toolCall: { name, parameters: args, id },
    }));
  });
}

/** Where each of the turns of `toTurns` stood in our history. */
export const originsOf = (items: readonly ConversationItem[]): readonly Origin[] =>
  items.flatMap((item) => (item.type === 'calls' ? item.calls.map(({ origin }) => origin) : [item.origin]));

function resultTurn({ callId, text, isError }: ResultItem): TurnInput {
  const turn = { role: 'tool_observation' as const, content: text, toolCallId: callId };
  return isError ? { ...turn, toolResult: { success: false } } : turn;
}

function placeTurns(history: readonly TurnInput[]): PlacedTurn[] {
  const taken = new Set<string>();
  const placed: PlacedTurn[] = history.map((turn, origin) => ({ turn, origin }));
  for (const { index, id, name, parameters, observation } of callsOf(readUnits(history))) {
    const result = observation && placed[observation.index];
    const call = { id: uniqueId(id, taken), name, args: parameters, origin: index, result };
    const turn = placed[index];
    if (turn) placed[index] = { ...turn, call };
  }
  return placed;
}

/** Vendors allow letters, digits, `_` and `-`, and no id twice. */
function uniqueId(id: string, taken: Set<string>): string {
  const base = id.replace(/[^\w-]/g, '_').slice(0, 48) || 'call';
  let unique = base;
  for (let count = 2; taken.has(unique); count++) unique = `${base}_${count}`;
  taken.add(unique);
  return unique;
}

function groupItems(group: readonly PlacedTurn[]): ConversationItem[] {
  const calls = group.flatMap(({ call }) => call ?? []);
  if (calls.length === 0) return [];
  const text = group[0]?.turn.content ?? '';
  return [{ type: 'calls', text, calls }, ...calls.map(resultItem)];
}

function resultItem({ id, result }: NonNullable<PlacedTurn['call']>): ResultItem {
  if (!result) return { type: 'result', callId: id, text: NOT_RUN, isError: true, origin: null };
  const { turn, origin } = result;
  const isError = turn.toolResult?.success === false;
  const text = observationText(turn);
  return { type: 'result', callId: id, text: text.trim() === '' ? EMPTY : text, isError, origin };
}

/** A turn that is neither a call nor a call's result: an observation without a call is told by the user. */
function textItem({ turn, origin }: PlacedTurn): TextItem {
  const role = turn.role === 'assistant' ? 'assistant' : 'user';
  const text = turn.role === 'tool_observation' ? observationText(turn) : turn.content;
  return { type: 'text', role, text: text.trim() === '' ? EMPTY : text, origin };
}

/** Vendors allow letters, digits, `_` and `-` in a tool's name; ours may have dots. */
export const toVendorName = (name: string): string => name.replaceAll('.', '__dot__');

export const fromVendorName = (name: string): string => name.replaceAll('__dot__', '.');
