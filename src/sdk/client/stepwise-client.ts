import type { Compaction, CompactionRequestInput } from '../../contract/compaction.js';
import type { ModelList } from '../../contract/model-list.js';
import type { Preview } from '../../contract/preview.js';
import type { Step } from '../../contract/step.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import { keyProblem } from '../../network/key-form.js';
import { completeEvent, completeStep } from '../base/complete-step.js';
import { anObject, aString, expectKnown, expectValue } from '../base/expect-value.js';
import type { CallOptions, StepEvent, StepService } from '../base/step-service.js';
import { StepwiseError } from '../base/stepwise-error.js';
import { checkTimeLimit } from '../base/timer.js';
import {
  isCompaction,
  isErrorResponse,
  isModelList,
  isPreview,
  isStep,
  isStreamEvent,
} from '../base/wire-shapes.js';
import { continuationOf, type ResumeOptions, resumedOptions } from '../run/resume-run.js';
import { Run } from '../run/run.js';
import type { TypedRunOptions } from '../run/run-options.js';
import type { Trajectory } from '../run/trajectory.js';
import { CallLimit } from './call-limit.js';
import { EventReader } from './read-events.js';

/** The address of the service, and options for all calls. */
export interface ClientOptions {
  /**
   * Address of the service, such as `http://127.0.0.1:8080`, without `/v1`. Empty in a page that the service itself
   * serves.
   */
  readonly baseUrl: string;
  /** Bearer token of the service, if its operator requires one: 1 to 512 visible ASCII characters. */
  readonly token?: string | undefined;
  /** API key of the model's provider. The client sends it in a header of each call and stores it nowhere else. */
  readonly llmKey?: string | undefined;
  /** Time limit of one call in milliseconds; default 130,000, slightly more than the service's own deadline. `Infinity`: no limit. */
  readonly timeoutMs?: number | undefined;
  /**
   * Returns further headers; the client calls it for each request. For example `traceparent`, or a header that a gateway
   * requires. The client's own headers win over these.
   */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

const optionNames: Readonly<Record<keyof ClientOptions, true>> = {
  baseUrl: true,
  token: true,
  llmKey: true,
  timeoutMs: true,
  headers: true,
  fetch: true,
};

const paths = {
  step: '/api/agent/react_step',
  stream: '/api/agent/react_step/stream',
  preview: '/api/agent/context_preview',
  compact: '/api/agent/compact_history',
  models: '/api/agent/models',
} as const;

const DEFAULT_TIMEOUT_MS = 130_000;

/** A request and the check of its response. Without a body, the request is a GET. */
interface Call<Answer> {
  readonly path: string;
  readonly request?: StepRequestInput | CompactionRequestInput;
  /** Adds the fields that are missing in a response without extensions. */
  readonly complete?: (body: unknown) => unknown;
  readonly isAnswer: (body: unknown) => body is Answer;
}

/**
 * A client with a method for each endpoint of the service, and `run` for the whole agent loop. Works in Node and in
 * browsers.
 */
export class StepwiseClient implements StepService {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #moreHeaders: ClientOptions['headers'];
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  /**
   * Throws `RangeError` for a negative `timeoutMs` or NaN, and `TypeError` for an unknown option, a `baseUrl` that is no address, and
   * a `token` or `llmKey` that cannot be sent in a header.
   */
  constructor(options: ClientOptions) {
    expectValue('options', options, anObject);
    expectKnown('options', options, optionNames);
    const { baseUrl, token, llmKey, timeoutMs, headers, fetch: ownFetch } = options;
    expectValue('baseUrl', baseUrl, aString);
    checkBaseUrl(baseUrl);
    checkTimeLimit('timeoutMs', timeoutMs);
    checkToken(token);
    checkLlmKey(llmKey);
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(llmKey !== undefined && { 'x-llm-api-key': llmKey }),
    };
    this.#moreHeaders = headers;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#fetch = ownFetch ?? ((input, init) => fetch(input, init));
  }

  /**
   * Creates a run of an agent on a task. The run starts when its events or its result are read. Throws `RangeError` for a
   * step limit or time limit out of range, and `TypeError` for a missing, wrong or unknown option, two tools of the same name,
   * and an answer schema that cannot be sent.
   */
  run<Answer = unknown>(task: string, options: TypedRunOptions<Answer>): Run<Answer> {
    return new Run(this, task, options);
  }

  /**
   * Continues a run that ended as `needs_approval`, also in another process (rule: waiting-approvals). Pass the tools
   * again, since a file cannot hold them. Throws `TypeError` for a run that does not wait for approval, and for a
   * decision about a call that is not pending or about other arguments.
   */
  resume(saved: Trajectory, options: ResumeOptions): Run {
    return new Run(this, saved.task, resumedOptions(saved, options), continuationOf(saved, options));
  }

  /**
   * Makes one step. Returns every answer with HTTP status 200, also one with `status: error`. Throws `StepwiseError` for
   * every other answer, and the signal's reason if it fires. With `include.extensions: false`, the fields that the service
   * leaves out are null or empty.
   */
  step(request: StepRequestInput, options?: CallOptions): Promise<Step> {
    const complete = (body: unknown) => completeStep(body, request);
    return this.#call({ path: paths.step, request, complete, isAnswer: isStep }, options);
  }

  /** Returns the prompt that a step would send, with the context report; needs no key. Throws as `step` does. */
  preview(request: StepRequestInput, options?: CallOptions): Promise<Preview> {
    return this.#call({ path: paths.preview, request, isAnswer: isPreview }, options);
  }

  /** Returns the models and upstreams of the service, and which upstreams need a key. Throws as `step` does. */
  models(options?: CallOptions): Promise<ModelList> {
    return this.#call({ path: paths.models, isAnswer: isModelList }, options);
  }

  /** Returns a shorter history, which can be sent with the next step. Throws as `step` does. */
  compact(request: CompactionRequestInput, options?: CallOptions): Promise<Compaction> {
    return this.#call({ path: paths.compact, request, isAnswer: isCompaction }, options);
  }

  /** Makes one step and yields its events; the last is `step.completed`. Throws as `step` does, also between two events. */
  async *stream(request: StepRequestInput, options?: CallOptions): AsyncGenerator<StepEvent> {
    expectValue('request', request, anObject);
    const init = this.#initOf(request, options);
    const limit = this.#limit(options);
    try {
      const response = await this.#send(paths.stream, { ...init, signal: limit.signal });
      yield* readStepEvents(response, request);
    } catch (error) {
      throw limit.explain(error);
    } finally {
      limit.end();
    }
  }

  async #call<Answer>(call: Call<Answer>, options?: CallOptions): Promise<Answer> {
    const { path, request, complete = (body) => body, isAnswer } = call;
    if ('request' in call) expectValue('request', request, anObject);
    const init = this.#initOf(request, options);
    const limit = this.#limit(options);
    try {
      const response = await this.#send(path, { ...init, signal: limit.signal });
      const body = complete(await readJson(response));
      if (!isAnswer(body)) throw invalidAnswer(response);
      return body;
    } catch (error) {
      throw limit.explain(error);
    } finally {
      limit.end();
    }
  }

  #limit(options: CallOptions | undefined): CallLimit {
    const limits = { timeoutMs: this.#timeoutMs, address: addressOf(this.#baseUrl) };
    return new CallLimit(limits, options?.signal);
  }

  /**
   * Returns the options for `fetch`: a POST if there is a request body, else a GET. Called before the time limit starts,
   * so that a request that cannot be sent is not reported as a broken connection. Throws what the caller's `headers` throws.
   */
  #initOf(request: unknown, options: CallOptions | undefined): RequestInit {
    const body = request === undefined ? {} : { method: 'POST', body: JSON.stringify(request) };
    const llmKey = options?.llmKey;
    checkLlmKey(llmKey);
    const headers = {
      ...sendable(this.#moreHeaders?.()),
      ...this.#headers,
      ...(llmKey !== undefined && { 'x-llm-api-key': llmKey }),
    };
    // `manual`: otherwise `fetch` would send the key and the task to the target of a redirect.
    return { ...body, headers, redirect: 'manual' };
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const response = await this.#fetch(this.#baseUrl + path, init);
    if (!response.ok) throw await toError(response);
    return response;
  }
}

/** Returns true if a header can carry the token. Checked here because the error of `fetch` would quote the token. */
export const isServiceToken = (token: string): boolean => /^[\x21-\x7e]{1,512}$/.test(token);

function checkToken(token: string | undefined): void {
  if (token === undefined || isServiceToken(token)) return;
  throw new TypeError('token must be 1 to 512 visible ASCII characters without spaces.');
}

/** Throws for a key that a header cannot carry, because the error of `fetch` would hide the cause. */
function checkLlmKey(llmKey: string | undefined): void {
  if (llmKey === undefined || /^[\x21-\x7e]*$/.test(llmKey)) return;
  throw new TypeError(`llmKey ${keyProblem(llmKey)}.`);
}

/** Returns the headers by their names in lower case. The error does not quote them, because a value may be a secret. */
function sendable(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    throw new TypeError('headers: a name or value that the function returned cannot be sent in a header.');
  }
}

const isRelative = (baseUrl: string): boolean => /^(?:$|\/)/.test(baseUrl);

/** Throws for an address that `fetch` refuses. The message does not quote it, because it may hold secrets. */
function checkBaseUrl(baseUrl: string): void {
  const isInPage = 'location' in globalThis;
  if (isRelative(baseUrl) ? isInPage : /^https?:/i.test(baseUrl) && URL.canParse(baseUrl)) return;
  throw new TypeError(
    'baseUrl: expected an address that begins with http:// or https://, such as http://127.0.0.1:8080.',
  );
}

/** Returns the address for messages: only the origin, because the rest of a URL may hold secrets. */
const addressOf = (baseUrl: string): string =>
  isRelative(baseUrl) ? "this page's own address" : new URL(baseUrl).origin;

async function* readStepEvents(response: Response, request: StepRequestInput): AsyncGenerator<StepEvent> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!response.body || !isStream) throw invalidAnswer(response);
  const reader = new EventReader(response.body);
  for await (const data of reader.events()) {
    const event = completeEvent(parseJson(data, response), request);
    if (!isStreamEvent(event)) throw invalidAnswer(response);
    if (event.type === 'error' || event.type === 'step.completed') await reader.end();
    if (event.type === 'error') throw StepwiseError.fromBody(event.error);
    yield event;
    if (event.type === 'step.completed') return;
  }
  throw new Error('The stream ended before its last event.');
}

async function toError(response: Response): Promise<StepwiseError> {
  if (isRedirect(response)) return redirected(response);
  const body = await readJson(response);
  return isErrorResponse(body) ? StepwiseError.fromBody(body, response.status) : invalidAnswer(response);
}

const readJson = async (response: Response): Promise<unknown> => parseJson(await response.text(), response);

function parseJson(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidAnswer(response);
  }
}

/** Returns true for a redirect. Browsers hide its status and report the type `opaqueredirect`. */
const isRedirect = ({ status, type }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400);

const redirected = ({ status }: Response): StepwiseError =>
  new StepwiseError({
    code: 'invalid_answer',
    message:
      'This address redirects to another one, which the client does not follow: use the address of the service itself.',
    retryable: false,
    status,
  });

/** Creates the error for an answer that is not the service's, such as the page of a proxy. */
const invalidAnswer = ({ status, headers, url }: Response): StepwiseError =>
  new StepwiseError({
    code: 'invalid_answer',
    message: `The server at ${url ? addressOf(url) : 'this address'} is not Stepwise (HTTP ${status}): ${/\/v1\/api\/agent\//.test(url) ? 'remove /v1 from' : 'check'} the address.`,
    retryable: status >= 500 || status === 408 || status === 429,
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
    status,
  });

/** Returns milliseconds from a `Retry-After` header in seconds or as a date (RFC 9110 §10.2.3), else null. */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
