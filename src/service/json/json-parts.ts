import { eventLoopShare } from '../event-loop/event-loop-share.js';

/** Characters of JSON written at once where there are more. */
const PART = 64 * 1024;
/** What writing a character of JSON books of the event loop. */
const WRITING = 1 / 4;

/** A large value as JSON, in parts that take a turn of the event loop each (rule: loop-share). */
export async function* jsonParts(value: unknown): AsyncGenerator<string> {
  let part = '';
  for (const piece of piecesOf(value, LEVELS)) {
    part += piece;
    if (part.length < PART) continue;
    await eventLoopShare.spent(part.length * WRITING);
    yield part;
    part = '';
  }
  yield part;
}

/** To write a longer value as JSON in one go would hold the event loop. */
const MAX_AT_ONCE = 256 * 1024;

/** Whether a value can be written at once. */
export const isShort = (value: unknown): boolean => lengthOf(value, MAX_AT_ONCE) <= MAX_AT_ONCE;

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

/** Objects and lists that are gone into: an event, its step, the step's history, a turn. */
const LEVELS = 4;

/** About so many characters need not be gone into: the rows of a report, and most turns. */
const SMALL = 1024;

function* piecesOf(value: unknown, levels: number): Generator<string> {
  if (typeof value === 'string' && value.length > PART) yield* quoted(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (levels === 0 || lengthOf(value, SMALL) <= SMALL) yield JSON.stringify(value);
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
