import type { Unit } from '../../../conversation/units.js';

export type Form = 'full' | 'masked' | 'dropped';

/** A unit with its token counts: at full length, and masked. */
export interface WeighedUnit {
  readonly unit: Unit;
  /** Tokens of the whole unit, including all its attachments. */
  readonly full: number;
  readonly masked: number;
  /** Tokens of each attachment, in the order of the unit. */
  readonly attachments: readonly number[];
}

/** A unit with its form in the prompt. */
export interface FoldedUnit<Weighed extends WeighedUnit> {
  readonly weighed: Weighed;
  readonly form: Form;
  /** Number of its attachments that are left out, starting with the first. */
  readonly leftOut: number;
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
export function foldHistory<Weighed extends WeighedUnit>(
  units: readonly Weighed[],
  available: number,
): { readonly units: readonly FoldedUnit<Weighed>[]; readonly tokens: number } {
  const folded: Fate<Weighed>[] = [];
  /** The attachments that are still in the prompt, oldest first. */
  let shown: ShownAttachment<Weighed>[] = [];
  let live: Fate<Weighed>[] = [];
  let tokens = 0;
  let firstTask: Fate<Weighed> | undefined;
  let latestTask: Fate<Weighed> | undefined;
  for (const weighed of units) {
    const newest: Fate<Weighed> = { weighed, form: 'full', leftOut: 0, leftOutTokens: 0 };
    folded.push(newest);
    live.push(newest);
    tokens += weighed.full;
    for (const each of weighed.attachments) shown.push({ holder: newest, tokens: each });
    if (weighed.unit.type === 'user' && weighed.unit.isTask) {
      latestTask = newest;
      firstTask ??= newest;
    }
    cutDown(new Set([firstTask, latestTask, newest]));
  }
  return { units: folded, tokens };

  /** Cuts in the order of rule `fold`. Leaves out the newest attachment only if everything else is not enough. */
  function cutDown(untouchable: ReadonlySet<Fate<Weighed> | undefined>): void {
    if (exceeds(1)) leaveOut(KEPT_SHARE, ({ holder }, isNewest) => !isNewest && !untouchable.has(holder));
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
  function leaveOut(
    part: number,
    mayGo: (each: ShownAttachment<Weighed>, isNewest: boolean) => boolean,
  ): void {
    const all = shown;
    shown = [];
    for (const [at, each] of all.entries()) {
      const isTooMuch = exceeds(part, shown.length + all.length - at);
      if (isTooMuch && mayGo(each, at === all.length - 1)) lose(each);
      else shown.push(each);
    }
  }

  function lose({ holder, tokens: saved }: ShownAttachment<Weighed>): void {
    holder.leftOut += 1;
    holder.leftOutTokens += saved;
    tokens -= saved;
  }

  function shorten(untouchable: ReadonlySet<Fate<Weighed> | undefined>): void {
    for (const form of ['masked', 'dropped'] as const) {
      for (const each of live) {
        if (tokens > available * KEPT_SHARE && !untouchable.has(each)) turnInto(form, each);
      }
    }
    live = live.filter(({ form }) => form !== 'dropped');
    shown = shown.filter(({ holder }) => holder.form === 'full');
  }

  function turnInto(form: 'masked' | 'dropped', fate: Fate<Weighed>): void {
    const saved = cost(fate, fate.form) - cost(fate, form);
    if (saved <= 0) return;
    fate.form = form;
    tokens -= saved;
  }
}

function cost({ weighed, leftOutTokens }: Fate<WeighedUnit>, form: Form): number {
  if (form === 'dropped') return 0;
  return form === 'full' ? weighed.full - leftOutTokens : weighed.masked;
}

/** A folded unit while the history is replayed. */
interface Fate<Weighed extends WeighedUnit> extends FoldedUnit<Weighed> {
  form: Form;
  leftOut: number;
  leftOutTokens: number;
}

interface ShownAttachment<Weighed extends WeighedUnit> {
  readonly holder: Fate<Weighed>;
  readonly tokens: number;
}

/** Returns the tokens of a unit without its attachments. */
export const bareTokens = ({ full, attachments }: WeighedUnit): number =>
  attachments.reduce((left, tokens) => left - tokens, full);

/** Returns the units that a fold never masks or drops: the first and the latest task and the newest unit. */
export function untouchable<Weighed extends WeighedUnit>(units: readonly Weighed[]): Weighed[] {
  const tasks = units.filter(({ unit }) => unit.type === 'user' && unit.isTask);
  const kept = new Set([tasks[0], tasks.at(-1), units.at(-1)]);
  return [...kept].flatMap((weighed) => weighed ?? []);
}
