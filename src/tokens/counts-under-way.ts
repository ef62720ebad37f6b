import { untilAborted } from '../event-loop/on-demand.js';

interface UnderWay {
  readonly key: string;
  /** Resolves when the count has ended, in whatever way. */
  readonly ended: Promise<void>;
}

/**
 * The counts of long texts that have begun: whoever asks for one of them meanwhile waits for it, and then knows. Steps that run side by
 * side over one project ask for the same files. A list, since an old `Map` keeps what was deleted from it.
 */
export class CountsUnderWay {
  #counts: UnderWay[] = [];

  /** Resolves when the count with this key has ended, or at once; rejects with the signal's reason. */
  async end(key: string, signal: AbortSignal | undefined): Promise<void> {
    const underWay = this.#counts.find((each) => each.key === key);
    if (!underWay) return;
    await (signal ? untilAborted(underWay.ended, signal) : underWay.ended);
    signal?.throwIfAborted();
  }

  add(key: string, counting: Promise<number>): Promise<number> {
    const end = (): void => {
      this.#counts = this.#counts.filter((each) => each !== underWay);
    };
    const underWay = { key, ended: counting.then(end, end) };
    this.#counts.push(underWay);
    return counting;
  }
}
