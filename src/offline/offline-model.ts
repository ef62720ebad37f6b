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

/** The embedded default, listening. */
export interface OfflineModel {
  /** `http://127.0.0.1:port`; as an OpenAI-compatible upstream this with `/v1`. */
  readonly url: string;
  /** Breaks every connection and stops listening. Not needed for the process to end. */
  close(): Promise<void>;
}

/**
 * Starts the model `offline` on loopback (rule: offline-model). It has a thread of its own, so that however long it reads
 * a prompt, no other request waits for it. It keeps no process alive and remembers no request.
 */
export async function startOfflineModel(): Promise<OfflineModel> {
  const file = import.meta.url && fileURLToPath(new URL('./offline-thread.js', import.meta.url));
  // In a bundle that file is not there.
  return file && existsSync(file) ? startInThread(file) : startHere();
}

/** Of garbage that the thread may gather before it is collected; V8's own 48 MiB would come on top of the process's. */
const YOUNG_MIB = 8;

async function startInThread(file: string): Promise<OfflineModel> {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MIB };
  const thread = new Worker(file, { env: {}, execArgv: [], resourceLimits });
  // A prompt that needs more memory than there is ends the thread, and steps with this model find nobody there.
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

/** Answers with the extractive model; any other model is not found here. */
export const answerOffline: Respond = (request) =>
  request.body['model'] === offlineModelName ? replyOffline(request) : { fault: 'not-found' };

/** The characters that stand for one token, in the limit as in the usage counts. */
const CHARACTERS_PER_TOKEN = 4;

/** The extractive model's reply to a request of either shape, cut off at the output limit of the request. */
export function replyOffline({ body }: RecordedRequest): ScriptedReply {
  const text = extractiveReply(messagesOf(body));
  const limit = CHARACTERS_PER_TOKEN * (outputLimit(body) ?? Number.POSITIVE_INFINITY);
  return text.length <= limit ? { text } : { text: text.slice(0, limit), finishReason: 'length' };
}

function outputLimit(body: RecordedRequest['body']): number | null {
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  return typeof limit === 'number' ? limit : null;
}

/** Anthropic's system text stands beside the messages, OpenAI's among them. */
function messagesOf({ system, messages }: RecordedRequest['body']): ChatMessage[] {
  const turns = Array.isArray(messages) ? messages.flatMap(toMessage) : [];
  return system === undefined ? turns : [{ role: 'system', content: system }, ...turns];
}

function toMessage(value: unknown): ChatMessage[] {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const role = fields.get('role');
  return typeof role === 'string' ? [{ role, content: fields.get('content') }] : [];
}
