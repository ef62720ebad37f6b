import { ProviderError, type ProviderFailure } from '../../step/provider.js';
import type { Constraint } from '../constraint.js';
import type { Secret } from '../secret.js';
import { FailedAttempt } from './failed-attempt.js';
import { readRetryAfterMs } from './retry-after.js';
import { cleanVendorWords, type VendorMessage } from './vendor-words.js';

/** An error a provider answered with. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The machine-readable names of the error, the most specific first. */
  readonly codes: readonly string[];
  /** Parameter or path the provider names. */
  readonly parameter: string | undefined;
  readonly message: string;
  /** What of it the caller may see; absent if the body is no error object of the vendor's. */
  readonly words: VendorMessage | undefined;
}

/** Who answered, and what of the request may be left out without harm to its meaning. */
export interface AnsweredRequest {
  readonly provider: string;
  readonly strippable: readonly string[];
  /** What the reply was to be held to. */
  readonly constraint?: Constraint | undefined;
  /** No word that holds a part of it is passed on. */
  readonly key: Secret | undefined;
  /** The vendor's codes and what they mean. */
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

/** What a code may add to the status: that a 429 is about a quota; what a 400 is about. */
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
const creditWording = /credit balance is too low/i;

/** How a refused parameter is worded; Anthropic and most compatible servers have no code for it. */
const parameterCode = /^(?:unsupported|unknown|unrecognized)_/;
const parameterWording =
  /not supported|unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|not accept|deprecated|only the default|may only be|no endpoints found|extra (?:inputs|fields)/i;

/** The failed attempt that an error answer means. */
export function classifyFailure(answer: ErrorAnswer, request: AnsweredRequest): FailedAttempt {
  const failure = failureOf(answer, request.codes);
  const error = new ProviderError(failure, {
    provider: request.provider,
    upstreamStatus: answer.status,
    retryAfterMs: readRetryAfterMs(answer.headers),
    vendorWords: wordsFor(failure, answer, request.key),
  });
  const refused = refusedOf(answer, failure, request);
  if (failure === 'rejected' || refused) return new FailedAttempt(error, { refusedParameter: refused });
  return new FailedAttempt(error, { repeatable: isRepeatable(answer, failure) });
}

/** A caller can mend a request by the vendor's words; what they say about keys, rights and money is not passed on. */
const failuresWithWords: readonly ProviderFailure[] = ['rejected', 'context_length', 'model_not_found'];
const statusesWithWords: readonly number[] = [400, 404, 413, 422];

function wordsFor(
  failure: ProviderFailure,
  { status, words }: ErrorAnswer,
  key: Secret | undefined,
): string | null {
  const shown = failuresWithWords.includes(failure) && statusesWithWords.includes(status);
  return shown && words ? cleanVendorWords(words, key) : null;
}

function failureOf(
  { status, codes, message }: Pick<ErrorAnswer, 'status' | 'codes' | 'message'>,
  known: AnsweredRequest['codes'],
): ProviderFailure {
  const failure = failureByStatus[status] ?? (status >= 500 ? 'failed' : 'rejected');
  const refined = codes
    .map((code) => known.get(code))
    .find((each) => each && refinements[failure]?.includes(each));
  if (refined) return refined;
  if (failure !== 'rejected') return failure;
  if (overflowWording.test(message)) return 'context_length';
  return creditWording.test(message) ? 'billing' : 'rejected';
}

/** An error in the place of a completion: there is no status, unless a gateway gives one for a code. */
export interface ErrorInside extends Pick<ErrorAnswer, 'codes' | 'message' | 'parameter'> {
  readonly status: number | undefined;
}

/** The failed attempt that an error inside a 200 means. */
export function classifyInside(answer: ErrorInside, request: Omit<AnsweredRequest, 'key'>): FailedAttempt {
  const failure = failureInside(answer, request.codes);
  const error = new ProviderError(failure, { provider: request.provider, upstreamStatus: 200 });
  return new FailedAttempt(error, { refusedParameter: refusedOf(answer, failure, request) });
}

function failureInside(
  { codes, status, message }: ErrorInside,
  known: AnsweredRequest['codes'],
): ProviderFailure {
  const named = codes.map((code) => known.get(code)).find((each) => each !== undefined);
  if (named && named !== 'rejected') return named;
  const likeStatus = status ?? (named ? 400 : 500);
  return failureOf({ status: likeStatus, codes, message }, known);
}

function isRepeatable({ status, headers }: ErrorAnswer, failure: ProviderFailure): boolean {
  if (failure === 'billing' || headers.get('x-should-retry') === 'false') return false;
  return status === 429 || status >= 500;
}

type Refusal = Pick<ErrorAnswer, 'codes' | 'message' | 'parameter'>;

/** What may be left out of a second request, in the words by which it is remembered. */
function refusedOf(
  refusal: Refusal,
  failure: ProviderFailure,
  { constraint, strippable }: Pick<AnsweredRequest, 'constraint' | 'strippable'>,
): string | undefined {
  const refused = constraint && refusedConstraint(refusal, failure, constraint);
  if (refused !== undefined || failure !== 'rejected') return refused;
  return refusedParameter(refusal, strippable) ?? constraint?.forSchema;
}

/**
 * Failures as which a refused constraint may come: OpenRouter finds no provider that takes it, with a 404; a server whose
 * grammar compiler gives up answers 500 or 503.
 */
const refusals: readonly ProviderFailure[] = ['rejected', 'failed', 'model_not_found', 'overloaded'];

/** How servers speak of a schema that they do not take; some answer so with a 500 (docs/reference/constrained-output.md). */
const formatWording =
  /response_format|json_schema|output_config\.format|output_format|structured output|guided|grammar|invalid schema/i;
const schemaWording = /schema|grammar|anyof/i;

/**
 * What is to be remembered of a constraint that the provider names in its refusal: that the model takes none, or not this
 * schema (rule: constraint-refusal).
 */
function refusedConstraint(
  { message, parameter = '' }: Refusal,
  failure: ProviderFailure,
  { parameter: name, forSchema }: Constraint,
): string | undefined {
  const words = `${parameter} ${message}`;
  if (!refusals.includes(failure) || !formatWording.test(words)) return undefined;
  const speaksOfSchema = schemaWording.test(words.replaceAll(/json_schema/gi, ''));
  return parameterWording.test(words) && !speaksOfSchema ? name : forSchema;
}

function refusedParameter(
  { parameter = '', message, codes }: Refusal,
  strippable: readonly string[],
): string | undefined {
  if (!codes.some((code) => parameterCode.test(code)) && !parameterWording.test(message)) return undefined;
  const named = parameter === '' ? message : parameter;
  return strippable.find((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(named));
}
