const LONGEST_MS = 3_600_000;

/**
 * What the provider asks us to wait, in milliseconds, at most an hour; null if it says nothing we can read.
 * `retry-after-ms` is both vendors' own; `Retry-After` is seconds or a date (RFC 9110 §10.2.3).
 */
export function readRetryAfterMs(headers: Headers): number | null {
  const milliseconds = toNumber(headers.get('retry-after-ms'));
  if (milliseconds !== null) return capped(milliseconds);
  const text = headers.get('retry-after');
  const seconds = toNumber(text);
  if (seconds !== null) return capped(seconds * 1000);
  // Without the letter test `Date.parse` finds a date even in `-5`.
  const date = /[a-z]/i.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(date) ? null : capped(Math.max(0, date - Date.now()));
}

function toNumber(text: string | null): number | null {
  const number = Number(text?.trim() || Number.NaN);
  return Number.isNaN(number) || number < 0 ? null : number;
}

const capped = (milliseconds: number): number => Math.ceil(Math.min(milliseconds, LONGEST_MS));
