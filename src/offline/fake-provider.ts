import { plainAnswer, type Respond } from './answer-request.js';
import { startLoopbackServer } from './loopback-server.js';
import { replyOffline } from './offline-model.js';
import { offlineModelName } from './wire/list-models.js';
import type { RecordedRequest, ScriptedReply } from './wire/reply.js';

/** One reply for every request, one for each in turn, or a decision. */
export type Script = ScriptedReply | readonly ScriptedReply[] | Respond;

/** A provider under the test's control, on loopback, in both vendors' shapes. */
export interface FakeProvider {
  /** `http://127.0.0.1:port`: Anthropic's base URL; OpenAI's is this with `/v1`. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Connections that are open now, idle ones included. */
  openSockets(): number;
  /** Changes what is said from the next request on; a list starts at its beginning. */
  script(script: Script): void;
  /** Resolves with the request of this index as soon as it has arrived. */
  request(index: number): Promise<RecordedRequest>;
  /** Breaks every connection at once and leaves no timer. */
  close(): Promise<void>;
}

/** Without a script the offline model works as it always does, and any other model gives a fixed answer. */
const unscripted: Respond = (request) =>
  request.body['model'] === offlineModelName ? replyOffline(request) : plainAnswer;

/**
 * Starts a provider that says what it is told to. A list that has ended answers 400 (which no client retries),
 * so that a call too many is seen.
 */
export async function startFakeProvider(script: Script = unscripted): Promise<FakeProvider> {
  const requests: RecordedRequest[] = [];
  const arrivals = new EventTarget();
  let respond = toRespond(script);
  const record = (request: RecordedRequest): void => {
    requests.push(request);
    arrivals.dispatchEvent(new Event('request'));
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
      while (requests.length <= index) {
        await new Promise((resolve) => arrivals.addEventListener('request', resolve, { once: true }));
      }
      // The loop has just seen that it is there.
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
    if (done || value === undefined) throw new Error(`The script has no reply after its ${script.length}.`);
    return value;
  };
}

const isList = (script: ScriptedReply | readonly ScriptedReply[]): script is readonly ScriptedReply[] =>
  Array.isArray(script);
