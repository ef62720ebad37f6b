import type { FakeProvider } from '../../src/offline/fake-provider.js';
import { key, stepRequest } from './whole-service.js';

interface Target {
  /** URLs of the services that receive the requests in turn. */
  readonly urls: readonly string[];
  readonly token: string;
  /** The provider behind all services. It never replies. */
  readonly fake: Pick<FakeProvider, 'request'>;
}

/**
 * Starts streams one after the other, and disconnects from each once the provider was called. Returns the status
 * of each rejected stream, and 0 for the others.
 */
export async function hangUps(count: number, { urls, token, fake }: Target): Promise<number[]> {
  const found: number[] = [];
  let calls = 0;
  for (let index = 0; index < count; index += 1) {
    const leaving = new AbortController();
    const refused = openStream(urls[index % urls.length] ?? '', token, leaving.signal);
    // The service answers 200 before it calls the provider, so only another status shows at once that it rejected the
    // stream.
    const isRefused = refused.then(
      ({ status }) => (status === 200 ? new Promise<number>(() => {}) : status),
      () => 0,
    );
    const status = await Promise.race([isRefused, fake.request(calls).then(() => 0)]);
    found.push(status);
    if (status === 0) calls += 1;
    leaving.abort();
    await refused.catch(() => {});
  }
  return found;
}

/**
 * Starts streams one after the other, reads a part of each reply and disconnects. Returns the status of each
 * rejected stream, and 0 for the others.
 */
export async function hangUpsInReply(
  count: number,
  { urls, token, chars }: Pick<Target, 'urls' | 'token'> & { readonly chars: number },
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const leaving = new AbortController();
    const response = await openStream(urls[index % urls.length] ?? '', token, leaving.signal);
    if (response.status === 200) await readChars(response, chars);
    found.push(response.status === 200 ? 0 : response.status);
    leaving.abort();
  }
  return found;
}

async function readChars(response: Response, chars: number): Promise<void> {
  let read = 0;
  const reader = response.body?.getReader();
  while (reader && read < chars) {
    const { value, done } = await reader.read();
    if (done) return;
    read += value.length;
  }
}

const openStream = (url: string, token: string, signal: AbortSignal): Promise<Response> =>
  fetch(`${url}/api/agent/react_step/stream`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-LLM-API-Key': key,
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      ...stepRequest({ user_query: 'Where is the total? '.repeat(100) }),
      user_api_keys: undefined,
    }),
    signal,
  });
