import type { Attachment } from '../contract/attachment.js';
import type { TurnInput } from '../contract/history.js';
import { isObject } from './is-object.js';
import { observationText } from './observation-text.js';

/**
 * A part of the history that is kept or left out as a whole (rules: pairing, fold): a text, or the calls of one
 * step with their observations.
 */
export type Unit = UserUnit | AssistantUnit | ActionUnit | StrayObservation;

/** An attachment of a unit with its token count, which is 0 until the count is estimated for a model. */
export interface UnitAttachment extends Pick<Attachment, 'media_type' | 'data'> {
  readonly tokens: number;
  readonly isEstimated: boolean;
}

/** The attachments of a turn in order. The first `leftOut` of them are not sent to the model. */
export interface Attachments {
  readonly all: readonly UnitAttachment[];
  readonly leftOut: number;
}

interface UserUnit {
  readonly type: 'user';
  readonly index: number;
  readonly content: string;
  /** True if the user's text is a task, false if it is a notice or a summary. */
  readonly isTask: boolean;
  readonly attachments?: Attachments;
}

interface AssistantUnit {
  readonly type: 'assistant';
  readonly index: number;
  readonly content: string;
  readonly providerState: unknown;
}

export interface ActionUnit {
  readonly type: 'action';
  readonly index: number;
  readonly thought: string;
  readonly calls: readonly PairedCall[];
  readonly providerState: unknown;
  /** True if the calls must be rendered as text even with native calling. */
  readonly isWritten?: boolean;
}

/** A call with its observation. */
export interface PairedCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Provider state of this call. Absent for the first call of a unit, whose state is stored in the unit. */
  readonly providerState?: unknown;
  /** The observation of the call; absent if the call was never run. */
  readonly observation?: Observation;
}

export interface Observation {
  readonly index: number;
  readonly text: string;
  readonly isError: boolean;
  readonly isDenied: boolean;
  readonly isTerminal: boolean;
  readonly attachments?: Attachments;
  /** Names of the tools that the turn lists in `tool_definitions`. */
  readonly toolNames?: readonly string[];
  /**
   * The tools that can be called after this observation; absent until a step has read their definitions (rule:
   * found-tools).
   */
  readonly found?: FoundHere;
}

/**
 * Deferred tools that an observation of `find_tools` makes callable, and how many of their definitions that
 * observation shows to the model.
 */
export interface FoundHere {
  readonly names: readonly string[];
  /**
   * Text of each definition, in the order of the names; empty for native calling, which sends the definitions
   * separately.
   */
  readonly definitions: readonly string[];
  /** Number of definitions that the model sees, counted from the first. */
  readonly shown: number;
}

/** An observation without a call; the prompt presents it as text of the user. */
interface StrayObservation {
  readonly type: 'stray_observation';
  readonly index: number;
  readonly observation: Observation;
}

interface OpenCall extends Omit<PairedCall, 'observation' | 'providerState'> {
  observation?: Observation;
  providerState?: unknown;
}

/** Maximum number of calls in a unit. Units are kept or dropped as a whole, so they must not grow without limit. */
const MAX_CALLS_PER_UNIT = 64;

/** Kinds of calls and observations that have no counterpart (rule: pairing-warnings). */
type MispairingKind =
  | 'unknown_tool_call_id'
  | 'call_without_observation'
  | 'observation_without_call'
  | 'duplicate_observation';

export interface Mispairing {
  readonly kind: MispairingKind;
  /** Index of the turn in the history. */
  readonly index: number;
}

/** A history as units, with the calls and observations that have no counterpart, in the order of the turns. */
export interface ReadHistory {
  readonly units: readonly Unit[];
  readonly mispairings: readonly Mispairing[];
}

/** Reads turns, oldest first, into units. Accepts any history that passes the schema. */
export function readUnits(history: readonly TurnInput[]): Unit[] {
  return [...readHistory(history).units];
}

/**
 * Reads turns into units, and reports calls and observations that have no counterpart. An observation belongs to
 * the call that was sent with its id. Without an id, or with an unknown one, it belongs to the oldest call that
 * has no observation yet (rule: pairing).
 */
export function readHistory(history: readonly TurnInput[]): ReadHistory {
  const units: Unit[] = [];
  const mispairings: Mispairing[] = [];
  const ids = new CallIds();
  const open = new OpenCalls();
  let calls: OpenCall[] = [];
  history.forEach((turn, index) => {
    if (turn.role === 'tool_observation') observe(turn, index);
    else if (turn.toolCall && turn.role === 'assistant') act(turn, index);
    else if (hasContent(turn)) units.push(toTextUnit(turn, index));
  });
  mispairings.push(...open.all().map(({ index }) => ({ kind: 'call_without_observation' as const, index })));
  return { units, mispairings: mispairings.sort((a, b) => a.index - b.index) };

  function act(turn: TurnInput, index: number): void {
    const call = readCall(turn, index, ids);
    open.add(call, turn.toolCall?.id ?? undefined);
    const { content: thought, provider_state: providerState } = turn;
    const followsCall = units.at(-1)?.type === 'action' && history[index - 1]?.toolCall;
    const isFurther = followsCall && thought === '' && !isOfWholeReply(providerState);
    if (isFurther && calls.length < MAX_CALLS_PER_UNIT) {
      if (providerState != null) call.providerState = providerState;
      calls.push(call);
      return;
    }
    calls = [call];
    units.push({ type: 'action', index, thought, calls, providerState });
  }

  function observe(turn: TurnInput, index: number): void {
    const observation = readObservation(turn, index);
    const { owner, isUnknown, isDuplicate } = open.take(turn.toolCallId ?? undefined);
    if (isUnknown) mispairings.push({ kind: 'unknown_tool_call_id', index });
    if (isDuplicate) mispairings.push({ kind: 'duplicate_observation', index });
    if (owner) owner.observation = observation;
    else units.push({ type: 'stray_observation', index, observation });
    if (!owner && !isDuplicate) mispairings.push({ kind: 'observation_without_call', index });
  }
}

/** Fields of the provider state of a further call. Only the first call of a reply has others. */
const CALL_STATE_FIELDS = ['provider', 'wire', 'family', 'tokens', 'call'];

/** Returns whether a provider state belongs to a whole reply, so that its turn begins one. */
const isOfWholeReply = (state: unknown): boolean =>
  isObject(state) && Object.keys(state).some((name) => !CALL_STATE_FIELDS.includes(name));

/** Calls with the same id, oldest first. The first `taken` of them already have their observation. */
interface NamedCalls {
  readonly calls: OpenCall[];
  taken: number;
}

/** The calls that have no observation so far, oldest first. */
class OpenCalls {
  readonly #open = new Set<OpenCall>();
  /** All calls, with or without an observation, by the id with which they were sent. */
  readonly #bySentId = new Map<string, NamedCalls>();
  /** All calls by the id that `CallIds` gave them because they were sent without one, or with one already taken. */
  readonly #byGivenId = new Map<string, NamedCalls>();

  add(call: OpenCall, sentId: string | undefined): void {
    this.#open.add(call);
    if (sentId) name(call, sentId, this.#bySentId);
    if (sentId !== call.id) name(call, call.id, this.#byGivenId);
  }

  /**
   * Finds the call that an observation belongs to, and removes it from the open calls. A call that was sent with the
   * id takes precedence, because the id that was given to another call may be the same.
   */
  take(id: string | undefined): { owner: OpenCall | undefined; isUnknown: boolean; isDuplicate: boolean } {
    const sent = id ? this.#bySentId.get(id) : undefined;
    const given = id ? this.#byGivenId.get(id) : undefined;
    const isNamed = sent !== undefined || given !== undefined;
    const [oldest] = this.#open;
    const owner = isNamed ? (this.#oldestOf(sent) ?? this.#oldestOf(given)) : oldest;
    if (owner) this.#open.delete(owner);
    return { owner, isUnknown: Boolean(id) && !isNamed, isDuplicate: isNamed && !owner };
  }

  all(): OpenCall[] {
    return [...this.#open];
  }

  #oldestOf(named: NamedCalls | undefined): OpenCall | undefined {
    if (!named) return undefined;
    for (; ; named.taken += 1) {
      const call = named.calls[named.taken];
      if (!call || this.#open.has(call)) return call;
    }
  }
}

function name(call: OpenCall, id: string, calls: Map<string, NamedCalls>): void {
  const known = calls.get(id);
  if (known) known.calls.push(call);
  else calls.set(id, { calls: [call], taken: 0 });
}

/** Number of the newest units that a compaction never changes. */
export const KEPT_UNITS = 4;

/** Returns the indexes of a unit's turns in the history. */
export function turnsOf(unit: Unit): number[] {
  if (unit.type !== 'action') return [unit.index];
  const turns: number[] = [];
  for (const { index, observation } of unit.calls) {
    turns.push(index);
    if (observation) turns.push(observation.index);
  }
  return unit.calls.length > 1 ? turns.sort((a, b) => a - b) : turns; // with a single call, the call already precedes its observation
}

export function observationsOf(unit: Unit): Observation[] {
  if (unit.type === 'stray_observation') return [unit.observation];
  if (unit.type !== 'action') return [];
  const observations: Observation[] = [];
  for (const { observation } of unit.calls) if (observation) observations.push(observation);
  return observations;
}

/** Returns all calls of the units, oldest first. */
export function callsOf(units: readonly Unit[]): PairedCall[] {
  return units.flatMap((unit) => (unit.type === 'action' ? unit.calls : []));
}

/**
 * Returns whether a turn has attachments of a user or a text other than white space. Vendors reject or drop blank
 * messages.
 */
export const hasContent = (turn: TurnInput): boolean =>
  /\S/.test(turn.content) || (turn.role === 'user' && attachmentsOf(turn) !== undefined);

function attachmentsOf({ attachments }: TurnInput): Attachments | undefined {
  if (!attachments || attachments.length === 0) return undefined;
  const all = attachments.map(({ media_type, data }) => ({ media_type, data, tokens: 0, isEstimated: true }));
  return { all, leftOut: 0 };
}

function toTextUnit(turn: TurnInput, index: number): UserUnit | AssistantUnit {
  const { content } = turn;
  if (turn.role === 'user') {
    const attachments = attachmentsOf(turn);
    return { type: 'user', index, content, isTask: !turn.kind, ...(attachments && { attachments }) };
  }
  const text = turn.thought ? `${turn.thought}\n\n${content}` : content;
  return { type: 'assistant', index, content: text, providerState: turn.provider_state };
}

function readCall({ toolCall }: TurnInput, index: number, ids: CallIds): OpenCall {
  return {
    index,
    id: ids.take(toolCall?.id ?? undefined),
    name: toolCall?.name ?? '',
    parameters: toolCall?.parameters ?? {},
  };
}

function readObservation(turn: TurnInput, index: number): Observation {
  const { toolResult } = turn;
  const attachments = attachmentsOf(turn);
  return {
    index,
    text: observationText(turn),
    isError: toolResult?.success === false,
    isDenied: toolResult?.denied === true,
    isTerminal: toolResult?.terminal === true,
    ...(attachments && { attachments }),
    ...(turn.tool_definitions && { toolNames: turn.tool_definitions.map(({ name }) => name) }),
  };
}

/** Assigns unique ids to the calls of a run. */
export class CallIds {
  readonly #taken: Set<string>;
  /** Smallest number that may still be free: all ids `call_<n>` with smaller numbers are taken. */
  #next = 1;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Returns the wanted id if it is free, otherwise the first free `call_<n>` (rule: call-ids). */
  take(wanted: string | undefined): string {
    const id = wanted && !this.#taken.has(wanted) ? wanted : this.#nextFree();
    this.#taken.add(id);
    return id;
  }

  #nextFree(): string {
    this.#next = Math.max(this.#next, this.#taken.size + 1);
    while (this.#taken.has(`call_${this.#next}`)) this.#next += 1;
    return `call_${this.#next}`;
  }
}
