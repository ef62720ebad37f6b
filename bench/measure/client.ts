import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';

/** Connections stay open, as a caller's would. */
const agent = new Agent({ keepAliveTimeout: 60_000, headersTimeout: 120_000, bodyTimeout: 120_000 });

export interface Exchange {
  readonly status: number;
  readonly text: string;
}

interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves, whatever has come by then. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a JSON body and reads the answer to its end. */
export async function post(
  url: string,
  body: string | Buffer,
  { headers, signal }: PostOptions = {},
): Promise<Exchange> {
  const { origin, pathname } = new URL(url);
  const { statusCode, body: answer } = await agent.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal,
  });
  return { status: statusCode, text: await answer.text() };
}

/** The text of a 200. A service that sheds load on a busy machine is asked again; anything else ends the bench. */
export async function postJson(url: string, request: object): Promise<string> {
  for (;;) {
    const { status, text } = await post(url, JSON.stringify(request));
    if (status === 200) return text;
    if (status !== 503) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
    await sleep(1_000);
  }
}

/** Does the work for each index, so many at a time. */
export async function atOnce(
  concurrency: number,
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
