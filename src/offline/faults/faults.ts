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

/** The errors a provider answers with, by their names in `vendorErrors`. */
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

/** All faults of a provider by name (rule: scripted-provider), for either vendor, plain or streamed. */
export const faults = {
  ...refusals,

  /** 401 whose message and header repeat the key of the request. */
  'echoed-key': (question) =>
    refuse(question, echoedKey(question.request.headers['authorization'] ?? 'no key')),
  /** 400 that names a parameter, as long as the request has it; else the completion. */
  'unsupported-parameter': (question) => {
    const { parameter = 'temperature' } = question.fault;
    if (!(parameter in question.request.body)) return complete(question, question.completion);
    return refuse(question, unsupportedParameter(parameter));
  },

  /** Late headers. */
  'slow-headers': (question) => ({ ...healthy(question), delayMs: question.fault.delayMs ?? 60_000 }),
  /** Headers and half of the body, then silence. */
  'stalled-body': (question) => ({ ...healthy(question), delivery: 'stall' }),
  /** The body byte by byte. */
  drip: (question) => ({
    ...healthy(question),
    delivery: 'drip',
    paceMs: question.fault.intervalMs ?? 100,
  }),
  /** Streamed: up to the finish reason, then neither the end event nor the end of the connection. Plain: the answer. */
  'no-end': (question) => ({
    ...succeed(question, withoutEnd(question)),
    ...(question.streamed && { delivery: 'hold' as const }),
  }),
  /** The connection breaks in the middle of the body or stream. */
  cut: (question) => ({ ...healthy(question), delivery: 'cut' }),
  /** The connection is accepted, and nothing is ever sent. */
  silence: () => ({ end: 'silence' }),
  /** The connection is reset before any header. */
  reset: () => ({ end: 'reset' }),

  /** 200 with an HTML page. */
  html: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: [html] }),
  /** 502 with an HTML page, as from a proxy. */
  'html-502': () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: [html] }),
  /** 200 with a body of no bytes. */
  empty: (question) => succeed(question, []),
  /** 200 with `null`. */
  null: (question) => succeed(question, [framed(question, 'null')]),
  /** 200 with `{}`. */
  'empty-object': (question) => succeed(question, [framed(question, '{}')]),
  /** 200 with `choices: []` or `content: []`. */
  'empty-choices': (question) => succeed(question, withoutChoices(question)),
  /** The JSON of the answer, or of one event, ends in the middle; the HTTP message is complete. */
  'truncated-json': (question) => succeed(question, truncated(question)),
  /** A good answer with the content type of plain text. */
  'wrong-content-type': (question) => ({
    ...healthy(question),
    headers: { 'content-type': 'text/plain' },
  }),
  /** A text of 300 MB, produced while the client reads. */
  huge: (question) => succeed(question, hugeBody(question)),
  /** 307; a client that follows sends the prompt to the other address. */
  redirect: ({ fault, request }) => ({
    status: 307,
    headers: { location: fault.location ?? `/redirected${request.path}` },
    body: [],
  }),
  /** Streamed: an error event in the middle. Plain: an error body with status 200. */
  'error-event': (question) => succeed(question, interrupted(question)),
} as const satisfies Readonly<Record<FaultName, Behaviour>>;

/** All names, in the order of the table. */
// The keys of the literal above are exactly its type's keys.
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

/** Writes an empty completion; OpenAI's has a choice even then, which is removed from its JSON. */
function withoutChoices(question: FaultQuestion): string[] {
  const nothing = { finishReason: 'stop', text: null };
  return [...completionBody(question, nothing)].map((piece) =>
    piece.replace(/"choices":\[.*\](?=,"usage"|\})/u, '"choices":[]'),
  );
}

function truncated(question: FaultQuestion): string[] {
  if (!question.streamed) return [...completionBody(question, question.completion)].map(firstHalf);
  const events = [...completionBody(question, question.completion)];
  const middle = Math.floor(events.length / 2);
  return [...events.slice(0, middle), `${firstHalf(events[middle] ?? '').trimEnd()}\n\n`];
}

const withoutEnd = (question: FaultQuestion): string[] =>
  [...completionBody(question, question.completion)].slice(0, question.streamed ? -1 : undefined);

const firstHalf = (text: string): string => text.slice(0, Math.floor(text.length / 2));

function interrupted(question: FaultQuestion): string[] {
  const { wire, request, streamed, completion } = question;
  const id = requestIdOf(request);
  if (!streamed) return [JSON.stringify(wire.error(vendorErrors.overloaded, id))];
  const events = [...completionBody(question, completion)];
  return [...events.slice(0, Math.floor(events.length / 2)), wire.errorEvent(vendorErrors.overloaded, id)];
}

/** Writes the text 64 KiB at a time; a plain answer is split at a placeholder for it. */
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
  const piece = 'stepwise '.repeat(7282);
  for (let left = bytes; left > 0; left -= piece.length) yield piece;
}
