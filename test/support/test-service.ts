import { once } from 'node:events';
import type { Server } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type AppDependencies, createApp } from '../../src/service/http/create-app.js';
import { createServer, type ServerLimits } from '../../src/service/http/create-server.js';
import { InFlight } from '../../src/service/http/intake/in-flight.js';
import type { Agent } from '../../src/service/http/services.js';
import type { ModelDirectory } from '../../src/service/providers/create-model-directory.js';
import { compactHistory } from '../../src/service/step/compaction/compact-history.js';
import { previewStep, type StepResult } from '../../src/service/step/react-step.js';
import { createTokenCounter } from '../../src/tokens/token-counter.js';
import { assertKeepsContract } from './contract-check.js';
import { listen } from './listen.js';
import { quietSignals, reportItem } from './quiet-fields.js';

export interface TestService {
  readonly url: string;
  readonly server: Server;
  readonly inFlight: InFlight;
  /** Log lines that the service has written so far. */
  readonly log: readonly Record<string, unknown>[];
  /** Sends a request and checks the response against the contract. */
  call(method: string, path: string, options?: CallOptions): Promise<CallAnswer>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly body?: unknown;
  /** A body that is sent as it is, without being serialized. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: responses are checked against the contract before tests read them
  readonly body: any;
}

/** Starts the real app on a real port, with a step function that the test provides. */
export async function startTestService(
  given: Partial<AppDependencies & Pick<Agent, 'step'>> & {
    maxInFlight?: number;
    maxBytes?: number;
    maxContestedUploadMs?: number;
    lagMs?: () => number;
    server?: ServerLimits;
  } = {},
): Promise<TestService> {
  const log: Record<string, unknown>[] = [];
  const inFlight = new InFlight({
    max: given.maxInFlight ?? 100,
    maxBytes: given.maxBytes ?? 2 ** 30,
    maxLagMs: 250,
    lagMs: given.lagMs ?? (() => 0),
    ...(given.maxContestedUploadMs !== undefined && { maxContestedUploadMs: given.maxContestedUploadMs }),
  });
  const agent: Agent = {
    models,
    step: given.step ?? (async () => answered),
    preview: previewStep,
    compact: compactHistory,
    sourcesFor: () => [],
  };
  const app = createApp({
    agent: async () => agent,
    inFlight,
    body: { maxBytes: 100_000, timeoutMs: 5_000 },
    deadlineMs: 10_000,
    log: pino(linesInto(log)),
    version: '1.2.3',
    ...given,
  });
  const server = createServer(app, given.server);
  const url = await listen(server);
  return {
    url,
    server,
    inFlight,
    log,
    call: (method, path, options) => call(url, method, path, options),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export async function call(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<CallAnswer> {
  const body = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
  const response = await fetch(url + path, {
    method,
    body,
    headers: { ...(body !== null && { 'Content-Type': 'application/json' }), ...options.headers },
    ...(options.signal && { signal: options.signal }),
  });
  const headers = Object.fromEntries(response.headers);
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  const answer = {
    status: response.status,
    headers,
    body: isJson ? await response.json() : await response.text(),
  };
  if (isJson && !['/', '/openapi.json', '/playground/example.json'].includes(path))
    assertKeepsContract(method, path, { ...answer, sent: options.body });
  return answer;
}

export function linesInto(log: Record<string, unknown>[]): Writable {
  return new Writable({
    write(line: Buffer, _encoding, done) {
      log.push(JSON.parse(line.toString()));
      done();
    },
  });
}

/** Only two models exist: `open` needs no key, and `keyed` needs one. */
const models: ModelDirectory = {
  warmUp: async () => {},
  listUpstreams: async () => [],
  settingsOf: () => ({ contextWindow: null, protocol: 'auto' }),
  resolve: ({ modelName }) =>
    modelName !== 'open' && modelName !== 'keyed'
      ? undefined
      : {
          secrets: [],
          providerName: 'test',
          keyRequired: modelName === 'keyed',
          profile: {
            contextWindow: null,
            encoding: 'o200k_base',
            countMargin: 1,
            framing: { prompt: 0, message: 0 },
            nativeTools: 'none',
            structured: 'none',
            needsExample: false,
          },
          tokenCounter: (signal) => createTokenCounter('o200k_base', { signal }),
          connect: () => ({
            name: 'test',
            complete: () => Promise.reject(new Error('the steps of these tests make no call')),
            stream: () => {
              throw new Error('the steps of these tests make no call');
            },
          }),
        },
  list: () => ({
    models: [
      {
        name: 'open',
        provider: 'test',
        context_window: null,
        encoding: 'o200k_base',
        counting: 'exact',
        protocols: ['text'],
      },
    ],
    upstreams: [{ name: 'test', key_required: false }],
  }),
  close: async () => {},
};

export const answered: StepResult = {
  session_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
  status: 'direct_response_provided',
  iterations_remaining: 2,
  thought: null,
  direct_response: '42',
  answer: null,
  action_details: null,
  additional_actions: [],
  new_turns: [
    {
      role: 'assistant',
      content: '42',
      timestamp: undefined,
      kind: undefined,
      toolCall: undefined,
      phase: undefined,
      toolCallId: undefined,
      toolResult: undefined,
    },
  ],
  correction: null,
  control: null,
  phase: null,
  parse: { outcome: 'answer', dialect: null, confidence: 'exact', repairs: [], discarded: [], problem: null },
  context_report: {
    token_limit: 8000,
    reserved_output_tokens: 1000,
    prompt_tokens: 12,
    counting: 'exact',
    stable_prefix_tokens: 10,
    stable_prompt_sha256: 'a'.repeat(64),
    sections: [{ name: 'instructions', tokens: 10 }],
    items: [
      reportItem({}),
      reportItem({ id: 'b.ts', status: 'dropped', tokens: 0, original_tokens: 9, reason: 'budget' }),
    ],
    folders: [],
  },
  signals: quietSignals,
  usage: {
    input_tokens: 12,
    output_tokens: 1,
    cached_input_tokens: null,
    cache_write_tokens: null,
    reasoning_tokens: null,
    cost: null,
  },
  model: 'open',
  provider: 'test',
  finish_reason: 'stop',
  finish_reason_raw: 'stop',
  reasoning: null,
  completion_text: 'Final Answer: 42',
  recorded_step: null,
  warnings: [],
  error: null,
};

/** Returns the smallest valid request body, changed as the test needs. */
export function stepBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    project_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    session_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
    user_query: 'What is the answer?',
    conversation_history: [],
    llm_config: { modelName: 'open', tokenLimit: 8000, reservedOutputTokens: 1000 },
    max_iterations_left: 3,
    ...changes,
  };
}

export const stepPath = '/api/agent/react_step';
export const streamPath = '/api/agent/react_step/stream';
