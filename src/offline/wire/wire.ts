import { createHash } from 'node:crypto';
import type { VendorError } from '../faults/vendor-errors.js';
import type { CheckRequest } from './check-request.js';
import type { RecordedRequest, ScriptedCompletion, ScriptedUsage } from './reply.js';

/** One vendor's way to write things down. Everything is pure; nothing is sent here. */
export interface Wire {
  /** The header that carries the request id. */
  readonly requestIdHeader: string;
  /** What the vendor would refuse. */
  readonly check: CheckRequest;
  /** The body of a plain answer. */
  plain(completion: ScriptedCompletion, request: RecordedRequest): unknown;
  /** The answer as server-sent events, one string for each. */
  events(completion: ScriptedCompletion, request: RecordedRequest): Iterable<string>;
  /** The body of an error. */
  error(error: VendorError, requestId: string): unknown;
  /** An error that happens when the stream has begun. */
  errorEvent(error: VendorError, requestId: string): string;
}

/** The fake's own count: no tokenizer, a quarter of the characters. */
const estimate = (value: unknown): number =>
  Math.ceil((typeof value === 'string' ? value.length : jsonLength(value)) / 4);

/** The length of a value in JSON, which is not written for it: a prompt has megabytes. */
function jsonLength(value: unknown): number {
  if (typeof value === 'string') return 2 + sum(slicesOf(value), (slice) => JSON.stringify(slice).length - 2);
  if (Array.isArray(value)) return lengthOfList(value, (item) => jsonLength(item ?? null));
  if (typeof value !== 'object' || value === null) return (JSON.stringify(value) ?? '').length;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return lengthOfList(fields, ([name, field]) => jsonLength(name) + 1 + jsonLength(field));
}

/** Between brackets, with a comma between any two. */
const lengthOfList = <Item>(items: readonly Item[], lengthOf: (item: Item) => number): number =>
  2 + Math.max(0, items.length - 1) + sum(items, lengthOf);

function sum<Item>(items: Iterable<Item>, lengthOf: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += lengthOf(item);
  return total;
}

const SLICE = 64 * 1024;

function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += SLICE) yield text.slice(start, start + SLICE);
}

/** Counts what was sent and what is answered, and lets the script overrule it. */
export function countUsage(completion: ScriptedCompletion, { body }: RecordedRequest): ScriptedUsage {
  const reasoning = estimate(completion.reasoning ?? '');
  const calls = completion.toolCalls ? estimate(completion.toolCalls) : 0;
  return {
    input: estimate([body['system'], body['messages'], body['tools']]),
    output: estimate(completion.text ?? completion.refusal ?? '') + calls + reasoning,
    cachedInput: 0,
    cacheWrite: 0,
    reasoning,
    ...completion.usage,
  };
}

/** The text deltas of a stream: as scripted, else word by word. */
export const textDeltas = ({ chunks, text }: ScriptedCompletion): Iterable<string> =>
  chunks ?? splitWords(text ?? '');

/** Words with the white space that follows; joined again they are the text. */
export const splitWords = (text: string): string[] => text.match(/\S+\s*|\s+/gu) ?? [];

/** An id that is the same for the same text, so that runs can be compared. */
export function stableId(prefix: string, text: string): string {
  const hash = createHash('sha256');
  for (const slice of slicesOf(text)) hash.update(slice);
  return `${prefix}${hash.digest('hex').slice(0, 24)}`;
}

export const modelOf = (completion: ScriptedCompletion, { body }: RecordedRequest): string =>
  completion.model ?? (typeof body['model'] === 'string' ? body['model'] : 'unknown');
