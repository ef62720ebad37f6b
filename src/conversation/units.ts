import type { TurnInput } from '../contract/history.js';
import { CallIds } from './call-ids.js';
import { observationText } from './observation-text.js';

/**
 * The history in units that are kept or left out whole (rules: pairing, fold): a call and its observation belong
 * together, and so do the calls of one step.
 */
export type Unit = UserUnit | AssistantUnit | ActionUnit | StrayObservation;

interface UserUnit {
  readonly type: 'user';
  readonly index: number;
  readonly content: string;
  /** Notices and summaries are never the task. */
  readonly isTask: boolean;
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
}

/** A call with what it returned. */
export interface PairedCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Absent if the call was never run. */
  readonly observation?: Observation;
}

export interface Observation {
  readonly index: number;
  readonly text: string;
  readonly isError: boolean;
  readonly isDenied: boolean;
  readonly isTerminal: boolean;
}

/** An observation without a call: shown as the user's text. */
interface StrayObservation {
  readonly type: 'stray_observation';
  readonly index: number;
  readonly observation: Observation;
}

interface OpenCall extends Omit<PairedCall, 'observation'> {
  observation?: Observation;
}

/** More calls than this in a row are more than one unit: a unit is kept, cut and shown in one piece. */
const MOST_CALLS = 64;

/** Reads turns, oldest first, into units. Total: any history that passes the schema has its units. */
export function readUnits(history: readonly TurnInput[]): Unit[] {
  const units: Unit[] = [];
  const ids = new CallIds();
  const open = new Map<string, OpenCall>();
  let calls: OpenCall[] = [];
  history.forEach((turn, index) => {
    if (turn.role === 'tool_observation') observe(turn, index);
    else if (turn.toolCall && turn.role === 'assistant') act(turn, index);
    else if (/\S/.test(turn.content)) units.push(speak(turn, index)); // vendors refuse or drop blank texts
  });
  return units;

  function act(turn: TurnInput, index: number): void {
    const call = readCall(turn, index, ids);
    open.set(call.id, call);
    const isFurther = units.at(-1)?.type === 'action' && turn.content === '' && history[index - 1]?.toolCall;
    if (isFurther && calls.length < MOST_CALLS) {
      calls.push(call);
      return;
    }
    const { content: thought, provider_state: providerState } = turn;
    calls = [call];
    units.push({ type: 'action', index, thought, calls, providerState });
  }

  function observe(turn: TurnInput, index: number): void {
    const observation = readObservation(turn, index);
    const [oldest] = open.values();
    const owner = open.get(turn.toolCallId ?? '') ?? oldest;
    if (!owner) {
      units.push({ type: 'stray_observation', index, observation });
      return;
    }
    owner.observation = observation;
    open.delete(owner.id);
  }
}

/** The newest units, which compaction never touches. */
export const KEPT_UNITS = 4;

/** The turns of a unit, as indexes of the history it was read from. */
export function turnsOf(unit: Unit): number[] {
  const observed = observationsOf(unit).map(({ index }) => index);
  const spoken = unit.type === 'action' ? unit.calls.map(({ index }) => index) : [unit.index];
  return [...new Set([...spoken, ...observed])].sort((a, b) => a - b);
}

export function observationsOf(unit: Unit): Observation[] {
  if (unit.type === 'stray_observation') return [unit.observation];
  return unit.type === 'action' ? unit.calls.flatMap(({ observation }) => observation ?? []) : [];
}

/** All calls, oldest first. */
export function callsOf(units: readonly Unit[]): PairedCall[] {
  return units.flatMap((unit) => (unit.type === 'action' ? unit.calls : []));
}

function speak(turn: TurnInput, index: number): UserUnit | AssistantUnit {
  const { content } = turn;
  if (turn.role === 'user') return { type: 'user', index, content, isTask: !turn.kind };
  return { type: 'assistant', index, content, providerState: turn.provider_state };
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
  return {
    index,
    text: observationText(turn),
    isError: toolResult?.success === false,
    isDenied: toolResult?.denied === true,
    isTerminal: toolResult?.terminal === true,
  };
}
