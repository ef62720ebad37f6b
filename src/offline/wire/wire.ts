import { createHash } from 'node:crypto';
import type { VendorError } from '../faults/vendor-errors.js';
import type { CheckRequest } from './check-request.js';
import type { RecordedRequest, ScriptedCompletion, ScriptedUsage } from './reply.js';

/** The API format of one vendor, as pure functions without I/O. */
export interface Wire {
  /** Name of the response header with the request id. */
  readonly requestIdHeader: string;
  /** Returns the reason for which the vendor would refuse a request, or null. */
  readonly check: CheckRequest;
  /** Returns the body of a response that is not streamed. */
  plain(completion: ScriptedCompletion, request: RecordedRequest): unknown;
  /** Yields the response as server-sent events, each as one string. */
  events(completion: ScriptedCompletion, request: RecordedRequest): Iterable<string>;
  /** Returns the body of an error. */
  error(error: VendorError, requestId: string): unknown;
  /** True if the stream ends with the event that carries the finish reason, without a separate end event. */
  readonly endsWithReason?: boolean;
  /** Returns the event that reports an error within a stream. */
  errorEvent(error: VendorError, requestId: string): string;
}

/** Estimates the tokens of a text, or of a value written as JSON: a quarter of its bytes in UTF-8. */
const estimate = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / 4);

/** Estimates the usage of a request and its completion. Numbers that the script names take precedence. */
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

/** Returns the text deltas of a stream: those of the script, otherwise one for each word. */
export const textDeltas = ({ chunks, text }: ScriptedCompletion): Iterable<string> =>
  chunks ?? splitWords(text ?? '');

/** Splits a text into words, each with the white space that follows it. */
export const splitWords = (text: string): string[] => text.match(/\S+\s*|\s+/gu) ?? [];

/** Returns an id that depends only on the text, so that the output of two runs can be compared. */
export const stableId = (prefix: string, text: string): string =>
  `${prefix}${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;

export const modelOf = (completion: ScriptedCompletion, { body }: RecordedRequest): string =>
  completion.model ?? (typeof body['model'] === 'string' ? body['model'] : 'unknown');
