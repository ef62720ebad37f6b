import type { Unit } from '../../../conversation/units.js';

type Form = 'full' | 'masked' | 'dropped';

/** A unit and its tokens, in full and as a stub. */
export interface WeighedUnit {
  readonly unit: Unit;
  readonly full: number;
  readonly masked: number;
}

export interface Fold {
  /** One for each unit, in the same order. */
  readonly forms: readonly Form[];
  /** Tokens of all units in their forms. */
  readonly tokens: number;
}

/** The part of the share that a cut leaves: low enough that the next cut is many steps away (rule: fold-cuts-once). */
const KEPT_SHARE = 0.5;

/**
 * Replays the units oldest first. Whenever their sum exceeds `share` tokens, cuts it down to half of that: old units
 * become stubs, then are dropped, but never the first and the latest task nor the newest unit as of that point
 * (rule: fold). A pure function of the units, so every later step repeats the same cuts and keeps the same bytes.
 */
export function foldHistory(units: readonly WeighedUnit[], share: number): Fold {
  const forms: Form[] = [];
  let live: number[] = [];
  let tokens = 0;
  let firstTask = -1;
  let latestTask = -1;
  units.forEach((weighed, newest) => {
    forms.push('full');
    live.push(newest);
    tokens += weighed.full;
    if (weighed.unit.type === 'user' && weighed.unit.isTask) {
      latestTask = newest;
      if (firstTask < 0) firstTask = newest;
    }
    if (tokens > share) cutDown(new Set([firstTask, latestTask, newest]));
  });
  return { forms, tokens };

  function cutDown(untouchable: ReadonlySet<number>): void {
    for (const form of ['masked', 'dropped'] as const) {
      for (const index of live) {
        if (tokens > share * KEPT_SHARE && !untouchable.has(index)) turnInto(form, index);
      }
    }
    live = live.filter((index) => forms[index] !== 'dropped');
  }

  function turnInto(form: 'masked' | 'dropped', index: number): void {
    const now = cost(index, forms[index]);
    const then = cost(index, form);
    if (then >= now) return;
    forms[index] = form;
    tokens += then - now;
  }

  function cost(index: number, form: Form | undefined): number {
    const weighed = units[index];
    if (!weighed || form === 'dropped' || form === undefined) return 0;
    return weighed[form];
  }
}

/** The units that a fold never touches: the first and the latest task and the newest unit. */
export function untouchable<Weighed extends WeighedUnit>(units: readonly Weighed[]): Weighed[] {
  const tasks = units.filter(({ unit }) => unit.type === 'user' && unit.isTask);
  const kept = new Set([tasks[0], tasks.at(-1), units.at(-1)]);
  return [...kept].flatMap((weighed) => weighed ?? []);
}
