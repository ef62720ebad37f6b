import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';

/** Connections are kept open between requests, as real callers do. */
const agent = new Agent({ keepAliveTimeout: 60_000, headersTimeout: 120_000, bodyTimeout: 120_000 });

export interface Exchange {
  readonly status: number;
  readonly text: string;
}

/** Sends a body as JSON, and reads the whole response. */
export async function post(
  url: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  const { origin, pathname } = new URL(url);
  const { statusCode, body: response } = await agent.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: statusCode, text: await response.text() };
}

/** Sends a GET request. Resolves to the milliseconds until the whole response was read. */
export async function timeGet(url: string): Promise<number> {
  const { origin, pathname } = new URL(url);
  const start = performance.now();
  const { body } = await agent.request({ origin, path: pathname, method: 'GET' });
  await body.dump();
  return performance.now() - start;
}

/**
 * Sends a request and returns the text of its 200 response. Retries if the service answers 503 because the machine
 * is overloaded; any other status ends the benchmark.
 */
export async function postJson(url: string, request: object): Promise<string> {
  for (;;) {
    const { status, text } = await post(url, JSON.stringify(request));
    if (status === 200) return text;
    if (status !== 503) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
    await sleep(1_000);
  }
}

/** Runs the work for each index below `count`, at most `concurrency` at a time. */
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
