import { EventEmitter, once } from 'node:events';
import { plainAnswer, type Respond } from './answer-request.js';
import { startLoopbackServer } from './loopback-server.js';
import { replyOffline } from './offline-model.js';
import { offlineModelName } from './wire/list-models.js';
import type { RecordedRequest, ScriptedReply } from './wire/reply.js';

/** One reply for all requests, a list with one reply per request, or a function that chooses the reply. */
export type Script = ScriptedReply | readonly ScriptedReply[] | Respond;

/** A scripted provider on loopback that speaks both vendors' protocols. */
export interface FakeProvider {
  /** Base URL, `http://127.0.0.1:port`. Anthropic's clients use it as it is; OpenAI's clients need `/v1` appended. */
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Returns the number of open connections, including idle ones. */
  openSockets(): number;
  /** Replaces the script from the next request on. A script that is a list starts at its beginning. */
  script(script: Script): void;
  /** Resolves to the request with this index as soon as it has arrived. */
  request(index: number): Promise<RecordedRequest>;
  /** Breaks all connections at once, and leaves no timer running. */
  close(): Promise<void>;
}

/**
 * The script of a provider that was started without one: the offline model answers requests for the model `offline`,
 * and a fixed text all others.
 */
const unscripted: Respond = (request) =>
  request.body['model'] === offlineModelName ? replyOffline(request) : plainAnswer;

/**
 * Starts a provider that replies as scripted. After the last reply of a list it answers with 400, which no client
 * retries, so that a test notices a surplus request.
 */
export async function startFakeProvider(script: Script = unscripted): Promise<FakeProvider> {
  const requests: RecordedRequest[] = [];
  // Any number of callers may wait for requests, so the limit on listeners is off.
  const arrivals = new EventEmitter().setMaxListeners(0);
  let respond = toRespond(script);
  const record = (request: RecordedRequest): void => {
    requests.push(request);
    arrivals.emit('request');
  };
  const server = await startLoopbackServer((request) => respond(request), record);
  return {
    url: server.url,
    requests,
    openSockets: server.openSockets,
    close: server.close,
    script(next) {
      respond = toRespond(next);
    },
    async request(index) {
      while (requests.length <= index) await once(arrivals, 'request');
      // Cast: the loop has ended because a request with this index exists.
      return requests[index] as RecordedRequest;
    },
  };
}

function toRespond(script: Script): Respond {
  if (typeof script === 'function') return script;
  if (!isList(script)) return () => script;
  const replies = script.values();
  return () => {
    const { value, done } = replies.next();
    if (done || value === undefined)
      throw new Error(
        `The scripted list of ${script.length} replies is used up; add a reply for each request.`,
      );
    return value;
  };
}

const isList = (script: ScriptedReply | readonly ScriptedReply[]): script is readonly ScriptedReply[] =>
  Array.isArray(script);
