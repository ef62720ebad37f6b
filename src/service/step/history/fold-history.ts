import type { Unit } from '../../../conversation/units.js';

type Form = 'full' | 'masked' | 'dropped';

/** A unit with its token counts: at full length, and masked. */
export interface WeighedUnit {
  readonly unit: Unit;
  /** Tokens of the whole unit, including all its attachments. */
  readonly full: number;
  readonly masked: number;
  /** Tokens of each attachment, in the order of the unit; absent if the unit has none. */
  readonly attachments?: readonly number[];
}

export interface Fold {
  /** The chosen form of each unit (full, masked or dropped), in the order of the units. */
  readonly forms: readonly Form[];
  /** Tokens of all units in their chosen forms. */
  readonly tokens: number;
  /**
   * For each unit, the number of its attachments that are left out, starting with the first; absent if none are left
   * out.
   */
  readonly leftOut?: readonly number[];
}

/**
 * Part of the available tokens that remains used after a cut. It is low, so that many steps pass before the next cut
 * (rule: fold-cuts-once).
 */
const KEPT_SHARE = 0.5;

/** Maximum number of attachments in a prompt: Anthropic's limit, the lowest that any vendor documents. */
const MAX_SENT_ATTACHMENTS = 100;

/**
 * Decides which form each unit of a history gets, by replaying the units oldest first. Whenever their sum exceeds the
 * available tokens, cuts it to half of that number: leaves out old attachments, masks old units, then drops them, but
 * never the first task, the latest task or the newest unit so far (rule: fold). The result depends only on the units
 * and `available`, so every later step with the same value repeats the same cuts, and the beginning of the prompt
 * stays the same byte for byte.
 */
export function foldHistory(units: readonly WeighedUnit[], available: number): Fold {
  const forms: Form[] = [];
  const leftOut = units.map(() => ({ count: 0, tokens: 0 }));
  /** The attachments that are still in the prompt, oldest first. */
  let shown: ShownAttachment[] = [];
  let live: number[] = [];
  let tokens = 0;
  let firstTask = -1;
  let latestTask = -1;
  units.forEach((weighed, newest) => {
    forms.push('full');
    live.push(newest);
    tokens += weighed.full;
    for (const each of weighed.attachments ?? []) shown.push({ unit: newest, tokens: each });
    if (weighed.unit.type === 'user' && weighed.unit.isTask) {
      latestTask = newest;
      if (firstTask < 0) firstTask = newest;
    }
    cutDown(new Set([firstTask, latestTask, newest]));
  });
  const fold = { forms, tokens };
  return leftOut.some(({ count }) => count > 0)
    ? { ...fold, leftOut: leftOut.map(({ count }) => count) }
    : fold;

  /** Cuts in the order of rule `fold`. Leaves out the newest attachment only if everything else is not enough. */
  function cutDown(untouchable: ReadonlySet<number>): void {
    if (exceeds(1)) leaveOut(KEPT_SHARE, ({ unit }, isNewest) => !isNewest && !untouchable.has(unit));
    if (exceeds(1)) leaveOut(1, (_, isNewest) => !isNewest);
    if (tokens > available) shorten(untouchable);
    if (tokens > available) leaveOut(1, () => true);
  }

  function exceeds(part: number, count = shown.length): boolean {
    return tokens > available * part || count > MAX_SENT_ATTACHMENTS * part;
  }

  /**
   * Leaves out attachments for which `mayGo` returns true, oldest first, until the history uses at most the given
   * part of both limits.
   */
  function leaveOut(part: number, mayGo: (each: ShownAttachment, isNewest: boolean) => boolean): void {
    const all = shown;
    shown = [];
    for (const [at, each] of all.entries()) {
      const isTooMuch = exceeds(part, shown.length + all.length - at);
      if (isTooMuch && mayGo(each, at === all.length - 1)) lose(each);
      else shown.push(each);
    }
  }

  function lose({ unit, tokens: saved }: ShownAttachment): void {
    const lost = leftOut[unit];
    if (!lost) return;
    lost.count += 1;
    lost.tokens += saved;
    tokens -= saved;
  }

  function shorten(untouchable: ReadonlySet<number>): void {
    for (const form of ['masked', 'dropped'] as const) {
      for (const index of live) {
        if (tokens > available * KEPT_SHARE && !untouchable.has(index)) turnInto(form, index);
      }
    }
    live = live.filter((index) => forms[index] !== 'dropped');
    shown = shown.filter(({ unit }) => forms[unit] === 'full');
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
    return form === 'full' ? weighed.full - (leftOut[index]?.tokens ?? 0) : weighed[form];
  }
}

interface ShownAttachment {
  readonly unit: number;
  readonly tokens: number;
}

/** Returns the tokens of a unit without its attachments. */
export const bareTokens = ({ full, attachments = [] }: WeighedUnit): number =>
  attachments.reduce((left, tokens) => left - tokens, full);

/** Returns the units that a fold never masks or drops: the first and the latest task and the newest unit. */
export function untouchable<Weighed extends WeighedUnit>(units: readonly Weighed[]): Weighed[] {
  const tasks = units.filter(({ unit }) => unit.type === 'user' && unit.isTask);
  const kept = new Set([tasks[0], tasks.at(-1), units.at(-1)]);
  return [...kept].flatMap((weighed) => weighed ?? []);
}
