import { once } from '../once.js';
import { ContextServiceFailed } from './context-service.js';
import type { ContextSource, PinnedItem, SourceFile, SourceFolder } from './context-source.js';

type Lookup<Value> =
  | { readonly found: Value; readonly reason?: never }
  | { readonly found?: never; readonly reason: string };

/** All context sources behind one interface: each path and id is read from the first source that has it. */
export interface Library {
  read(path: string): Promise<Lookup<SourceFile | SourceFolder>>;
  readPinned(id: string): Promise<Lookup<PinnedItem>>;
}

/**
 * Reason that is given for missing and forbidden items alike, so that callers cannot find out what exists outside the
 * project (rule: context-is-no-error).
 */
const NOT_FOUND = 'not found or not readable';

/**
 * Returns the reason for a source that failed, with the problem of its connection if there was one (rule:
 * connection-failures).
 */
const outOfOrder = (error: unknown): string => {
  const problem = error instanceof ContextServiceFailed ? error.problem : undefined;
  return `a context source is out of order${problem ? ` (${problem})` : ''}`;
};

/**
 * Opens the sources as one library, which queries them in order and reads each path once. A source that failed is
 * not queried again, so a source that is down costs one timeout instead of one per path. Rejects only with the
 * signal's reason.
 */
export function openLibrary(sources: readonly ContextSource[], signal: AbortSignal): Library {
  const failed = new Map<ContextSource, string>();
  const ask = async <Value>(
    question: (source: ContextSource) => Promise<Value | undefined>,
  ): Promise<Lookup<Value>> => {
    for (const source of sources) {
      if (failed.has(source)) continue;
      signal.throwIfAborted();
      try {
        const found = await question(source);
        if (found !== undefined) return { found };
      } catch (error) {
        signal.throwIfAborted();
        failed.set(source, outOfOrder(error));
      }
    }
    const [failure = NOT_FOUND] = failed.values();
    return { reason: failure };
  };
  const read = once((path: string) => ask((source) => source.read(path, signal)));
  const readPinned = once((id: string) => ask((source) => source.readPinned(id, signal)));
  return { read, readPinned };
}

/**
 * Yields the results in order, in batches. Makes up to `limit` of them at a time, and starts the next batch only when
 * the consumer requests it.
 */
export async function* concurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  limit: number,
): AsyncGenerator<Result[]> {
  for (let start = 0; start < items.length; start += limit) {
    yield await Promise.all(items.slice(start, start + limit).map(work));
  }
}
