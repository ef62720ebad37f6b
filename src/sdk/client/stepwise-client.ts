import type { Compaction, CompactionRequestInput } from '../../contract/compaction.js';
import type { ModelList } from '../../contract/model-list.js';
import type { Preview } from '../../contract/preview.js';
import type { ErrorResponse, Step } from '../../contract/step.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import type { StreamEvent } from '../../contract/stream.js';
import { Run } from '../run/run.js';
import type { RunOptions } from '../run/run-options.js';
import { CallLimit } from './call-limit.js';
import { readEvents } from './read-events.js';
import type { CallOptions, StepEvent, StepService } from './step-service.js';
import { StepwiseError } from './stepwise-error.js';

export interface ClientOptions {
  /** Where the service listens, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** The service's own bearer token, where it asks for one. */
  readonly token?: string;
  /** The model key; sent in a header with each call, kept nowhere else. */
  readonly llmKey?: string;
  /** Milliseconds for a whole call; default 130,000, a little more than the service's own deadline. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

const paths = {
  step: '/api/agent/react_step',
  stream: '/api/agent/react_step/stream',
  preview: '/api/agent/context_preview',
  compact: '/api/agent/compact_history',
  models: '/api/agent/models',
} as const;

const DEFAULT_TIMEOUT_MS = 130_000;

/** The service's endpoints as methods, and `run`, the loop over them. Works in Node and in browsers. */
export class StepwiseClient implements StepService {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  constructor({ baseUrl, token, llmKey, timeoutMs, fetch: ownFetch }: ClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(llmKey !== undefined && { 'x-llm-api-key': llmKey }),
    };
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#fetch = ownFetch ?? ((input, init) => fetch(input, init));
  }

  /** Starts an agent on a task. Nothing happens before the first event is asked for. */
  run(task: string, options: RunOptions): Run {
    return new Run(this, task, options);
  }

  /** One step. A step that ended badly but was made (HTTP 200) is returned; every other failure is thrown. */
  async step(request: StepRequestInput, options?: CallOptions): Promise<Step> {
    // The service tests its answers against the contract; so it is below.
    return (await this.#json(paths.step, request, options)) as Step;
  }

  /** The prompt a step would send, and the context report; no model call, no key. */
  async preview(request: StepRequestInput, options?: CallOptions): Promise<Preview> {
    return (await this.#json(paths.preview, request, options)) as Preview;
  }

  /** What the service can reach, and which upstreams need a key. */
  async models(options?: CallOptions): Promise<ModelList> {
    return (await this.#json(paths.models, undefined, options)) as ModelList;
  }

  async compact(request: CompactionRequestInput, options?: CallOptions): Promise<Compaction> {
    return (await this.#json(paths.compact, request, options)) as Compaction;
  }

  async *stream(request: StepRequestInput, options?: CallOptions): AsyncGenerator<StepEvent> {
    const limit = new CallLimit(this.#timeoutMs, options?.signal);
    try {
      const response = await this.#send(paths.stream, request, limit.signal);
      yield* readStepEvents(response);
    } catch (error) {
      throw limit.explain(error);
    } finally {
      limit.end();
    }
  }

  async #json(path: string, request: unknown, options?: CallOptions): Promise<unknown> {
    const limit = new CallLimit(this.#timeoutMs, options?.signal);
    try {
      return await readJson(await this.#send(path, request, limit.signal));
    } catch (error) {
      throw limit.explain(error);
    } finally {
      limit.end();
    }
  }

  /** With a body a POST, without one a GET. */
  async #send(path: string, request: unknown, signal: AbortSignal): Promise<Response> {
    const body = request === undefined ? {} : { method: 'POST', body: JSON.stringify(request) };
    const init = { ...body, headers: this.#headers, signal };
    const response = await this.#fetch(this.#baseUrl + path, init);
    if (!response.ok) throw await toError(response);
    return response;
  }
}

async function* readStepEvents(response: Response): AsyncGenerator<StepEvent> {
  if (!response.body) throw invalidAnswer(response);
  for await (const data of readEvents(response.body)) {
    // The service tests each of its events against the contract.
    const event = JSON.parse(data) as StreamEvent;
    if (event.type === 'error') throw StepwiseError.fromBody(event.error);
    yield event;
    if (event.type === 'step.completed') return;
  }
  throw new Error('The stream ended before its last event.');
}

async function toError(response: Response): Promise<StepwiseError> {
  const body = await readJson(response);
  return isErrorResponse(body) ? StepwiseError.fromBody(body, response.status) : invalidAnswer(response);
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw invalidAnswer(response);
  }
}

const isErrorResponse = (body: unknown): body is ErrorResponse =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object';

/** Something between us and the service answered: a proxy's page, another server. */
const invalidAnswer = ({ status }: Response): StepwiseError =>
  new StepwiseError({
    code: 'invalid_answer',
    message: `What answers at this address is not the service (HTTP ${status}).`,
    retryable: status >= 500,
    status,
  });
