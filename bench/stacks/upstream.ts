import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { listen } from './listen.js';

/** How the fake provider behaves. */
export interface UpstreamOptions {
  /** From the request's last byte to the answer's first. Default 0. */
  readonly delayMs?: number;
  /** Whether each call waits for another time, from half of `delayMs` to one and a half, evenly spread. */
  readonly spread?: boolean;
  /** So many are answered at once, to begin with. Default 0. */
  readonly warmUp?: number;
  /** Answers nobody else before so many have arrived, or a minute has passed since the first. Default 1. */
  readonly holdUntil?: number;
  /** Pause between the chunks of a stream; without one, each is written in a turn of its own. */
  readonly chunkEveryMs?: number;
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

/** Words of an answer, as a model streams them. */
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

/** A provider in OpenAI's shape that says the same to everybody, in a process whose CPU nobody counts. */
export async function startUpstream(options: UpstreamOptions): Promise<string> {
  const { delayMs = 0, spread = false, warmUp = 0, holdUntil = 1, chunkEveryMs } = options;
  const hold = holdFor(holdUntil);
  let arrived = 0;
  return listen(async (request, response) => {
    const body = await buffer(request);
    arrived += 1;
    if (arrived > warmUp) await Promise.all([sleep(delayMs * (spread ? factorOf(arrived) : 1)), hold()]);
    if (body.includes('"stream":true')) await stream(response, chunkEveryMs);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
  });
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** From 0.5 to 1.5, in an order that covers any of its parts evenly, the same in each run. */
const factorOf = (call: number): number => 0.5 + ((call * GOLDEN) % 1);

/** Each call waits until there have been so many. */
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

async function stream(response: ServerResponse, chunkEveryMs: number | undefined): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) {
    response.write(chunk);
    await (chunkEveryMs === undefined ? turn() : sleep(chunkEveryMs));
  }
  response.end();
}
