import { isObject } from '../../../../contract/fields.js';
import type { ReplyCap } from '../../upstream/reply-cap.js';
import type { VendorState } from '../../vendor.js';
import { fieldsOf } from '../../vendor-json.js';

/** Fields that a Chat Completions server needs back with a message (docs/reference/providers.md). */
export interface ChatState {
  /** Reasoning text of DeepSeek, Kimi and servers of open models. */
  readonly reasoning_content?: string;
  /** Reasoning blocks of OpenRouter. */
  readonly reasoning_details?: readonly Detail[];
  /** Thought signature of Gemini. */
  readonly extra_content?: ExtraContent;
}

/** An entry of `reasoning_details`. Its fields are plain values. */
type Detail = Readonly<Record<string, string | number | boolean | null>>;

interface ExtraContent {
  readonly google: { readonly thought_signature: string };
}

/** The fields of a message or a call that may contain provider state, before they are checked. */
export interface StateFields {
  readonly reasoning_content?: unknown;
  readonly reasoning_details?: unknown;
  readonly extra_content?: unknown;
}

/** Fields of a detail whose text a stream sends in fragments. */
const fragmented = ['text', 'summary', 'data', 'signature'];

/** Assembles the provider state of a message or a call, from a plain response or from the chunks of a stream. */
export class GrowingChatState {
  readonly #cap: ReplyCap;
  #reasoning: string | undefined;
  #signature = '';
  readonly #details: Record<string, Detail[string]>[] = [];

  constructor(cap: ReplyCap) {
    this.#cap = cap;
  }

  /**
   * Adds the fields of the next part. Its `reasoning_content` is not counted here, because it is already counted
   * towards the maximum length of the reply.
   */
  add({ reasoning_content, reasoning_details, extra_content }: StateFields): void {
    if (typeof reasoning_content === 'string') this.#reasoning = (this.#reasoning ?? '') + reasoning_content;
    if (Array.isArray(reasoning_details)) for (const detail of reasoning_details) this.#addDetail(detail);
    const signature = signatureIn(extra_content);
    // Some servers repeat the signature with each part of the call.
    if (signature !== this.#signature) this.#signature += this.#cap.admit(signature);
  }

  /**
   * Returns the assembled state; undefined if there is none. Empty reasoning is kept only beside tool calls, where
   * servers may require the field.
   */
  state(besideCalls: boolean): ChatState {
    const reasoning = this.#reasoning === '' && !besideCalls ? undefined : this.#reasoning;
    return {
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
      ...(this.#signature !== '' && { extra_content: extraContent(this.#signature) }),
    };
  }

  /**
   * Adds an entry of `reasoning_details`, or appends to the entry with the same index and type. A text or summary
   * without an index is appended to the last entry if that has the same type and no index either.
   */
  #addDetail(value: unknown): void {
    const detail = readDetail(value);
    if (!detail) return;
    const { index, type } = detail;
    const isText = typeof detail['text'] === 'string' || typeof detail['summary'] === 'string';
    const begun =
      index == null
        ? [this.#details.at(-1)].find((last) => isText && last?.['type'] === type && last?.['index'] == null)
        : this.#details.find((each) => each['index'] === index && each['type'] === type);
    const target = begun ?? {};
    if (!begun) this.#details.push(target);
    for (const [name, next] of Object.entries(detail)) target[name] = this.#joined(name, target[name], next);
  }

  #joined(
    name: string,
    before: Detail[string] | undefined,
    next: Detail[string] | undefined,
  ): Detail[string] {
    if (!fragmented.includes(name)) return before ?? this.#admitted(next ?? null);
    return typeof before === 'string' && typeof next === 'string'
      ? before + this.#cap.admit(next)
      : (this.#admitted(next ?? null) ?? before ?? null);
  }

  #admitted(value: Detail[string] | undefined): Detail[string] {
    return typeof value === 'string' ? this.#cap.admit(value) : (value ?? null);
  }
}

/** Combines the provider state of a message with that of a call in the message. */
export function toVendorState(message: ChatState, call: ChatState = {}): VendorState | undefined {
  const { extra_content } = call;
  const fields = { ...message, ...(extra_content && { call: { extra_content } }) };
  if (Object.keys(fields).length === 0) return undefined;
  const isEncrypted =
    'call' in fields || 'extra_content' in fields || (message.reasoning_details?.some(isSigned) ?? false);
  return { fields, isEncrypted };
}

const isSigned = ({ data, signature }: Detail): boolean =>
  typeof data === 'string' || typeof signature === 'string';

/** Reads the provider state of a message, which the caller sent, and returns its fields. */
export function readMessageState(state: unknown): ChatState {
  const { reasoning_content, reasoning_details, extra_content } = fieldsOf(state);
  const signature = signatureIn(extra_content);
  const details = Array.isArray(reasoning_details)
    ? reasoning_details.map(readDetail).filter((each) => each !== undefined)
    : [];
  return {
    ...(typeof reasoning_content === 'string' && { reasoning_content }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(signature !== '' && { extra_content: extraContent(signature) }),
  };
}

/** Returns the fields of a provider state that belong to the call. */
export function readCallState(state: unknown): Pick<ChatState, 'extra_content'> {
  const { call } = fieldsOf(state);
  const signature = signatureIn(fieldsOf(call)['extra_content']);
  return signature === '' ? {} : { extra_content: extraContent(signature) };
}

const extraContent = (signature: string): ExtraContent => ({ google: { thought_signature: signature } });

function signatureIn(extraContent: unknown): string {
  const { google } = fieldsOf(extraContent);
  const { thought_signature: signature } = fieldsOf(google);
  return typeof signature === 'string' ? signature : '';
}

/** Reads a detail. Drops nested values: no server documents them, and they could be too deep to be sent back. */
function readDetail(value: unknown): Detail | undefined {
  if (!isObject(value)) return undefined;
  const isPlain = Object.values(value).every((each) => each === null || typeof each !== 'object');
  return isPlain ? (value as Detail) : undefined; // JSON has no other values
}
