import { createTwoFilesPatch } from 'diff';
import { changed } from './write-text.js';

/** Milliseconds for finding the smallest difference; texts that have little in common take very long. */
const DIFF_TIMEOUT_MS = 1_000;

/** Calls whose preview is remembered: more than a person can have before their eyes. */
const MAX_CALLS = 100;

/** A file's text before and after a change; `before` is undefined if there is no file yet. */
interface Change {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

/** What a person approves: the change as a unified diff. */
export function renderChange({ path, before, after }: Change): string {
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, timeout: DIFF_TIMEOUT_MS };
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, options);
  return patch === undefined ? renderNewText({ path, before, after }) : patch.split('\n').slice(1).join('\n');
}

/** Where no difference is found in time the new text is shown whole: nothing is approved unseen. */
function renderNewText({ path, before = '', after }: Change): string {
  const sizes = `${before.length} → ${after.length} characters`;
  const lines = after.split('\n').map((line) => `+${line}`);
  return [`${path}: the whole text changes (${sizes}). The new text:`, ...lines].join('\n');
}

/**
 * Remembers which text of a file a preview was made from: what a person approved is carried out on that text or
 * not at all. Several calls of a step are approved before the first one runs, so what an edit has made of the text
 * takes its place for the others.
 */
export class ApprovedChanges {
  readonly #previewed = new Map<string, Pick<Change, 'path' | 'before'>>();

  /** What to show to the person who is asked. */
  preview(callId: string, change: Change): string {
    this.#previewed.set(callId, { path: change.path, before: change.before });
    const [oldest] = this.#previewed.keys();
    if (this.#previewed.size > MAX_CALLS && oldest !== undefined) this.#previewed.delete(oldest);
    return renderChange(change);
  }

  /** Throws `ToolError` where the file is no longer what was previewed. */
  check(callId: string, { path, before }: Pick<Change, 'path' | 'before'>): void {
    const known = this.#previewed.get(callId);
    if (known && known.before !== before) throw changed(path);
    this.#previewed.delete(callId);
  }

  /** A change was carried out: what else was previewed on the same text holds on the new one. */
  carriedOut({ path, before, after }: Change): void {
    for (const [callId, known] of this.#previewed) {
      if (known.path === path && known.before === before)
        this.#previewed.set(callId, { path, before: after });
    }
  }
}
