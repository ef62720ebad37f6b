import type { WatchEvent } from '../../src/contract/watch.js';
import { readEvents } from './read-events.js';

/** A client that watches all steps of a service. */
export interface TestWatcher {
  readonly status: number;
  readonly headers: Headers;
  /** Returns the events that have arrived so far. */
  events(): readonly WatchEvent[];
  /** Returns everything that has arrived so far. */
  text(): string;
  /** Resolves when the service has ended the stream: `ended` properly, or by closing the connection. */
  readonly end: Promise<'ended' | 'broken'>;
  leave(): void;
}

/** Begins to watch. Resolves once the service has answered. */
export async function watch(url: string, headers: Record<string, string> = {}): Promise<TestWatcher> {
  const controller = new AbortController();
  const response = await fetch(`${url}/api/agent/watch`, { headers, signal: controller.signal });
  let text = '';
  const read = async (): Promise<'ended'> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return 'ended';
  };
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    // Cast: the tests check what the service sends.
    events: () =>
      readEvents(text.slice(0, text.lastIndexOf('\n\n') + 2)).map(({ data }) => data as WatchEvent),
    end: read().catch(() => 'broken' as const),
    leave: () => controller.abort(),
  };
}
