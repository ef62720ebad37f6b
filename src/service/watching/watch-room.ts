import { eventText } from '../../contract/event-text.js';
import type { RecordedStep } from '../../contract/recorded-step.js';
import type { StepError } from '../../contract/step.js';
import type { StepFailed, StepOrigin, StepWatched, WatchEvent } from '../../contract/watch.js';
import { type Entry, Watcher, type WatcherOptions } from './watcher.js';

/** Maximum number of ended steps that are kept. */
const MAX_STEPS = 100;
const MIB = 1_048_576;
/** Maximum size of the kept steps together, in bytes of their JSON. */
const MAX_BYTES = 64 * MIB;
/** Maximum number of watchers at a time. */
const MAX_WATCHERS = 8;

/** A step that began. None of its texts contains a key. */
export interface BegunStep extends StepOrigin {
  readonly projectId: string;
  readonly sessionId: string;
  readonly model: string;
  readonly beganAt: Date;
}

/** Receives the end of a step: exactly one of the methods must be called, once. */
export interface WatchedStep {
  /** Reports a step that a model answered. */
  answered(step: RecordedStep): void;
  /** Reports a step that ended without a model's reply. The message must contain no key. */
  failed(failure: Pick<StepError, 'code' | 'message'>): void;
}

/** An ended step that is kept. */
interface Kept extends Entry {
  readonly id: string;
}

/**
 * Keeps the last steps in memory and sends every step to its watchers (rule: watch). A step never waits for a
 * watcher. A watcher is disconnected if a step is discarded before the watcher has received it, so no step is stored
 * longer for a slow watcher.
 */
export class WatchRoom {
  /** The ended steps, oldest first. */
  readonly #kept: Kept[] = [];
  #keptBytes = 0;
  /** The beginnings of steps in progress, by id. */
  readonly #running = new Map<string, Entry>();
  readonly #watchers = new Set<Watcher>();
  #isClosed = false;

  /** Reports a step that began. */
  begin(step: BegunStep): WatchedStep {
    const id = this.#uniqueId(step.requestId);
    const began = performance.now();
    const { endpoint, sessionId: session_id, model, beganAt } = step;
    const common = { id, session_id, endpoint };
    const first = toEntry(step, {
      type: 'step.began',
      ...common,
      model,
      began_at: beganAt.toISOString(),
    });
    this.#running.set(id, first);
    this.#send(first);
    const end = (event: StepWatched | StepFailed) => this.#end({ ...toEntry(step, event), id });
    const failed: WatchedStep['failed'] = ({ code, message }) => {
      const duration_ms = Math.round(performance.now() - began);
      end({ type: 'step.failed', ...common, code, message, duration_ms });
    };
    return {
      answered: (recorded) => {
        if (!end({ type: 'step.watched', ...common, step: recorded })) failed(TOO_LARGE);
      },
      failed,
    };
  }

  /**
   * Adds a watcher and sends it everything that is kept. Returns a function that removes the watcher; undefined if
   * watching has ended or there are `MAX_WATCHERS` already.
   */
  join(options: WatcherOptions): (() => void) | undefined {
    if (this.#isClosed || this.#watchers.size >= MAX_WATCHERS) return undefined;
    const watcher = new Watcher(options);
    const kept = this.#kept.filter((entry) => watcher.maySee(entry));
    const limits = { limit_steps: MAX_STEPS, limit_bytes: MAX_BYTES };
    watcher.start(eventText<WatchEvent>({ type: 'watch.started', kept: kept.length, ...limits }));
    for (const entry of [...kept, ...this.#running.values()]) watcher.send(entry);
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Ends all streams, and admits no further watcher. */
  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers) watcher.end();
  }

  /**
   * Returns an id that no other step in memory has: the request id, followed by a number if another step already has
   * it.
   */
  #uniqueId(requestId: string): string {
    const isUsed = (id: string) => this.#running.has(id) || this.#kept.some((kept) => kept.id === id);
    let id = requestId;
    for (let number = 2; isUsed(id); number += 1) id = `${requestId}#${number}`;
    return id;
  }

  /** Sends and keeps the end of a step. If it is too large, does nothing and returns false. */
  #end(entry: Kept): boolean {
    if (entry.bytes > MAX_BYTES) return false;
    this.#running.delete(entry.id);
    this.#kept.push(entry);
    this.#keptBytes += entry.bytes;
    this.#send(entry);
    while (this.#kept.length > MAX_STEPS || this.#keptBytes > MAX_BYTES) this.#forgetOldest();
    return true;
  }

  #forgetOldest(): void {
    const oldest = this.#kept.shift();
    if (!oldest) return;
    this.#keptBytes -= oldest.bytes;
    for (const watcher of this.#watchers) if (watcher.awaits(oldest)) watcher.drop();
  }

  #send(entry: Entry): void {
    for (const watcher of this.#watchers) watcher.send(entry);
  }
}

const TOO_LARGE = {
  code: 'record_too_large',
  message: `The model answered, but the record of the step is larger than ${MAX_BYTES / MIB} MiB, the maximum that is kept.`,
};

function toEntry({ projectId, endpoint }: BegunStep, event: WatchEvent): Entry {
  const text = eventText(event);
  return { text, bytes: Buffer.byteLength(text), projectId, endpoint };
}
