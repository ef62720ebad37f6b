import type { IncomingHttpHeaders } from 'node:http';
import { connectionFailureOf, PROXY_FAILED } from '../../../network/connection-problem.js';
import { ProviderError, type ProviderFailure } from '../../step/provider.js';
import type { Constraint } from '../constraint.js';
import type { Secret } from '../secret.js';
import type { VendorError } from '../vendor.js';
import { FailedAttempt, invalidAnswer } from './attempts.js';
import { cleanVendorWords } from './vendor-words.js';

/** An error response of a provider. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly error: VendorError;
}

/** The request that led to the error response. */
export interface AnsweredRequest {
  readonly provider: string;
  /** Keys of the body that a second request may omit. */
  readonly strippable: readonly string[];
  /** The schema that was sent for the reply. */
  readonly constraint?: Constraint | undefined;
  /** The caller's key and the gateway's values. The vendor's message is dropped if it contains a part of one. */
  readonly secrets: readonly Secret[];
  /** The vendor's error codes and the failures they mean. */
  readonly codes: ReadonlyMap<string, ProviderFailure>;
}

/** Statuses that always mean the same failure, whatever the body contains (rule: error-table). */
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

/**
 * Failures that an error code may state more precisely than the status does: a 429 may be about a quota, a 401 about
 * the models of a key, a 400 about anything.
 */
const refinements: Readonly<Partial<Record<ProviderFailure, readonly ProviderFailure[]>>> = {
  authentication: ['permission'],
  rate_limited: ['billing'],
  failed: ['context_length', 'billing'],
  rejected: ['context_length', 'billing', 'model_not_found', 'authentication', 'permission'],
};

/**
 * Error messages about a context overflow from servers without a code for it: Anthropic, vLLM and OpenRouter,
 * llama.cpp, LM Studio, Google, Groq, xAI, Mistral, Text Generation Inference, Kimi, GitHub, DashScope, watsonx.
 */
const overflowWording =
  /prompt is too long|exceeds? (?:the )?(?:available )?context|context (?:window|limit|length)|maximum (?:context|prompt|model) length|max_(?:seq|model)_len|input is too long|reduce the length of the messages|input token count|(?:model|total) tokens? limit|token count of \d+ exceeds|too many (?:input )?tokens\b(?!.*(?:wait|per))|(?:range of )?input length should be|exceeds? max message tokens|\binputs?\W* (?:tokens \+|must have less than)/i;
/**
 * Matches messages that something is too large. If a message about the context has status 500 but none of these
 * words, it is about memory.
 */
const excessWording =
  /exceed|overflow|too (?:long|many|large)|(?:greater|larger|longer|more) than|maximum|reduce/i;

/**
 * Matches messages about a refused key in responses with status 400, as Google, xAI, LiteLLM, Cloudflare and DeepSeek send
 * them.
 */
const keyWording =
  /api[ _-]?key (?:is )?(?:not valid|invalid|incorrect|expired)|(?:invalid|incorrect) api[ _-]?key|expired key|(?:missing|invalid) authorization header|authentication (?:error|fail)/i;

/**
 * Matches messages about an unknown model in responses with status 400, as LiteLLM, OpenRouter, DeepSeek, Mistral,
 * Perplexity, SiliconFlow, OpenAI, LM Studio, Bedrock, Gemini, GitHub, MiniMax, Z.ai, Together, Cloudflare and Hugging
 * Face send them.
 */
const modelWording =
  /invalid model(?: name|:| id(?:entifier)?\b| ['"`])|model (?:name|id|identifier) is invalid|unexpected model name|not a valid model(?! parameter)|no such model|no models? loaded|unknown model(?=[:,.]| ['"`]|$)|unable to access model|llm provider not provided|\bmodel(?: ['"`]?[\w./:@-]+['"`]?)? (?:(?:was |is )?not found|(?:does )?not exist)|\brequested model (?:['"`]?[\w./:@-]+['"`]? )?is not (?:supported|available)|模型不存在/i;

/**
 * Matches messages about a spend limit, whatever the status and code, but not about limits of requests or
 * tokens per minute.
 */
const billingWording =
  /insufficient[ _](?:quota|balance|credits?|funds)|balance is (?:too low|insufficient)|exceeded (?:your|the) (?:current )?(?:token )?(?:quota|spend(?:ing)? limit|budget)|(?:spend(?:ing)?|budget|billing)(?: hard)?[ _](?:limit|cap)|budget has been exceeded|over budget|specified api usage limits|out of credits|(?:no|any|requires more) credits|credits (?:are|have been) (?:depleted|exhausted)|free tier[\w ]{0,40} exhausted|overdue balance|key limit exceeded|欠费|余额不足/i;
const rateWording = /per[ _-]?(?:second|minute|hour|day)|retry in\b|rate[ _-]limit/i;

/**
 * Matches error codes of a refused parameter. Anthropic and most compatible servers have no code for it, only a
 * message.
 */
const parameterCode = /^(?:unsupported|unknown|unrecognized)_/;
const parameterWording =
  /not supported|unsupported|not support|unrecogni[sz]ed|unknown|not a (?:valid|supported|recogni[sz]ed) (?:parameter|field|argument)|invalid (?:parameter|field|argument)|only [\d.]+ is (?:allowed|supported)|unexpected|not permitted|not allowed|not accept|deprecated|only the default|may only be|no endpoints found|extra (?:inputs|fields)/i;

/** Returns the failed attempt for an error response. */
export function classifyFailure(answer: ErrorAnswer, request: AnsweredRequest): FailedAttempt {
  const { status, headers, error } = answer;
  const kind = failureOf(status, error, request.codes);
  const failure = new ProviderError(kind, {
    provider: request.provider,
    upstreamStatus: status,
    retryAfterMs: readRetryAfterMs(headers) ?? waitIn(error),
    vendorWords: wordsFor(kind, answer, request.secrets),
  });
  const refused = refusedOf(error, kind, request);
  if (kind === 'rejected' || refused) return new FailedAttempt(failure, { refusedParameter: refused });
  return new FailedAttempt(failure, { repeatable: isRepeatable(answer, kind) });
}

/**
 * Returns the failed attempt for an error inside a response with status 200. Gateways put the original status into
 * the body; local servers send nothing but a message.
 */
export function classifyInside(error: VendorError, request: Omit<AnsweredRequest, 'secrets'>): FailedAttempt {
  const { provider, codes } = request;
  const named = error.codes.map((code) => codes.get(code)).find((each) => each !== undefined);
  const likeStatus = error.status ?? (named ? 400 : undefined);
  const kind = named && named !== 'rejected' ? named : failureOf(likeStatus, error, codes);
  const failure = new ProviderError(kind, { provider, upstreamStatus: 200, retryAfterMs: waitIn(error) });
  return new FailedAttempt(failure, { refusedParameter: refusedOf(error, kind, request) });
}

/**
 * Names of undici's errors for an unreadable response: invalid HTTP, endless headers, a wrong length. Not all of
 * undici's errors have codes.
 */
const unreadable = ['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError'];

/**
 * Message of undici's error for a response in another protocol than HTTP; nothing else in the error identifies it.
 */
const BAD_UPGRADE = 'bad upgrade';

/**
 * Returns the failed attempt for a connection error. A second attempt is allowed only if the error proves that no
 * byte was written. If the peer closed an idle connection, nothing is proved: the request was handed to the
 * operating system, and may have arrived and been billed.
 */
export function connectionFailure(
  error: unknown,
  { provider }: { readonly provider: string },
): FailedAttempt {
  const isUnreadable =
    error instanceof Error && (unreadable.includes(error.name) || error.message === BAD_UPGRADE);
  if (isUnreadable) return invalidAnswer(provider, null);
  const connection = connectionFailureOf(error);
  return new FailedAttempt(new ProviderError('unreachable', { provider, connection }), {
    repeatable: neverConnected(error) && connection?.isPassing !== false,
  });
}

/** System calls before a connection exists. If one of them fails, no byte of the request was written. */
const callsBeforeWriting = ['getaddrinfo', 'queryA', 'queryAaaa', 'connect'];

function neverConnected(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  if ('code' in error && error.code === PROXY_FAILED && 'cause' in error) return neverConnected(error.cause);
  // undici tried several addresses; the error contains one error for each.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.every(neverConnected);
  return 'syscall' in error && callsBeforeWriting.includes(String(error.syscall));
}

/**
 * Failures for which the caller gets the vendor's message, because it helps to correct the request. Messages about
 * keys, permissions and money are not passed on.
 */
const failuresWithWords: readonly ProviderFailure[] = ['rejected', 'context_length', 'model_not_found'];
const statusesWithWords: readonly number[] = [400, 404, 413, 422];

function wordsFor(
  failure: ProviderFailure,
  { status, error: { words } }: ErrorAnswer,
  secrets: readonly Secret[],
): string | null {
  const isShown = failuresWithWords.includes(failure) && statusesWithWords.includes(status);
  return isShown && words ? cleanVendorWords(words, secrets) : null;
}

/** Returns the failure that an error means. Without a status, its words decide; without known words it is `failed`. */
function failureOf(
  status: number | undefined,
  { codes, message }: VendorError,
  known: AnsweredRequest['codes'],
): ProviderFailure {
  const failure =
    status === undefined ? 'failed' : (failureByStatus[status] ?? (status >= 500 ? 'failed' : 'rejected'));
  const refined = codes
    .map((code) => known.get(code))
    .find((each) => each && refinements[failure]?.includes(each));
  if (refined) return refined;
  if (billingWording.test(message) && !rateWording.test(message)) return 'billing';
  // Local servers send any error with status 500, and an error inside a response has none.
  const isVague = status === undefined || status === 500;
  if (!isVague && failure !== 'rejected') return failure;
  if (overflowWording.test(message) && (!isVague || excessWording.test(message))) return 'context_length';
  if (status === 500) return failure;
  if (keyWording.test(message)) return 'authentication';
  return modelWording.test(message) ? 'model_not_found' : failure;
}

function isRepeatable({ status, headers }: ErrorAnswer, failure: ProviderFailure): boolean {
  if (failure === 'billing' || headers['x-should-retry'] === 'false') return false;
  return status === 429 || status >= 500;
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Returns the wait that the provider asks for, at most an hour; null if it sends no readable value. Both vendors
 * send `retry-after-ms`; `Retry-After` contains seconds or a date (RFC 9110 §10.2.3).
 */
export function readRetryAfterMs(headers: IncomingHttpHeaders): number | null {
  const milliseconds = toNumber(headers['retry-after-ms']);
  if (milliseconds !== null) return capped(milliseconds);
  // LiteLLM passes the provider's header on under this other name. A gateway may add a header to the provider's own.
  const [text = ''] = [headers['retry-after'] ?? headers['llm_provider-retry-after'] ?? ''].flat();
  const seconds = toNumber(text);
  if (seconds !== null) return capped(seconds * 1000);
  // Without the letter test, `Date.parse` would accept even `-5` as a date.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : capped(Math.max(0, date - Date.now()));
}

function toNumber(text: string | readonly string[] | undefined): number | null {
  const number = Number(String(text ?? '').trim() || Number.NaN);
  return Number.isNaN(number) || number < 0 ? null : number;
}

const waitIn = ({ retryAfterMs }: VendorError): number | null =>
  retryAfterMs === null ? null : capped(retryAfterMs);

const capped = (milliseconds: number): number => Math.ceil(Math.min(milliseconds, MAX_RETRY_AFTER_MS));

/** Returns the cache key of the part of the request that the provider refused, if a second attempt may omit it. */
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
 * Failures whose cause may be a refused constraint: OpenRouter responds with 404 if no provider supports it; a
 * server whose grammar compiler fails responds with 500 or 503.
 */
const refusals: readonly ProviderFailure[] = ['rejected', 'failed', 'model_not_found', 'overloaded'];

/**
 * Matches error messages about a refused schema. Some servers send them with status 500
 * (docs/reference/constrained-output.md).
 */
const formatWording =
  /response_format|text\.format|json_schema|output_config\.format|output_format|structured output|guided|grammar|invalid schema/i;
const schemaWording = /schema|grammar|anyof/i;

/**
 * Returns the cache key of a constraint that the provider refused: the key of its form if the model supports no
 * constraint at all, otherwise the key of the schema (rule: constraint-refusal).
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
