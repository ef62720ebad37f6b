import { eventLoopShare } from '../../event-loop/event-loop-share.js';

/** Characters of JSON written at once where there are more. */
const PART = 64 * 1024;
/** What writing a character of JSON books of the event loop. */
const WRITING = 1 / 4;

/** A large value as JSON, in parts that take a turn of the event loop each (rule: loop-share). */
export async function* jsonParts(value: unknown): AsyncGenerator<string> {
  await eventLoopShare.spent(MAX_AT_ONCE * WRITING); // to have found out that it is long
  let part = '';
  for (const piece of piecesOf(value, new Lengths())) {
    part += piece;
    if (part.length < PART) continue;
    await eventLoopShare.spent(part.length * WRITING);
    yield part;
    part = '';
  }
  yield part;
}

/** About so many characters are written in one go: to go into them would cost more than it saves. */
const PLAIN = 16 * 1024;

/**
 * A value as JSON in UTF-8, at once. A longer one is written text by text: one wide character would make the whole of it a
 * string of two bytes each, which takes twice the time to write and to encode.
 */
export function jsonBytes(value: object): Buffer {
  const lengths = new Lengths();
  return lengths.of(value, PLAIN) <= PLAIN ? plainBytes(value) : longBytes(value, lengths);
}

/** The same of a value that can be written at once; undefined for any other. */
export function shortJsonBytes(value: object): Buffer | undefined {
  const lengths = new Lengths();
  const length = lengths.of(value, MAX_AT_ONCE);
  if (length > MAX_AT_ONCE) return undefined;
  return length <= PLAIN ? plainBytes(value) : longBytes(value, lengths);
}

const plainBytes = (value: object): Buffer => encode([JSON.stringify(value)]);

function longBytes(value: object, lengths: Lengths): Buffer {
  const pieces: string[] = [];
  let small = '';
  for (const piece of piecesOf(value, lengths)) {
    if (piece.length < SMALL) {
      small += piece;
      continue;
    }
    pieces.push(small, piece);
    small = '';
  }
  return encode([...pieces, small]);
}

function encode(pieces: readonly string[]): Buffer {
  const lengths = pieces.map((piece) => Buffer.byteLength(piece));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, piece] of pieces.entries())
    at += bytes.write(piece, at, lengths[index] === piece.length ? 'latin1' : 'utf8'); // ASCII is copied
  return bytes;
}

/** To write a longer value as JSON in one go would hold the event loop. */
const MAX_AT_ONCE = 256 * 1024;

/** Whether a value can be written at once. */
export const isShort = (value: unknown): boolean => new Lengths().of(value, MAX_AT_ONCE) <= MAX_AT_ONCE;

/**
 * How long values are as JSON, about. What is not small is remembered: to list the fields of a large object takes longer than
 * to write them, and whatever it stands in would do so again.
 */
class Lengths {
  #known: Map<object, number> | undefined;

  /** Looks no further than up to `most`. */
  of(value: unknown, most: number): number {
    if (typeof value === 'string') return value.length + 2;
    if (typeof value !== 'object' || value === null) return 4;
    const known = this.#known?.get(value) ?? 0;
    if (known > most) return known;
    let length = 2;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length && length <= most; at += 1)
        length += this.of(value[at], most - length) + 1;
    } else if (hasFields(value)) {
      for (const name in value) {
        length += this.ofField(name, value[name], most - length);
        if (length > most) break;
      }
    }
    if (length > SMALL) this.#remember(value, length);
    return length;
  }

  /** A field with its name. */
  ofField(name: string, value: unknown, most: number): number {
    return name.length + 4 + this.of(value, most);
  }

  #remember(value: object, length: number): void {
    this.#known ??= new Map();
    this.#known.set(value, length);
  }
}

type Fields = Readonly<Record<string, unknown>>;

const hasFields = (value: object): value is Fields => !Array.isArray(value);

/** Objects and lists that are gone into: an event, its step, the step's history, a turn. */
const LEVELS = 4;

/** About so many characters need not be gone into: the rows of a report, and most turns. */
const SMALL = 1024;

function* piecesOf(value: unknown, lengths: Lengths, levels = LEVELS): Generator<string> {
  if (typeof value === 'string' && value.length > PART) yield* quoted(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (levels === 0 || lengths.of(value, SMALL) <= SMALL) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* listed(value, lengths, levels);
  else if (hasFields(value)) yield* fieldsOf(value, lengths, levels);
}

/** The halves of a character between two parts are escaped, which says the same. */
function* quoted(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; start += PART) {
    yield inside(text.slice(start, start + PART));
  }
  yield '"';
}

function* fieldsOf(value: Fields, lengths: Lengths, levels: number): Generator<string> {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  let before = '{';
  for (const run of inRuns(names, (name) => lengths.ofField(name, value[name], SMALL))) {
    const [name = ''] = run;
    yield before;
    if (run.length > 1) yield inside(Object.fromEntries(run.map((each) => [each, value[each]])));
    else {
      yield `${JSON.stringify(name)}:`;
      yield* piecesOf(value[name], lengths, levels - 1);
    }
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listed(items: readonly unknown[], lengths: Lengths, levels: number): Generator<string> {
  let before = '[';
  for (const run of inRuns(items, (item) => lengths.of(item, SMALL))) {
    yield before;
    if (run.length > 1) yield inside(run);
    else yield* piecesOf(run[0] ?? null, lengths, levels - 1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** A text as it stands between its quotes, an object or a list between its brackets. */
const inside = (value: string | object): string => JSON.stringify(value).slice(1, -1);

/**
 * Small items together, as many as are written in one go, any other by itself: 20,000 messages one by one take 30 ms, and 7
 * in one go.
 */
function* inRuns<Item>(items: readonly Item[], lengthOf: (item: Item) => number): Generator<readonly Item[]> {
  let run: Item[] = [];
  let length = 0;
  for (const item of items) {
    const next = lengthOf(item);
    if (run.length > 0 && (next > SMALL || length >= PLAIN)) {
      yield run;
      run = [];
      length = 0;
    }
    run.push(item);
    length += next > SMALL ? PLAIN : next; // nothing joins one that is not small
  }
  if (run.length > 0) yield run;
}
