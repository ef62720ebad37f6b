import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';

const DEFAULT_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 10;
const MAX_SHOWN_CHARACTERS = 2_000;

/**
 * Reads a value repeatedly until it is as expected, and returns it. A read that throws counts as "not yet".
 * @param isExpected returns whether the value is the expected one; by default, whether it is truthy.
 * @throws After the timeout, with the source of the condition and the last value or error.
 */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  isExpected: (value: Value) => unknown = Boolean,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Value> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const { value, error } = await attempt(read);
    if (error === undefined && isExpected(value as Value)) return value as Value; // without an error there is a value
    if (performance.now() > end) {
      const awaited = isExpected === Boolean ? `${read}` : `${isExpected} of ${read}`;
      throw new Error(`Waited ${timeoutMs} ms in vain for ${awaited}. Last value: ${shown(error ?? value)}`);
    }
    await wait(POLL_INTERVAL_MS);
  }
}

async function attempt<Value>(
  read: () => Value | Promise<Value>,
): Promise<{ value?: Value; error?: unknown }> {
  try {
    return { value: await read() };
  } catch (error) {
    return { error };
  }
}

/** Shortens a long value to its end, because logs and screens grow at their end. */
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 4 });
  return text.length > MAX_SHOWN_CHARACTERS ? `…${text.slice(-MAX_SHOWN_CHARACTERS)}` : text;
};

/**
 * Reads a number until it has stayed the same for `quietMs`, and returns it. For work that stops without an event.
 */
export async function untilUnchanged(read: () => number, quietMs = 400): Promise<number> {
  let last = Number.NaN;
  let since = performance.now();
  return until(read, (value) => {
    if (value !== last) since = performance.now();
    last = value;
    return performance.now() - since >= quietMs;
  });
}
