import type { WatchedEndpoint } from '../../contract/watch.js';

/** The text of an event, and the fields that decide who may see it. */
export interface Entry {
  readonly text: string;
  /** Size of the text in UTF-8. */
  readonly bytes: number;
  readonly projectId: string;
  readonly endpoint: WatchedEndpoint;
}

/** The response to a watcher. */
export interface WatchStream {
  /**
   * Sends text. Resolves when the watcher can receive more or has left; returns undefined if it can receive more now.
   */
  send(text: string): Promise<void> | undefined;
  /** Ends the response. */
  end(): void;
  /** Closes the connection without waiting for unread text. */
  destroy(): void;
}

/**
 * The projects whose steps a watcher may see, in lower case. Steps of `/v1` belong to no project, so only `all`
 * includes them.
 */
export type VisibleProjects = ReadonlySet<string> | 'all';

export interface WatcherOptions {
  readonly stream: WatchStream;
  /** Returns the projects that the watcher may see now; undefined if its token is no longer valid. */
  readonly visible: () => VisibleProjects | undefined;
}

/** Sends entries to one watcher as fast as it reads them. Waiting entries are not copied. */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #waiting: Entry[] = [];
  #isSending = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** Sends the first event, before any entry. */
  start(text: string): void {
    void this.#options.stream.send(text);
  }

  maySee({ projectId, endpoint }: Entry): boolean {
    const projects = this.#options.visible();
    if (projects === undefined || projects === 'all') return projects === 'all';
    return endpoint === 'react_step' && projects.has(projectId.toLowerCase());
  }

  /** Sends an entry that the watcher may see. Ends the stream if its token is no longer valid. */
  send(entry: Entry): void {
    if (this.#options.visible() === undefined) this.end();
    else if (this.maySee(entry)) {
      this.#waiting.push(entry);
      if (!this.#isSending) void this.#sendWaiting();
    }
  }

  /** Returns whether the entry is still waiting to be sent to the watcher. */
  awaits(entry: Entry): boolean {
    return this.#waiting.includes(entry);
  }

  end(): void {
    this.#waiting.length = 0;
    this.#options.stream.end();
  }

  drop(): void {
    this.#waiting.length = 0;
    this.#options.stream.destroy();
  }

  async #sendWaiting(): Promise<void> {
    this.#isSending = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      await this.#options.stream.send(next.text);
    this.#isSending = false;
  }
}
