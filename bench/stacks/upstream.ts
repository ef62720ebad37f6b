import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { listen } from './listen.js';

/** Options of the fake provider. */
export interface UpstreamOptions {
  /** Delay from the last byte of the request to the first byte of the response. Default 0. */
  readonly delayMs?: number;
  /** Number of requests at the beginning that are answered without the delay. Default 0. */
  readonly warmUp?: number;
  /**
   * Number of requests that must have arrived before the provider answers any of them; it waits at most a minute.
   * Default 1.
   */
  readonly holdUntil?: number;
}

const CHUNKS = 500;
const HOLD_MS = 60_000;

const text = 'Thought: I look further.\nAction: read_file(path="src/next.ts")';
const usage = { prompt_tokens: 1_000, completion_tokens: 20, total_tokens: 1_020 };
const head = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'gpt-4.1' };
const choice = (content: object, finish_reason: string | null) => [{ index: 0, finish_reason, ...content }];

const completion = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: choice({ message: { role: 'assistant', content: text, refusal: null } }, 'stop'),
  usage,
});

/** Events of a response that a model streams word by word. */
const chunks = [
  ...Array.from({ length: CHUNKS }, (_, index) =>
    chunkOf({ choices: choice({ delta: { content: index ? ` word${index}` : 'Final Answer:' } }, null) }),
  ),
  chunkOf({ choices: choice({ delta: {} }, 'stop') }),
  chunkOf({ choices: [], usage }),
  'data: [DONE]\n\n',
];

function chunkOf(fields: object): string {
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`;
}

/** Starts a provider with OpenAI's API. It gives the same reply to every request. Its CPU time is not measured. */
export async function startUpstream(options: UpstreamOptions): Promise<string> {
  const { delayMs = 0, warmUp = 0, holdUntil = 1 } = options;
  const hold = holdFor(holdUntil);
  let arrived = 0;
  return listen(async (request, response) => {
    const body = await buffer(request);
    arrived += 1;
    if (arrived > warmUp) await Promise.all([sleep(delayMs), hold()]);
    if (body.includes('"stream":true')) await stream(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
  });
}

/** Returns a function. All promises that it returns resolve once it was called `count` times, or after a minute. */
function holdFor(count: number): () => Promise<void> {
  let arrived = 0;
  let open = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    arrived += 1;
    if (arrived === 1) setTimeout(open, HOLD_MS).unref();
    if (arrived >= count) open();
    return all;
  };
}

/** Writes each chunk of a stream in a separate turn of the event loop. */
async function stream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) {
    response.write(chunk);
    await turn();
  }
  response.end();
}
