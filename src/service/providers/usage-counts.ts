import type { Usage } from '../../contract/step.js';

/** Maximum token count of the contract, which has counts of 32 bits. */
export const MAX_TOKENS = 2 ** 31 - 1;

/** Returns a token count; null if the value is none. */
export const count = (value: unknown): number | null =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS ? Number(value) : null;

/** Returns the price of a call, in the currency of the vendor that reports it; null if the value is none. */
export const cost = (value: unknown): number | null =>
  Number.isFinite(value) && Number(value) >= 0 ? Number(value) : null;

/** Adds a later report of the usage to an earlier one. A count that is null or 0 does not replace one that is known. */
export function laterUsage(before: Usage, after: Usage): Usage {
  const later = Object.entries(after).filter(
    ([name, value]) => value || before[name as keyof Usage] === null,
  );
  return { ...before, ...Object.fromEntries(later) };
}
