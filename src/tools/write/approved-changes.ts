import type { PreviewContext, ToolContext } from '../../sdk/actions/define-tool.js';
import type { ProjectRoot } from '../project-root.js';
import { changed, currentText, writeText } from './write-text.js';

/** Milliseconds for finding the smallest difference; texts that have little in common take very long. */
const DIFF_TIMEOUT_MS = 1_000;

/** Calls whose preview is remembered: more than a person can have before their eyes. */
const MAX_CALLS = 100;

const ON_TOP = 'On top of an earlier change of this step:\n';

/** What a call does to a file: its new text from the old one, undefined if there is no file yet. */
interface FileChange {
  readonly path: string;
  /** Throws `ToolError` for a text that cannot be changed like this. */
  readonly apply: (before: string | undefined) => string;
}

/** A file's text before and after a change. */
interface ChangedFile {
  /** As the call names it. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * The changes of one folder that a person was shown: what was approved is carried out on that text or not at all.
 * All calls of a step are approved before the first one runs, so a change is shown on top of those that run before
 * it (rule: approval).
 */
export class ApprovedChanges {
  readonly #root: ProjectRoot;
  /** By run and call: several runs may share the tools of a folder. */
  readonly #previewed = new Map<string, ChangedFile & { readonly place: string }>();

  constructor(root: ProjectRoot) {
    this.#root = root;
  }

  /** What to show to the person who is asked. */
  async preview(
    { path, apply }: FileChange,
    { callId, sessionId, earlierCallIds }: PreviewContext,
  ): Promise<string> {
    const place = await this.#root.locate(path);
    const earlier = earlierCallIds
      .map((id) => this.#previewed.get(keyOf(id, sessionId)))
      .findLast((each) => each?.place === place);
    const before = earlier ? earlier.after : await currentText(this.#root, path);
    const change = { path, place, before, after: apply(before) };
    this.#previewed.set(keyOf(callId, sessionId), change);
    const [oldest] = this.#previewed.keys();
    if (this.#previewed.size > MAX_CALLS && oldest !== undefined) this.#previewed.delete(oldest);
    return `${earlier ? ON_TOP : ''}${await renderChange(change)}`;
  }

  /** Writes the file. Throws `ToolError` if that would not be what was previewed. */
  async carryOut({ path, apply }: FileChange, { callId, sessionId }: ToolContext): Promise<ChangedFile> {
    const before = await currentText(this.#root, path);
    const key = keyOf(callId, sessionId);
    const known = this.#previewed.get(key);
    this.#previewed.delete(key);
    if (known && known.before !== before) throw changed(path);
    const after = apply(before);
    if (known && known.after !== after) throw changed(path);
    await writeText(this.#root, path, { text: after, expected: before });
    return { path, before, after };
  }
}

const keyOf = (callId: string, sessionId = ''): string => `${sessionId} ${callId}`;

/** A change as a unified diff. */
export async function renderChange({ path, before, after }: ChangedFile): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, timeout: DIFF_TIMEOUT_MS };
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, options);
  return patch === undefined ? renderNewText({ path, before, after }) : patch.split('\n').slice(1).join('\n');
}

/** Where no difference is found in time the new text is shown whole: nothing is approved unseen. */
function renderNewText({ path, before = '', after }: ChangedFile): string {
  const sizes = `${before.length} → ${after.length} characters`;
  const lines = after.split('\n').map((line) => `+${line}`);
  return [`${path}: the whole text changes (${sizes}). The new text:`, ...lines].join('\n');
}
