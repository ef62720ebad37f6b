import type { Attributes } from '@opentelemetry/api';
import { type ErrorCode, errorCodes } from '../../../contract/error-codes.js';
import type { ProviderRequest, RequestEnd } from '../../providers/request-observer.js';
import { Interruption, StepRefused } from '../../step/interruption.js';
import { type Completion, type CompletionRequest, ProviderError } from '../../step/provider.js';
import type { TracedAnswer, TracedRequest } from './request-trace.js';

/*
 * All attributes of spans (rule: span-contents), with the names of OpenTelemetry's semantic conventions: those for
 * HTTP are stable, those for generative AI are in development. The SDK omits undefined values.
 */

/** Status that the log uses if the caller left. No response is sent with it. */
const CALLER_LEFT = 499;

export function requestAttributes({ method, route }: TracedRequest): Attributes {
  return {
    'http.request.method': method,
    'http.route': route,
    'url.path': route, // routes have no parameters
    'url.scheme': 'http',
  };
}

export function answerAttributes({ status, outcome, requestId, sessionId }: TracedAnswer): Attributes {
  return {
    'http.response.status_code': status === CALLER_LEFT ? undefined : status,
    'stepwise.outcome': outcome,
    'stepwise.request_id': requestId,
    'gen_ai.conversation.id': sessionId,
  };
}

/**
 * Returns the error code of a failure that is not the caller's fault; undefined for any other outcome. The status
 * alone does not decide, because a stream may fail after its status was sent.
 */
export function serverErrorOf({ status, outcome }: TracedAnswer): string | undefined {
  const isCode = Object.hasOwn(errorCodes, outcome);
  const plainStatus = isCode ? errorCodes[outcome as ErrorCode].status : status; // cast: checked in the line above
  return plainStatus >= 500 && status !== CALLER_LEFT ? outcome : undefined;
}

interface CallOptions {
  readonly provider: string;
  readonly streamed: boolean;
  /** Name of the model; undefined if the requested text cannot be a model's name. */
  readonly model: string | undefined;
}

export function callAttributes(
  { maxOutputTokens, temperature, seed, cacheKey, replySchema }: CompletionRequest,
  { provider, streamed, model }: CallOptions,
): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.conversation.id': cacheKey,
    'gen_ai.request.model': model,
    'gen_ai.request.max_tokens': maxOutputTokens,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.seed': seed,
    'gen_ai.request.stream': streamed || undefined,
    'gen_ai.output.type': replySchema === undefined ? undefined : 'json',
  };
}

export function completionAttributes(
  { usage, finishReason }: Completion,
  model: string | undefined,
): Attributes {
  return {
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [finishReason],
    'gen_ai.usage.input_tokens': usage.input_tokens ?? undefined,
    'gen_ai.usage.output_tokens': usage.output_tokens ?? undefined,
    'gen_ai.usage.cache_read.input_tokens': usage.cached_input_tokens ?? undefined,
    'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens ?? undefined,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning_tokens ?? undefined,
  };
}

/**
 * Returns the span attributes of a provider request. Omits the path of the URL, which may contain an operator's
 * account or token.
 */
export function exchangeAttributes({ origin }: ProviderRequest, resendCount: number): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  return {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'http.request.resend_count': resendCount || undefined,
  };
}

export function exchangeEndAttributes({ status }: RequestEnd): Attributes {
  return { 'http.response.status_code': status ?? undefined };
}

/** Returns the error of a provider request; undefined for a status below 400. */
export function exchangeErrorOf({ status, failure }: RequestEnd): string | undefined {
  if (failure !== null) return failure;
  return status !== null && status >= 400 ? String(status) : undefined;
}

/** Returns the class or the code of a thrown value, because its message may contain anything. */
export function errorTypeOf(thrown: unknown): string {
  if (thrown instanceof ProviderError) return thrown.failure;
  if (thrown instanceof Interruption) return thrown.reason;
  if (thrown instanceof StepRefused) return thrown.code;
  const name = thrown instanceof Error ? thrown.constructor.name : '';
  return /^[A-Z]\w{0,63}$/.test(name) ? name : '_OTHER';
}

/**
 * Returns a text unchanged if it can be the name of a model. Returns undefined for other texts, and for a text that
 * contains the key.
 */
export function modelName(name: string, redact: (text: string) => string): string | undefined {
  const redacted = redact(name);
  return redacted === name && /^[\w.:/@+~-]{1,256}$/.test(name) ? name : undefined;
}
