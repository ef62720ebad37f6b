import type { FaultName } from '../wire/reply.js';
import {
  complete,
  completionBody,
  type FaultQuestion,
  type HttpAnswer,
  refuse,
  requestIdOf,
  succeed,
  type WireAnswer,
} from '../wire/wire-answer.js';
import { echoedKey, unsupportedParameter, type VendorErrorName, vendorErrors } from './vendor-errors.js';

type Behaviour = (question: FaultQuestion) => WireAnswer;

const html = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

/**
 * The provider's error for each fault that is only an error response. Each fault has the name of its error in
 * `vendorErrors`.
 */
const refusals = {
  'bad-request': refusal('bad-request'),
  'context-overflow': refusal('context-overflow'),
  unauthorized: refusal('unauthorized'),
  'payment-required': refusal('payment-required'),
  forbidden: refusal('forbidden'),
  'not-found': refusal('not-found'),
  'request-timeout': refusal('request-timeout'),
  conflict: refusal('conflict'),
  'too-large': refusal('too-large'),
  'rate-limited': refusal('rate-limited'),
  'quota-exhausted': refusal('quota-exhausted'),
  'server-error': refusal('server-error'),
  'bad-gateway': refusal('bad-gateway'),
  unavailable: refusal('unavailable'),
  'gateway-timeout': refusal('gateway-timeout'),
  overloaded: refusal('overloaded'),
} satisfies Record<VendorErrorName, Behaviour>;

/** All faults of a provider by name (rule: scripted-provider). Each works for both vendors, plain and streamed. */
export const faults = {
  ...refusals,

  /** Answers 401. The message and a header repeat the key of the request. */
  'echoed-key': (question) =>
    refuse(question, echoedKey(question.request.headers['authorization'] ?? 'no key')),
  /**
   * Answers 400 and names an unsupported parameter if the request contains that parameter; otherwise sends the
   * completion.
   */
  'unsupported-parameter': (question) => {
    const { parameter = 'temperature' } = question.fault;
    if (!(parameter in question.request.body)) return complete(question, question.completion);
    return refuse(question, unsupportedParameter(parameter));
  },

  /** Delays the response headers. */
  'slow-headers': (question) => ({ ...healthy(question), delayMs: question.fault.delayMs ?? 60_000 }),
  /** Sends the headers and half of the body, then nothing more. */
  'stalled-body': (question) => ({ ...healthy(question), delivery: 'stall' }),
  /** Sends the body one byte at a time. */
  drip: (question) => ({
    ...healthy(question),
    delivery: 'drip',
    paceMs: question.fault.intervalMs ?? 100,
  }),
  /**
   * Streamed: stops after the finish reason, without an end event and without ending the connection. Plain: sends
   * the answer but does not end the connection.
   */
  'no-end': (question) => ({
    ...succeed(question, withoutEnd(question)),
    ...(question.streamed && { delivery: 'hold' as const }),
  }),
  /** Breaks the connection in the middle of the body or stream. */
  cut: (question) => ({ ...healthy(question), delivery: 'cut' }),
  /** Accepts the connection but never sends anything. */
  silence: () => ({ end: 'silence' }),
  /** Resets the connection before sending any header. */
  reset: () => ({ end: 'reset' }),

  /** Answers 200 with an HTML page. */
  html: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: [html] }),
  /** Answers 502 with an HTML page, as a proxy does. */
  'html-502': () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: [html] }),
  /** Answers 200 with an empty body. */
  empty: (question) => succeed(question, []),
  /** Answers 200 with `null`. */
  null: (question) => succeed(question, [framed(question, 'null')]),
  /** Answers 200 with `{}`. */
  'empty-object': (question) => succeed(question, [framed(question, '{}')]),
  /** Answers 200 with `choices: []` or `content: []`. */
  'empty-choices': (question) => succeed(question, withoutChoices(question)),
  /** Cuts the JSON of the answer, or of one event, in the middle. The HTTP message itself is complete. */
  'truncated-json': (question) => succeed(question, truncated(question)),
  /** Sends a valid answer with the content type of plain text. */
  'wrong-content-type': (question) => ({
    ...healthy(question),
    headers: { 'content-type': 'text/plain' },
  }),
  /** Sends a text of 300 MB by default, which is generated while the client reads it. */
  huge: (question) => succeed(question, hugeBody(question)),
  /** Answers 307. A client that follows the redirect sends the prompt to another address. */
  redirect: ({ fault, request }) => ({
    status: 307,
    headers: { location: fault.location ?? `/redirected${request.path}` },
    body: [],
  }),
  /** Streamed: sends an error event in the middle of the stream. Plain: sends an error body with status 200. */
  'error-event': (question) => succeed(question, interrupted(question)),
} as const satisfies Readonly<Record<FaultName, Behaviour>>;

/** The names of all faults, in the order of `faults`. */
// Cast: the literal above has exactly the keys of its type.
export const faultNames = Object.keys(faults) as readonly FaultName[];

function refusal(name: VendorErrorName): Behaviour {
  return (question) => {
    const answer = refuse(question, vendorErrors[name]);
    const { retryAfter } = question.fault;
    if (retryAfter === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
  };
}

const healthy = (question: FaultQuestion): HttpAnswer => complete(question, question.completion);

const framed = ({ streamed }: FaultQuestion, json: string): string => (streamed ? `data: ${json}\n\n` : json);

/** Writes an empty completion. OpenAI's format has a choice even then, so the choice is removed from the JSON text. */
function withoutChoices(question: FaultQuestion): string[] {
  const nothing = { finishReason: 'stop', text: null };
  return [...completionBody(question, nothing)].map((chunk) =>
    chunk.replace(/"choices":\[.*\](?=,"usage"|\})/u, '"choices":[]'),
  );
}

function truncated(question: FaultQuestion): string[] {
  if (!question.streamed) return [...completionBody(question, question.completion)].map(firstHalf);
  const events = [...completionBody(question, question.completion)];
  const middle = Math.floor(events.length / 2);
  return [...events.slice(0, middle), `${firstHalf(events[middle] ?? '').trimEnd()}\n\n`];
}

const withoutEnd = (question: FaultQuestion): string[] =>
  [...completionBody(question, question.completion)].slice(0, isEndSeparate(question) ? -1 : undefined);

const isEndSeparate = ({ streamed, wire }: FaultQuestion): boolean => streamed && !wire.endsWithReason;

const firstHalf = (text: string): string => text.slice(0, Math.floor(text.length / 2));

function interrupted(question: FaultQuestion): string[] {
  const { wire, request, streamed, completion } = question;
  const id = requestIdOf(request);
  if (!streamed) return [JSON.stringify(wire.error(vendorErrors.overloaded, id))];
  const events = [...completionBody(question, completion)];
  return [...events.slice(0, Math.floor(events.length / 2)), wire.errorEvent(vendorErrors.overloaded, id)];
}

/**
 * Yields the text 64 KiB at a time. Writes a plain answer with a placeholder first, and then sends the text in place
 * of the placeholder.
 */
function* hugeBody(question: FaultQuestion): Iterable<string> {
  const { bytes = 300_000_000 } = question.fault;
  if (question.streamed) return yield* completionBody(question, { chunks: filler(bytes) });
  const mark = 'the text goes here';
  const [before = '', after = ''] = [...completionBody(question, { text: mark })].join('').split(mark);
  yield before;
  yield* filler(bytes);
  yield after;
}

function* filler(bytes: number): Iterable<string> {
  const chunk = 'stepwise '.repeat(7282);
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk;
}
