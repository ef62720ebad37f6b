import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import {
  countBackslashes,
  endOfNumber,
  isDigit,
  JsonHazard,
  type JsonLimits,
  requestLimits,
  tooDeep,
} from './json-hazards.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Characters that are parsed at once: a few milliseconds. */
const SLICE = 64 * 1024;

/** An object or array that has begun and not yet ended. */
interface OpenContainer {
  isArray: boolean;
  start: number;
  /** Where the member that is being read begins: after the last comma. */
  memberStart: number;
  members: number;
  /** Present once a slice has ended within it. What stands before `unparsed` is in it. */
  value: Container | undefined;
  unparsed: number;
  /** The last member was a container with a value of its own; only white space may follow it. */
  isAfterChild: boolean;
}

interface SlicedJsonOptions {
  readonly slice?: number;
  readonly limits?: JsonLimits;
}

type Container = unknown[] | Record<string, unknown>;

/**
 * What `JSON.parse` makes of a text, parsed in slices, so that others can have their turn between them. It finds the
 * commas at which a slice can end, and leaves all between them to `JSON.parse`. Throws `SyntaxError`, and `JsonHazard`
 * for what should not be handled.
 */
export class SlicedJson {
  readonly #text: string;
  readonly #slice: number;
  readonly #limits: JsonLimits;
  readonly #open: OpenContainer[] = [];
  #depth = 0;
  #isInString = false;
  #containers = 0;
  #at = 0;
  #sliceStart = 0;
  #value: unknown;

  constructor(text: string, { slice = SLICE, limits = requestLimits }: SlicedJsonOptions = {}) {
    this.#text = text;
    this.#slice = slice;
    this.#limits = limits;
  }

  /** The whole value, once `advance` has returned true. */
  get value(): unknown {
    return this.#value;
  }

  /** How far it has read. */
  get position(): number {
    return this.#at;
  }

  /** Reads about one slice on; true at the end. */
  advance(): boolean {
    const stop = Math.min(this.#at + this.#slice, this.#text.length);
    while (this.#at < stop)
      this.#at = this.#isInString ? this.#readString(this.#at, stop) : this.#step(this.#at);
    if (this.#at < this.#text.length) return false;
    if (this.#depth > 0) throw new SyntaxError('not closed');
    if (this.#value === undefined) this.#value = JSON.parse(this.#text);
    return true;
  }

  /** Goes over one token; the position after it. */
  #step(at: number): number {
    const char = this.#text.charCodeAt(at);
    if (char === QUOTE) this.#isInString = true;
    else if (isDigit(char)) return this.#limits.exactNumbers ? endOfNumber(this.#text, at) : at + 1;
    else if (char === COMMA) this.#endMember(at);
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) this.#begin(at, char === OPEN_BRACKET);
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) return this.#end(at, char === CLOSE_BRACKET);
    return at + 1;
  }

  /** Goes on in a string, from quote to quote: a long one may hold millions that are escaped. */
  #readString(from: number, stop: number): number {
    let at = from;
    while (at < stop && this.#isInString) {
      const quote = this.#text.indexOf('"', at);
      if (quote < 0) return this.#text.length;
      this.#isInString = countBackslashes(this.#text, quote) % 2 === 1;
      at = quote + 1;
    }
    return at;
  }

  #begin(at: number, isArray: boolean): void {
    if (this.#innermost?.isAfterChild) throw new SyntaxError('no comma');
    this.#depth += 1;
    this.#containers += 1;
    const { depth, containers } = this.#limits;
    if (this.#depth > depth) throw tooDeep(at, depth);
    if (this.#containers > containers) {
      throw new JsonHazard(at, 'too_many_values', `more than ${containers} objects and arrays`);
    }
    // Containers come by the hundred thousand: one of each depth is used again and again.
    const begun = {
      isArray,
      start: at,
      memberStart: at + 1,
      members: 1,
      unparsed: at + 1,
      isAfterChild: false,
    };
    const used = this.#open[this.#depth - 1];
    if (used) Object.assign(used, begun, { value: undefined });
    else this.#open.push({ ...begun, value: undefined });
  }

  #endMember(at: number): void {
    const container = this.#innermost;
    if (!container) throw new SyntaxError('a comma outside');
    container.members += 1;
    const { fields } = this.#limits;
    if (!container.isArray && container.members > fields) {
      throw new JsonHazard(at, 'too_many_fields', `an object of more than ${fields} fields`);
    }
    if (container.isAfterChild) this.#skipBlank(container, at);
    else if (at - this.#sliceStart >= this.#slice) this.#parseSlice(at);
    container.memberStart = at + 1;
  }

  #end(at: number, isArray: boolean): number {
    const container = this.#innermost;
    if (container?.isArray !== isArray) throw new SyntaxError('not the bracket that was opened');
    this.#depth -= 1;
    const { value } = container;
    if (!value) return at + 1;
    if (container.isAfterChild) this.#skipBlank(container, at);
    else this.#parseMembers(container, at);
    const parent = this.#innermost;
    if (parent) Object.assign(parent, { unparsed: at + 1, isAfterChild: true });
    else return this.#finish(value, at + 1);
    return at + 1;
  }

  get #innermost(): OpenContainer | undefined {
    return this.#depth > 0 ? this.#open[this.#depth - 1] : undefined;
  }

  /** Parses everything before this comma, in the open containers from the outermost to the innermost. */
  #parseSlice(at: number): void {
    let parent: OpenContainer | undefined;
    for (const container of this.#open.slice(0, this.#depth)) {
      if (!container.value) this.#attach(container, parent);
      const isInnermost = container === this.#innermost;
      const end = isInnermost ? at : container.memberStart - 1;
      if (end >= container.unparsed) this.#parseMembers(container, end);
      if (end >= container.unparsed) container.unparsed = end + 1;
      parent = container;
    }
    this.#sliceStart = at;
  }

  /** Gives a container its value, as the member of its parent that is being read. */
  #attach(container: OpenContainer, parent: OpenContainer | undefined): void {
    container.value = container.isArray ? [] : {};
    const before = this.#text.slice(parent?.memberStart ?? 0, container.start);
    if (!parent?.value || Array.isArray(parent.value)) {
      if (!isBlank(before)) throw new SyntaxError('a value before a value');
      if (Array.isArray(parent?.value)) parent.value.push(container.value);
      return;
    }
    for (const name of Object.keys(JSON.parse(`{${before}[]}`)))
      setField(parent.value, name, container.value);
  }

  #parseMembers({ value, unparsed }: OpenContainer, end: number): void {
    const members = this.#text.slice(unparsed, end);
    if (isBlank(members)) throw new SyntaxError('a comma without a value');
    if (Array.isArray(value)) for (const item of JSON.parse(`[${members}]`)) value.push(item);
    else if (value) {
      for (const [name, field] of Object.entries(JSON.parse(`{${members}}`))) setField(value, name, field);
    }
  }

  #skipBlank(container: OpenContainer, end: number): void {
    if (!isBlank(this.#text.slice(container.unparsed, end))) throw new SyntaxError('no comma');
    container.unparsed = end + 1;
    container.isAfterChild = false;
  }

  #finish(value: Container, end: number): number {
    if (!isBlank(this.#text.slice(end))) throw new SyntaxError('text after the value');
    this.#value = value;
    return this.#text.length;
  }
}

const isBlank = (text: string): boolean => /^[ \t\n\r]*$/.test(text);

/** As `JSON.parse` does it: `__proto__` is a name like any other. */
function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** What a character of JSON books of the event loop when it is parsed. */
const PARSING = 1 / 4;

/** The value of a long text, parsed in turns (rule: loop-share). Throws as `SlicedJson` does, and the signal's reason. */
export async function parseInTurns(
  text: string,
  { signal, limits }: { readonly signal?: AbortSignal; readonly limits?: JsonLimits } = {},
): Promise<unknown> {
  const json = new SlicedJson(text, { ...(limits && { limits }) });
  for (let isDone = false; !isDone; ) {
    const read = json.position;
    isDone = json.advance();
    await eventLoopShare.spent(PARSING * (json.position - read), signal);
  }
  return json.value;
}
