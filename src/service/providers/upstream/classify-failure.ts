import type { IncomingHttpHeaders } from 'node:http';
import { ProviderError, type ProviderFailure } from '../../step/provider.js';
import type { Constraint } from '../constraint.js';
import type { Secret } from '../secret.js';
import type { VendorError } from '../vendor.js';
import { FailedAttempt, invalidAnswer } from './attempts.js';
import { connectionFailureOf } from './connection-problem.js';
import { cleanVendorWords } from './vendor-words.js';

/** An error that a provider answered with. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly error: VendorError;
}

/** The request that was answered with an error. */
export interface AnsweredRequest {
  readonly provider: string;
  /** Keys of the body that a second request may leave out. */
  readonly strippable: readonly string[];
  /** The schema that was sent for the reply. */
  readonly constraint?: Constraint | undefined;
  /** The vendor's words are dropped if they hold a part of it. */
  readonly key: Secret | undefined;
  /** The vendor's error codes and the failures they mean. */
  readonly codes: ReadonlyMap<string, ProviderFailure>;
}

/** Statuses that mean one thing whatever the body says (rule: error-table). */
const failureByStatus: Readonly<Record<number, ProviderFailure>> = {
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'model_not_found',
  408: 'failed',
  409: 'failed',
  429: 'rate_limited',
  503: 'overloaded',
  529: 'overloaded',
};

/** Failures that a code may name more exactly than the status: a 429 about a quota, a 400 about anything. */
const refinements: Readonly<Partial<Record<ProviderFailure, readonly ProviderFailure[]>>> = {
  rate_limited: ['billing'],
  rejected: ['context_length', 'billing', 'model_not_found', 'authentication', 'permission'],
};

/**
 * How servers word a context overflow for which they have no code: Anthropic, vLLM and OpenRouter, llama.cpp,
 * LM Studio, Google, Groq, xAI, Mistral. Only ever refines a refusal of the request.
 */
const overflowWording =
  /prompt is too long|exceeds? (?:the )?(?:available )?context|context (?:window|limit|length)|maximum (?:context|prompt) length|input is too long|reduce the length of the messages|input token count/i;

/** How servers word a refused key with a 400: Google's has no code of its own. */
const keyWording = /api[ _-]?key (?:is )?(?:not valid|invalid|incorrect)|(?:invalid|incorrect) api[ _-]?key/i;

/** How servers word a limit of money, with whatever status and code. It is not one of requests or tokens a minute. */
const billingWording =
  /insufficient[ _](?:quota|balance|credits?|funds)|balance is (?:too low|insufficient)|exceeded (?:your|the) (?:current )?(?:quota|spend(?:ing)? limit|budget)|(?:spend(?:ing)?|budget|billing)(?: hard)?[ _]limit|budget has been exceeded|out of credits|(?:no|requires more) credits/i;
const rateWording = /per[ _-]?(?:second|minute|hour|day)|retry in\b|rate[ _-]limit/i;

/** How servers word a refused parameter; Anthropic and most compatible servers have no code for it. */
const parameterCode = /^(?:unsupported|unknown|unrecognized)_/;
const parameterWording =
  /not supported|unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|not accept|deprecated|only the default|may only be|no endpoints found|extra (?:inputs|fields)/i;

/** Returns the failed attempt that an error answer means. */
export function classifyFailure(answer: ErrorAnswer, request: AnsweredRequest): FailedAttempt {
  const { status, headers, error } = answer;
  const kind = failureOf(status, error, request.codes);
  const failure = new ProviderError(kind, {
    provider: request.provider,
    upstreamStatus: status,
    retryAfterMs: readRetryAfterMs(headers),
    vendorWords: wordsFor(kind, answer, request.key),
  });
  const refused = refusedOf(error, kind, request);
  if (kind === 'rejected' || refused) return new FailedAttempt(failure, { refusedParameter: refused });
  return new FailedAttempt(failure, { repeatable: isRepeatable(answer, kind) });
}

/** Returns the failed attempt that an error inside a 200 means. Only a gateway names a status there. */
export function classifyInside(error: VendorError, request: Omit<AnsweredRequest, 'key'>): FailedAttempt {
  const { provider, codes } = request;
  const named = error.codes.map((code) => codes.get(code)).find((each) => each !== undefined);
  const likeStatus = error.status ?? (named ? 400 : 500);
  const kind = named && named !== 'rejected' ? named : failureOf(likeStatus, error, codes);
  const failure = new ProviderError(kind, { provider, upstreamStatus: 200 });
  return new FailedAttempt(failure, { refusedParameter: refusedOf(error, kind, request) });
}

/** Errors that mean an unreadable answer: no HTTP at all, endless headers, two lengths. Not all of undici's have codes. */
const unreadable = ['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError'];

/** undici's only sign of an answer in another protocol. */
const BAD_UPGRADE = 'bad upgrade';

/**
 * Returns the failed attempt that an error of the connection means. A second request is allowed only if the error proves
 * that nothing was written. A socket that the peer closed while it was idle proves nothing: the request was handed to the
 * system, and may have arrived and been billed.
 */
export function connectionFailure(error: unknown, provider: string): FailedAttempt {
  const isUnreadable =
    error instanceof Error && (unreadable.includes(error.name) || error.message === BAD_UPGRADE);
  if (isUnreadable) return invalidAnswer(provider, null);
  const connection = connectionFailureOf(error);
  return new FailedAttempt(new ProviderError('unreachable', { provider, connection }), {
    repeatable: neverConnected(error) && connection?.isPassing !== false,
  });
}

/** System calls before a connection exists: when one of them fails, no byte of the request was written. */
const callsBeforeWriting = ['getaddrinfo', 'queryA', 'queryAaaa', 'connect'];

function neverConnected(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  // Several addresses were tried, and each failed.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.every(neverConnected);
  return 'syscall' in error && callsBeforeWriting.includes(String(error.syscall));
}

/** Failures with vendor's words that help to mend a request; words about keys, rights and money are not passed on. */
const failuresWithWords: readonly ProviderFailure[] = ['rejected', 'context_length', 'model_not_found'];
const statusesWithWords: readonly number[] = [400, 404, 413, 422];

function wordsFor(
  failure: ProviderFailure,
  { status, error: { words } }: ErrorAnswer,
  key: Secret | undefined,
): string | null {
  const isShown = failuresWithWords.includes(failure) && statusesWithWords.includes(status);
  return isShown && words ? cleanVendorWords(words, key) : null;
}

function failureOf(
  status: number,
  { codes, message }: VendorError,
  known: AnsweredRequest['codes'],
): ProviderFailure {
  const failure = failureByStatus[status] ?? (status >= 500 ? 'failed' : 'rejected');
  const refined = codes
    .map((code) => known.get(code))
    .find((each) => each && refinements[failure]?.includes(each));
  if (refined) return refined;
  if (billingWording.test(message) && !rateWording.test(message)) return 'billing';
  if (failure !== 'rejected') return failure;
  if (overflowWording.test(message)) return 'context_length';
  return keyWording.test(message) ? 'authentication' : 'rejected';
}

function isRepeatable({ status, headers }: ErrorAnswer, failure: ProviderFailure): boolean {
  if (failure === 'billing' || headers['x-should-retry'] === 'false') return false;
  return status === 429 || status >= 500;
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Returns the wait that the provider asks for, at most an hour; null if it asks for none that can be read.
 * `retry-after-ms` is both vendors' own; `Retry-After` is seconds or a date (RFC 9110 §10.2.3).
 */
export function readRetryAfterMs(headers: IncomingHttpHeaders): number | null {
  const milliseconds = toNumber(headers['retry-after-ms']);
  if (milliseconds !== null) return capped(milliseconds);
  const text = headers['retry-after'];
  const seconds = toNumber(text);
  if (seconds !== null) return capped(seconds * 1000);
  // Without the letter test `Date.parse` finds a date even in `-5`.
  const date = /[a-z]/i.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(date) ? null : capped(Math.max(0, date - Date.now()));
}

function toNumber(text: string | readonly string[] | undefined): number | null {
  const number = Number(String(text ?? '').trim() || Number.NaN);
  return Number.isNaN(number) || number < 0 ? null : number;
}

const capped = (milliseconds: number): number => Math.ceil(Math.min(milliseconds, MAX_RETRY_AFTER_MS));

/** Returns the name under which the refused part of a request is remembered; a second request may leave that part out. */
function refusedOf(
  refusal: VendorError,
  failure: ProviderFailure,
  { constraint, strippable }: Pick<AnsweredRequest, 'constraint' | 'strippable'>,
): string | undefined {
  const refused = constraint && refusedConstraint(refusal, failure, constraint);
  if (refused !== undefined || failure !== 'rejected') return refused;
  return refusedParameter(refusal, strippable) ?? constraint?.forSchema;
}

/**
 * Failures that may be a refused constraint: OpenRouter finds no provider that takes it, with a 404; a server whose
 * grammar compiler gives up answers 500 or 503.
 */
const refusals: readonly ProviderFailure[] = ['rejected', 'failed', 'model_not_found', 'overloaded'];

/** How servers word the refusal of a schema; some answer with a 500 (docs/reference/constrained-output.md). */
const formatWording =
  /response_format|json_schema|output_config\.format|output_format|structured output|guided|grammar|invalid schema/i;
const schemaWording = /schema|grammar|anyof/i;

/**
 * Returns the name of a constraint that the provider refuses: the parameter's if the model takes none, else the schema's
 * (rule: constraint-refusal).
 */
function refusedConstraint(
  { message, parameter = '' }: VendorError,
  failure: ProviderFailure,
  { parameter: name, forSchema }: Constraint,
): string | undefined {
  const words = `${parameter} ${message}`;
  if (!refusals.includes(failure) || !formatWording.test(words)) return undefined;
  const speaksOfSchema = schemaWording.test(words.replaceAll(/json_schema/gi, ''));
  return parameterWording.test(words) && !speaksOfSchema ? name : forSchema;
}

function refusedParameter(
  { parameter = '', message, codes }: VendorError,
  strippable: readonly string[],
): string | undefined {
  if (!codes.some((code) => parameterCode.test(code)) && !parameterWording.test(message)) return undefined;
  const named = parameter === '' ? message : parameter;
  return strippable.find((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(named));
}
