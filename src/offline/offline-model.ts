import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Respond } from './answer-request.js';
import { extractiveReply } from './extractive/extractive-model.js';
import type { ChatMessage } from './extractive/prompt/read-prompt.js';
import { startLoopbackServer } from './loopback-server.js';
import { offlineModelName } from './wire/list-models.js';
import type { RecordedRequest, ScriptedReply } from './wire/reply.js';

/** The running server of the embedded model. */
export interface OfflineModel {
  /** Base URL, `http://127.0.0.1:port`. OpenAI clients need `/v1` appended. */
  readonly url: string;
  /** Breaks all connections and stops listening. The process can also end without this call. */
  close(): Promise<void>;
}

/**
 * Starts the model `offline` on loopback (rule: offline-model), in a thread of its own, so that no other request
 * waits while it reads a prompt. It does not keep the process alive, and stores no request.
 */
export async function startOfflineModel(): Promise<OfflineModel> {
  const file = import.meta.url && fileURLToPath(new URL('./offline-thread.js', import.meta.url));
  // In a bundle, the thread's file does not exist, so the model runs in this thread.
  return file && existsSync(file) ? startInThread(file) : startHere();
}

/**
 * Maximum size of the thread's young generation. V8's default of 48 MiB would be added to the memory of the
 * process.
 */
const MAX_YOUNG_GENERATION_MIB = 8;

async function startInThread(file: string): Promise<OfflineModel> {
  const resourceLimits = { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MIB };
  const thread = new Worker(file, { env: {}, execArgv: [], resourceLimits });
  // A prompt that needs too much memory ends only the thread. This listener keeps the process running; later steps
  // with this model then fail to connect.
  thread.on('error', () => {});
  const [url] = await once(thread, 'message');
  thread.unref();
  return { url, close: async () => void (await thread.terminate()) };
}

async function startHere(): Promise<OfflineModel> {
  const { url, close, unref } = await startLoopbackServer(answerOffline);
  unref();
  return { url, close };
}

/** Answers with the extractive model. A request for any other model gets the vendor's `not-found` error. */
export const answerOffline: Respond = (request) =>
  request.body['model'] === offlineModelName ? replyOffline(request) : { fault: 'not-found' };

/** Characters that count as one token, both for the output limit and for the usage. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Returns the extractive model's reply to a request in either vendor's format. The reply is cut at the request's
 * output limit.
 */
export function replyOffline({ body }: RecordedRequest): ScriptedReply {
  const text = extractiveReply(messagesOf(body));
  const limit = CHARACTERS_PER_TOKEN * (outputLimit(body) ?? Number.POSITIVE_INFINITY);
  return text.length <= limit ? { text } : { text: text.slice(0, limit), finishReason: 'length' };
}

function outputLimit(body: RecordedRequest['body']): number | null {
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  return typeof limit === 'number' ? limit : null;
}

/** Returns all messages. Anthropic's system text, which is a separate field, becomes the first message. */
function messagesOf({ system, messages }: RecordedRequest['body']): ChatMessage[] {
  const turns = Array.isArray(messages) ? messages.flatMap(toMessage) : [];
  return system === undefined ? turns : [{ role: 'system', content: system }, ...turns];
}

function toMessage(value: unknown): ChatMessage[] {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const role = fields.get('role');
  return typeof role === 'string' ? [{ role, content: fields.get('content') }] : [];
}
