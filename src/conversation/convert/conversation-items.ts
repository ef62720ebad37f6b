import type { Attachment } from '../../contract/attachment.js';
import type { Turn, TurnInput } from '../../contract/history.js';
import { observationText } from '../observation-text.js';
import { callsOf, readUnits } from '../units.js';

/**
 * An item of the intermediate form between our history and a vendor's messages. The calls of one step are one item,
 * and their results follow it. Text items and results are never empty. `origin` is the index of the turn in our
 * history; null for items that exist only because a vendor requires them.
 */
export type ConversationItem = TextItem | CallsItem | ResultItem;

export interface TextItem {
  readonly type: 'text';
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly origin: Origin;
  /** Images and files that the user sent with the text. */
  readonly attachments?: readonly Attachment[];
  /** State that the provider needs back together with the text. */
  readonly providerState?: unknown;
}

interface CallsItem {
  readonly type: 'calls';
  /** Text that the assistant wrote before its calls; may be empty. */
  readonly text: string;
  readonly calls: readonly ConversationCall[];
}

export interface ResultItem {
  readonly type: 'result';
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
  readonly origin: Origin;
  readonly attachments?: readonly Attachment[];
}

export interface ConversationCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  /** State that the provider needs back together with the call. */
  readonly providerState?: unknown;
}

type Origin = number | null;

/** A turn with its index in the history. A call also has the id that vendors accept, and the turn with its result. */
interface PlacedTurn {
  readonly turn: TurnInput;
  readonly origin: number;
  readonly call?: ConversationCall & { readonly result: PlacedTurn | undefined };
}

/**
 * Placeholders for empty texts and missing results, because vendors refuse empty messages and calls without
 * results.
 */
const EMPTY = '(empty)';
const NOT_RUN = 'Not run.';

/** Converts turns into items. Every turn becomes part of exactly one item. */
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

/** Converts items into turns. The turns lack the fields that items cannot express; `Residue` contains these. */
export function toTurns(items: readonly ConversationItem[]): Turn[] {
  return items.flatMap((item): Turn[] => {
    if (item.type === 'text')
      return [{ role: item.role, content: item.text, ...stateOf(item), ...attachmentsOf(item) }];
    if (item.type === 'result') return [resultTurn(item)];
    return item.calls.map((call, index) => ({
      role: 'assistant',
      content: index === 0 ? item.text : '',
      toolCall: { name: call.name, parameters: call.args, id: call.id },
      ...stateOf(call),
    }));
  });
}

const stateOf = ({ providerState }: { readonly providerState?: unknown }): Pick<Turn, 'provider_state'> =>
  providerState === undefined ? {} : { provider_state: providerState };

const attachmentsOf = ({ attachments = [] }: Pick<TextItem, 'attachments'>): Pick<Turn, 'attachments'> =>
  attachments.length === 0 ? {} : { attachments: [...attachments] };

/** Returns the index in our history of each turn that `toTurns` returns. */
export const originsOf = (items: readonly ConversationItem[]): readonly Origin[] =>
  items.flatMap((item) => (item.type === 'calls' ? item.calls.map(({ origin }) => origin) : [item.origin]));

function resultTurn({ callId, text, isError, ...item }: ResultItem): Turn {
  const turn = {
    role: 'tool_observation' as const,
    content: text,
    toolCallId: callId,
    ...attachmentsOf(item),
  };
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

/** Returns an id that vendors accept: letters, digits, `_` and `-`, unique in the conversation. */
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

/** Converts a turn that is neither a call nor a call's result. An observation without a call becomes user text. */
function textItem({ turn, origin }: PlacedTurn): TextItem {
  const role = turn.role === 'assistant' ? 'assistant' : 'user';
  const text = turn.role === 'tool_observation' ? observationText(turn) : turn.content;
  return { type: 'text', role, text: text.trim() === '' ? EMPTY : text, origin };
}

/** Replaces dots in a tool's name, because vendors allow only letters, digits, `_` and `-`. */
export const toVendorName = (name: string): string => name.replaceAll('.', '__dot__');

export const fromVendorName = (name: string): string => name.replaceAll('__dot__', '.');
