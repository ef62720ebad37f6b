import { afterEach } from '@jest/globals';
import type { LlmConfig } from '../../../src/contract/step-request.js';
import type { ToolDefinition } from '../../../src/contract/tool.js';
import { type FakeProvider, type Script, startFakeProvider } from '../../../src/offline/fake-provider.js';
import {
  createModelDirectory,
  type ModelDirectory,
  type ProvidersConfig,
} from '../../../src/service/providers/create-model-directory.js';
import { Secret } from '../../../src/service/providers/secret.js';
import { toCompletion } from '../../../src/service/providers/to-completion.js';
import { ReplyCap } from '../../../src/service/providers/upstream/reply-cap.js';
import type { SentRequest, TextDelta, Vendor, VendorReply } from '../../../src/service/providers/vendor.js';
import { inVendorLimits } from '../../../src/service/providers/vendor-limits.js';
import { Interruption, type StepDeadline } from '../../../src/service/step/interruption.js';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  Provider,
} from '../../../src/service/step/provider.js';

export const canary = 'sk-canary-4f2a9c"\\key+/0123456789';

export function secretOf(text: string): Secret {
  const secret = Secret.parse(text);
  if (!secret) throw new Error('not a key');
  return secret;
}

export function completionRequest(changes: Partial<CompletionRequest> = {}): CompletionRequest {
  return {
    model: 'gpt-4o',
    prompt: {
      system: 'You act step by step.',
      systemBreakpoint: false,
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Where is the discount?' }] }],
    },
    promptTokens: 20,
    maxOutputTokens: 500,
    temperature: undefined,
    seed: undefined,
    reasoningEffort: undefined,
    cacheKey: 'session-1',
    ...changes,
  };
}

/** Returns what remains of an ordinary request after it has been sent. */
function sentRequestOf(vendor: Vendor, streamed = false): SentRequest {
  const request = completionRequest();
  const limited = inVendorLimits(request);
  const { body: _, ...sent } = vendor.toRequest(vendor.mapPrompt(limited), request, {
    refused: new Set(),
    streamed,
  });
  return { ...sent, model: request.model, isNative: false, ownToolName: limited.ownToolName };
}

/** Starts reading the reply to an ordinary request. Returns it with a function that returns its completion. */
export function startReply(
  vendor: Vendor,
  streamed: boolean,
): { reply: VendorReply; cap: ReplyCap; completion: () => Completion } {
  const request = sentRequestOf(vendor, streamed);
  const cap = new ReplyCap();
  const reply = vendor.startReply(request, cap);
  const origin = { provider: 'any', wire: 'chat', family: 'any' } as const;
  return { reply, cap, completion: () => toCompletion(reply.completion(), { request, cap, origin }) };
}

/**
 * Reads a plain response to an ordinary request. Returns its completion; undefined if the JSON is not a
 * completion.
 */
export function readPlain(vendor: Vendor, json: unknown): Completion | undefined {
  const { reply, completion } = startReply(vendor, false);
  return reply.addAnswer(json) ? completion() : undefined;
}

/**
 * Reads the data of several events. Returns their deltas and the completion; undefined if an event is not part of
 * a completion.
 */
export function readEventData(
  vendor: Vendor,
  events: readonly string[],
): { deltas: TextDelta[]; completion: Completion } | undefined {
  const { reply, completion } = startReply(vendor, true);
  const deltas: TextDelta[] = [];
  for (const data of events) {
    const more = reply.addEvent(data);
    if (!more) return undefined;
    deltas.push(...more);
  }
  return { deltas, completion: completion() };
}

export const toolOf = (name: string, inputSchema: ToolDefinition['inputSchema'] = {}): ToolDefinition => ({
  name,
  description: `What ${name} does.`,
  inputSchema,
  annotations: undefined,
});

export const llmConfig = (modelName: string, provider?: string): LlmConfig => ({
  modelName,
  provider,
  tokenLimit: 8_000,
  reservedOutputTokens: 1_000,
  temperature: undefined,
  reasoningEffort: undefined,
  seed: undefined,
  maxOutputTokens: undefined,
  deadlineMs: undefined,
  contextShare: undefined,
});

/** The deadline of a step, which the test can interrupt. */
export interface TestPatience extends StepDeadline {
  interrupt(reason: Interruption['reason']): void;
}

export function patienceOf(milliseconds = 30_000): TestPatience {
  const controller = new AbortController();
  const end = Date.now() + milliseconds;
  const timer = setTimeout(() => controller.abort(new Interruption('deadline')), milliseconds).unref();
  return {
    signal: controller.signal,
    remainingMs: () => Math.max(0, end - Date.now()),
    interrupt(reason) {
      clearTimeout(timer);
      controller.abort(new Interruption(reason));
    },
  };
}

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

export async function fakeProvider(script?: Script): Promise<FakeProvider> {
  const fake = await startFakeProvider(script);
  open.push(fake);
  return fake;
}

export function directoryAt(url: string, changes: Partial<ProvidersConfig> = {}): ModelDirectory {
  const directory = createModelDirectory({
    openaiUrl: `${url}/v1`,
    anthropicUrl: url,
    upstreams: { local: { url: `${url}/v1`, keyRequired: false } },
    startOffline: async () => `${url}/v1`,
    ...changes,
  });
  open.push(directory);
  return directory;
}

export function connect(directory: ModelDirectory, model: string, provider?: string): Provider {
  const resolved = directory.resolve(llmConfig(model, provider));
  if (!resolved) throw new Error(`${model} is not resolved`);
  return resolved.connect(secretOf(canary));
}

/** The three vendor APIs, each plain and streamed. */
export const ways = [
  { title: 'OpenAI, plain', model: 'gpt-4o', name: 'openai', wire: 'chat', streamed: false },
  { title: 'OpenAI, streamed', model: 'gpt-4o', name: 'openai', wire: 'chat', streamed: true },
  { title: 'Responses, plain', model: 'gpt-5.6-sol', name: 'openai', wire: 'responses', streamed: false },
  { title: 'Responses, streamed', model: 'gpt-5.6-sol', name: 'openai', wire: 'responses', streamed: true },
  { title: 'Anthropic, plain', model: 'claude-opus-5', name: 'anthropic', wire: 'messages', streamed: false },
  {
    title: 'Anthropic, streamed',
    model: 'claude-opus-5',
    name: 'anthropic',
    wire: 'messages',
    streamed: true,
  },
] as const;

export type Way = (typeof ways)[number];

/** Requests a completion, plain or streamed, and returns it. */
export async function ask(
  provider: Provider,
  { model, streamed }: { model: string; streamed: boolean },
  deadline: StepDeadline = patienceOf(),
  changes: Partial<CompletionRequest> = {},
): Promise<Completion> {
  const request = completionRequest({ model, ...changes });
  if (!streamed) return provider.complete(request, deadline);
  const last = (await collect(provider.stream(request, deadline))).at(-1);
  if (last?.type !== 'completion') throw new Error('the stream ended without a completion');
  return last.completion;
}

export async function collect(events: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> {
  const all: CompletionEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Returns the error with which a promise rejects. Fails the test if it does not reject. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome) return outcome.error;
  throw new Error(`nothing failed: ${JSON.stringify(outcome.value)?.slice(0, 500)}`);
}
