import { isObject } from '../../../../contract/fields.js';
import type { ReplyCap } from '../../upstream/reply-cap.js';
import { argumentsIn, type Fields, objectsIn, parseJson } from '../../vendor-json.js';
import { GrowingChatState } from './chat-state.js';

/** A tool call, or a fragment of one. Absent fields are empty. */
export interface CallPart {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly extraContent: unknown;
}

/** A tool call of which all fragments so far have been joined. */
export interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  readonly state: GrowingChatState;
  /** True if one fragment contained the whole call: its name and complete arguments. */
  isWhole: boolean;
}

/** Returns the tool calls in a message. Older servers send one under `function_call`. */
export function callFieldsIn({ tool_calls, function_call }: Fields): readonly Fields[] {
  const listed = objectsIn(tool_calls);
  return listed.length > 0 || !isObject(function_call) ? listed : [{ function: function_call }];
}

/**
 * Reads a call or a fragment in any of the shapes of compatible servers: arguments as an object, or fields without
 * the enclosing `function`.
 */
export function toCallPart({ index, id, extra_content, ...flat }: Fields): CallPart {
  const called = isObject(flat['function']) ? flat['function'] : flat;
  const { name, arguments: given = called['parameters'] ?? called['input'] } = called;
  return {
    index: Number.isInteger(index) && Number(index) >= 0 ? Number(index) : undefined,
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : '',
    name: typeof name === 'string' ? name : '',
    arguments: argumentsIn(given),
    extraContent: extra_content,
  };
}

/** Assembles the tool calls of a reply from their fragments. */
export class ChatCalls {
  readonly #cap: ReplyCap;
  readonly #calls: OpenCall[] = [];
  readonly #byId = new Map<string, OpenCall>();
  readonly #byIndex = new Map<number, OpenCall>();

  constructor(cap: ReplyCap) {
    this.#cap = cap;
  }

  get all(): readonly OpenCall[] {
    return this.#calls;
  }

  /** Adds a complete call of a response that is not a stream. */
  addWhole(part: CallPart): void {
    this.#add(part, this.#begin(part));
  }

  /** Adds a fragment of a call from a stream. */
  addPart(part: CallPart): void {
    this.#add(part, this.#callOf(part));
  }

  #begin({ index }: CallPart): OpenCall {
    const state = new GrowingChatState(this.#cap);
    const call: OpenCall = { index, id: '', name: '', arguments: '', state, isWhole: false };
    this.#calls.push(call);
    this.#byIndex.set(index ?? this.#calls.length - 1, call);
    return call;
  }

  /**
   * Returns the call that a fragment continues, or a new one. The id takes precedence over the index, because some
   * servers give parallel calls the same index, or none. A fragment with neither continues the last call, unless
   * that call is complete and the fragment names a tool.
   */
  #callOf(part: CallPart): OpenCall {
    const { index, id } = part;
    const last = this.#calls.at(-1);
    const atIndex = index === undefined ? last : this.#byIndex.get(index);
    const withId = id === '' ? undefined : this.#byId.get(id);
    const call = withId && !begins(part, withId) ? withId : atIndex;
    return call && !begins(part, call) ? call : this.#begin(part);
  }

  #add(part: CallPart, call: OpenCall): void {
    call.state.add({ extra_content: part.extraContent });
    call.id ||= this.#cap.admit(part.id);
    // Only the first id of a call is kept: some servers send a new one with each fragment.
    if (call.id === part.id && part.id !== '' && !this.#byId.has(part.id)) this.#byId.set(part.id, call);
    this.#addName(part, call);
    // Only the fragment with the tool's name decides whether the call is complete, because servers may send empty
    // fragments after it.
    if (part.name !== '' && call.arguments === '') call.isWhole = isWholeArguments(part.arguments);
    if (!repeatsArguments(part, call)) call.arguments += this.#cap.admit(part.arguments);
  }

  /**
   * Adds a name to a call. The name may arrive in fragments or be repeated in each fragment; it is complete when
   * the arguments begin, unless they began before it.
   */
  #addName({ name }: CallPart, call: OpenCall): void {
    if ((call.arguments !== '' && call.name !== '') || name === call.name) return;
    const isRepeated = name.startsWith(call.name);
    call.name += this.#cap.admit(isRepeated ? name.slice(call.name.length) : name);
  }
}

/** Returns whether a fragment begins a new call although it has the id or the index of an earlier one. */
function begins(part: CallPart, call: OpenCall): boolean {
  const { index, id, name, arguments: written } = part;
  if (name === '' || call.name === '') return false;
  const sameId = id === '' || id === call.id || call.id === '';
  const sameIndex = index === undefined || call.index === undefined || index === call.index;
  if (!sameId || !sameIndex) return true;
  if (call.isWhole) return id === '' || (isWholeArguments(written) && !repeatsArguments(part, call));
  return id === '' && call.arguments !== '' && name !== call.name;
}

/** Returns whether a fragment repeats the whole arguments of its call, as some servers do at the end of a stream. */
const repeatsArguments = ({ arguments: written }: CallPart, call: OpenCall): boolean =>
  written === call.arguments && isWholeArguments(written);

const isWholeArguments = (written: string): boolean => isObject(parseJson(written));
