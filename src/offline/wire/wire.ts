import { createHash } from 'node:crypto';
import type { VendorError } from '../faults/vendor-errors.js';
import type { CheckRequest } from './check-request.js';
import type { RecordedRequest, ScriptedCompletion, ScriptedUsage } from './reply.js';

/** One vendor's protocol as pure functions, without I/O. */
export interface Wire {
  /** The header that carries the request id. */
  readonly requestIdHeader: string;
  /** Returns the problem for which the vendor would refuse a request, or null. */
  readonly check: CheckRequest;
  /** Returns the body of a plain answer. */
  plain(completion: ScriptedCompletion, request: RecordedRequest): unknown;
  /** Returns the answer as server-sent events, one string for each. */
  events(completion: ScriptedCompletion, request: RecordedRequest): Iterable<string>;
  /** Returns the body of an error. */
  error(error: VendorError, requestId: string): unknown;
  /** True if the last event of a stream has the finish reason. */
  readonly endsWithReason?: boolean;
  /** Returns the event of an error in a stream. */
  errorEvent(error: VendorError, requestId: string): string;
}

/** Estimates the tokens of a text, or of a value written as JSON, as a quarter of its bytes in UTF-8. */
const estimate = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / 4);

/** Estimates the usage of a request and its completion; the script's own figures take precedence. */
export function countUsage(completion: ScriptedCompletion, { body }: RecordedRequest): ScriptedUsage {
  const reasoning = estimate(completion.reasoning ?? '');
  const calls = completion.toolCalls ? estimate(completion.toolCalls) : 0;
  return {
    input: estimate([body['system'], body['messages'] ?? body['input'], body['tools']]),
    output: estimate(completion.text ?? completion.refusal ?? '') + calls + reasoning,
    cachedInput: 0,
    cacheWrite: 0,
    reasoning,
    ...completion.usage,
  };
}

/** Returns the text deltas of a stream: as scripted, else word by word. */
export const textDeltas = ({ chunks, text }: ScriptedCompletion): Iterable<string> =>
  chunks ?? splitWords(text ?? '');

/** Splits a text into words, each with the white space that follows it. */
export const splitWords = (text: string): string[] => text.match(/\S+\s*|\s+/gu) ?? [];

/** Returns an id that depends only on the text, so that runs can be compared. */
export const stableId = (prefix: string, text: string): string =>
  `${prefix}${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;

export const modelOf = (completion: ScriptedCompletion, { body }: RecordedRequest): string =>
  completion.model ?? (typeof body['model'] === 'string' ? body['model'] : 'unknown');
