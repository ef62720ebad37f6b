import type { Unit } from '../../../conversation/units.js';

type Form = 'full' | 'masked' | 'dropped';

/** A unit with its token counts, in full and masked. */
export interface WeighedUnit {
  readonly unit: Unit;
  readonly full: number;
  readonly masked: number;
}

export interface Fold {
  /** Form of each unit, in the same order as the units. */
  readonly forms: readonly Form[];
  /** Tokens of all units in their chosen forms. */
  readonly tokens: number;
}

/**
 * Part of the share that a cut keeps. It is low, so that many steps pass before the next cut
 * (rule: fold-cuts-once).
 */
const KEPT_SHARE = 0.5;

/**
 * Replays the units oldest first. Whenever their sum exceeds `share` tokens, cuts it to half of the share:
 * masks old units, then drops them, but never the first task, the latest task or the newest unit at that point
 * (rule: fold). The result depends on the units alone, so every later step repeats the same cuts and keeps the
 * same bytes.
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

/** Returns the units that a fold never masks or drops: the first and the latest task and the newest unit. */
export function untouchable<Weighed extends WeighedUnit>(units: readonly Weighed[]): Weighed[] {
  const tasks = units.filter(({ unit }) => unit.type === 'user' && unit.isTask);
  const kept = new Set([tasks[0], tasks.at(-1), units.at(-1)]);
  return [...kept].flatMap((weighed) => weighed ?? []);
}
