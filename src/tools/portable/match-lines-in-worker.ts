import { linesOf, type MatchLines, SEARCH_TIME_LIMIT_MS, tooSlow } from '../read/find-lines.js';

/** As much of a browser's `Worker` as is used. */
export interface SearchWorker {
  postMessage(message: unknown): void;
  addEventListener(
    type: 'message' | 'error',
    listener: (event: { readonly data: unknown }) => void,
    options: { readonly signal: AbortSignal },
  ): void;
  terminate(): void;
}

/** As much of a worker's own scope as is used. */
export interface SearchWorkerScope {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

interface SearchRequest {
  readonly expression: RegExp;
  readonly texts: readonly string[];
}

/** The lines of each text that match, counted from 0. */
type LinesOfTexts = readonly (readonly number[])[];

/** Said by the worker as it begins, since its own start does not count, and when it is done. */
type SearchReply = 'begun' | LinesOfTexts;

/**
 * Matches in a worker, one search at a time; an expression that takes too long ends the worker, and the next search has
 * a new one. The worker's module calls `answerSearches(self)`.
 */
export function matchLinesInWorker(createWorker: () => SearchWorker): MatchLines {
  const thread = new SearchThread(createWorker);
  return (expression) => (texts) => thread.search({ expression, texts });
}

/** Answers the searches of `matchLinesInWorker`; all that a worker's module has to call. */
export function answerSearches(scope: SearchWorkerScope): void {
  const answer = (reply: SearchReply) => scope.postMessage(reply);
  scope.addEventListener('message', ({ data }) => {
    const { expression, texts } = data as SearchRequest; // nobody else speaks to this worker
    answer('begun');
    answer(texts.map((text) => matchingIndexes(expression, text)));
  });
}

const matchingIndexes = (expression: RegExp, text: string): number[] =>
  linesOf(text).flatMap((line, index) => (expression.test(line) ? [index] : []));

class SearchThread {
  readonly #createWorker: () => SearchWorker;
  #worker: SearchWorker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(createWorker: () => SearchWorker) {
    this.#createWorker = createWorker;
  }

  /** After those that were asked before, so that ending one ends no other. */
  search(request: SearchRequest): Promise<LinesOfTexts> {
    const found = this.#last.then(() => this.#searchNow(request));
    this.#last = found.catch(() => undefined);
    return found;
  }

  async #searchNow(request: SearchRequest): Promise<LinesOfTexts> {
    this.#worker ??= this.#createWorker();
    const listening = new AbortController();
    try {
      return await ask(this.#worker, request, listening.signal);
    } catch (error) {
      this.#worker.terminate();
      this.#worker = undefined;
      throw error;
    } finally {
      listening.abort();
    }
  }
}

function ask(worker: SearchWorker, request: SearchRequest, signal: AbortSignal): Promise<LinesOfTexts> {
  return new Promise((resolve, reject) => {
    const takeReply = ({ data }: { readonly data: unknown }) => {
      const reply = data as SearchReply; // by `answerSearches`
      if (reply !== 'begun') return resolve(reply);
      const timer = setTimeout(() => reject(tooSlow()), SEARCH_TIME_LIMIT_MS);
      signal.addEventListener('abort', () => clearTimeout(timer));
    };
    worker.addEventListener('message', takeReply, { signal });
    worker.addEventListener('error', () => reject(new Error('The search could not be started.')), { signal });
    worker.postMessage(request);
  });
}
