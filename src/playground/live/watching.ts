import { signal } from '@preact/signals';
import { pause } from '../../sdk/base/until-aborted.js';
import { serviceToken } from '../state/settings.js';
import type { Connection } from './connection.js';
import { type LiveSteps, noSteps, takeEvent } from './live-steps.js';
import { WatchRefused, watchEvents } from './watch-stream.js';

export const connection = signal<Connection>({ type: 'connecting' });
/** The steps that the page keeps; they remain visible while the page is disconnected. */
export const live = signal<LiveSteps>(noSteps);
/** Id of the step whose details are visible. */
export const chosenId = signal<string | null>(null);
/** Open tab of the details, which stays when another step is chosen. */
export const openTab = signal('prompt');

/** Minimum time between updates of the page, however fast the events come. */
const FRAME_MS = 32;
const FIRST_WAIT_SECONDS = 1;
const MAX_WAIT_SECONDS = 15;

let current: Watching | null = null;

/** Connects to the watch stream, and again after each cut. Returns a function that disconnects. */
export function watch(): () => void {
  current?.stop();
  const watching = new Watching();
  current = watching;
  void watching.follow();
  return () => current?.stop();
}

/**
 * Connects to the watch stream, and again whenever the connection breaks, until it is stopped or the service refuses.
 */
class Watching {
  readonly #end = new AbortController();
  #steps = live.value;
  #frame: ReturnType<typeof setTimeout> | undefined;

  stop(): void {
    this.#end.abort();
    clearTimeout(this.#frame);
  }

  async follow(): Promise<void> {
    let seconds = FIRST_WAIT_SECONDS;
    while (!this.#end.signal.aborted) {
      connection.value = { type: 'connecting' };
      const token = serviceToken.value.trim();
      try {
        for await (const { event, size } of this.#events(token)) {
          seconds = FIRST_WAIT_SECONDS;
          connection.value = { type: 'open' };
          this.#steps = takeEvent(this.#steps, event, { size, at: performance.now() });
          this.#frame ??= setTimeout(() => this.#show(), FRAME_MS);
        }
      } catch (error) {
        if (this.#end.signal.aborted) return;
        if (error instanceof WatchRefused) {
          connection.value = { type: 'refused', refusal: error, hadToken: token !== '' };
          return;
        }
      }
      connection.value = { type: 'cut', seconds };
      await pause(seconds * 1_000, this.#end.signal).catch(() => undefined);
      seconds = Math.min(MAX_WAIT_SECONDS, seconds * 2);
    }
  }

  #events(token: string) {
    return watchEvents({ origin: location.origin, token, signal: this.#end.signal });
  }

  #show(): void {
    this.#frame = undefined;
    live.value = this.#steps;
  }
}
