import type { Response } from 'express';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';

/** An answer is about as long as the body it answers; to write a longer one as JSON would hold the event loop. */
const MAX_AT_ONCE = 256 * 1024;
/** Characters of JSON written at once where there are more. */
const PART = 64 * 1024;
/** What writing a character of JSON books of the event loop. */
const WRITING = 1 / 4;

/** Whether what answers a body can be written at once: most of it comes from there, unless a model had much to say. */
export const isShort = (answer: object, { bodyBytes }: { readonly bodyBytes: number }): boolean =>
  bodyBytes <= MAX_AT_ONCE && lengthOf(answer, MAX_AT_ONCE) <= MAX_AT_ONCE;

/** About the length of a value as JSON; it is looked at no further than up to `most`. */
function lengthOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  let length = 0;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    length += lengthOf(item, most - length);
    if (length > most) break;
  }
  return length;
}

/** Writes a large value, a few items of its lists at a time and no faster than it is read (rule: loop-share). */
export async function writeJson(response: Response, value: object): Promise<void> {
  let part = '';
  for (const piece of piecesOf(value, LEVELS)) {
    part += piece;
    if (part.length < PART) continue;
    await eventLoopShare.spent(part.length * WRITING);
    if (!response.write(part)) await drained(response);
    part = '';
  }
  response.write(part);
}

/** Objects and lists that are gone into: an event, its step, the step's history, a turn. */
const LEVELS = 4;

function* piecesOf(value: unknown, levels: number): Generator<string> {
  if (typeof value === 'string' && value.length > PART) yield* quoted(value);
  else if (levels === 0 || typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* listed(value, levels);
  else yield* fieldsOf(value, levels);
}

/** The halves of a character between two parts are escaped, which says the same. */
function* quoted(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; start += PART) {
    yield JSON.stringify(text.slice(start, start + PART)).slice(1, -1);
  }
  yield '"';
}

function* fieldsOf(value: object, levels: number): Generator<string> {
  let before = '{';
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* piecesOf(field, levels - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listed(items: readonly unknown[], levels: number): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before;
    yield* piecesOf(item ?? null, levels - 1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Resolves when the reader can take more, or is gone. */
export function drained(response: Response): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
