import { linesOf, type MatchLines, SEARCH_TIME_LIMIT_MS, tooSlow } from '../read/find-lines.js';

/** Those members of a browser's `Worker` that the search uses. */
export interface SearchWorker {
  /** Sends a search to the worker. The message is a structured clone with a regular expression and texts. */
  postMessage(message: unknown): void;
  /** Listens for replies of the worker, or for its failure to start, until the signal is aborted. */
  addEventListener(
    type: 'message' | 'error',
    listener: (event: WorkerMessage) => void,
    options: ListenerOptions,
  ): void;
  /** Stops the worker at once, even within a regular expression that backtracks. */
  terminate(): void;
}

/** The part of a browser's `MessageEvent` that the search uses. */
export interface WorkerMessage {
  /** The value that the other side sent with `postMessage`. */
  readonly data: unknown;
}

/** Options with which the search listens to its worker. */
export interface ListenerOptions {
  /** Removes the listener when it is aborted, which happens at the end of each search. */
  readonly signal: AbortSignal;
}

/** Those members of a worker's global scope that the search uses. */
export interface SearchWorkerScope {
  /** Sends a reply to the page that created the worker. */
  postMessage(message: unknown): void;
  /** Listens for searches, for as long as the worker lives. */
  addEventListener(type: 'message', listener: (event: WorkerMessage) => void): void;
}

interface SearchRequest {
  readonly expression: RegExp;
  readonly texts: readonly string[];
}

/** Indexes of the matching lines for each text, counted from 0. */
type LinesOfTexts = readonly (readonly number[])[];

/**
 * Messages of the worker. The first one is `begun`: it starts the time limit, which therefore does not include the
 * worker's startup. The second one is the result.
 */
type SearchReply = 'begun' | LinesOfTexts;

/**
 * Matches lines in a worker, one search at a time. If an expression takes too long, terminates the worker, and
 * starts a new one for the next search. The module of the worker must call `answerSearches(self)`.
 */
export function matchLinesInWorker(createWorker: () => SearchWorker): MatchLines {
  const thread = new SearchThread(createWorker);
  return (expression) => (texts) => thread.search({ expression, texts });
}

/** Answers the searches of `matchLinesInWorker`. The module of the worker must call this and need do nothing else. */
export function answerSearches(scope: SearchWorkerScope): void {
  const answer = (reply: SearchReply) => scope.postMessage(reply);
  scope.addEventListener('message', ({ data }) => {
    const { expression, texts } = data as SearchRequest; // only `matchLinesInWorker` sends messages to this worker
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

  /** Queues a search. Searches run one at a time, so that terminating the worker never interrupts another search. */
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
    const onReply = ({ data }: { readonly data: unknown }) => {
      const reply = data as SearchReply; // the cast is safe: `answerSearches` sent it
      if (reply !== 'begun') return resolve(reply);
      const timer = setTimeout(() => reject(tooSlow()), SEARCH_TIME_LIMIT_MS);
      signal.addEventListener('abort', () => clearTimeout(timer));
    };
    worker.addEventListener('message', onReply, { signal });
    worker.addEventListener(
      'error',
      () => reject(new Error('The search worker could not be started. Check the URL of its module.')),
      { signal },
    );
    worker.postMessage(request);
  });
}
