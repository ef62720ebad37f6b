import type { PreviewContext, ToolContext } from '../../sdk/actions/define-tool.js';
import { type ChangedFile, currentText, type Folder } from '../folder/folder.js';
import { changedMeanwhile } from '../folder/path-errors.js';
import { renderChange } from './unified-diff.js';

/** Calls whose preview is remembered: more than a person can have before their eyes. */
const MAX_CALLS = 100;

const ON_TOP = 'On top of an earlier change of this step:\n';

/** What a call does to a file: its new text from the old one, undefined if there is no file yet. */
interface FileChange {
  readonly path: string;
  /** Throws `ToolError` for a text that cannot be changed like this. */
  readonly apply: (before: string | undefined) => string;
}

/** Told a change of a call's: when it is shown to be approved, and when it was made. */
export type OnChange = (callId: string, change: ChangedFile) => Promise<void>;

/**
 * The changes of one folder that a person was shown: what was approved is carried out on that text or not at all.
 * All calls of a step are approved before the first one runs, so a change is shown on top of those that run before
 * it (rule: approval).
 */
export class ApprovedChanges {
  readonly #folder: Folder;
  readonly #onChange: OnChange | undefined;
  /** By run and call: several runs may share the tools of a folder. */
  readonly #previewed = new Map<string, ChangedFile & { readonly place: string }>();

  constructor(folder: Folder, onChange?: OnChange) {
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /** What to show to the person who is asked. Throws `ToolError` if they edited a call over a text that is no longer there. */
  async preview(
    { path, apply }: FileChange,
    { callId, sessionId, earlierCallIds, edited }: PreviewContext,
  ): Promise<string> {
    const place = await this.#folder.nameOf(path);
    const earlier = earlierCallIds
      .map((id) => this.#previewed.get(keyOf(id, sessionId)))
      .findLast((each) => each?.place === place);
    const before = earlier ? earlier.after : await currentText(this.#folder, path);
    const key = keyOf(callId, sessionId);
    const shown = edited ? this.#previewed.get(key) : undefined;
    if (shown?.place === place && shown.before !== before) throw changedMeanwhile(path);
    const change = { path, place, before, after: apply(before) };
    this.#previewed.set(key, change);
    const [oldest] = this.#previewed.keys();
    if (this.#previewed.size > MAX_CALLS && oldest !== undefined) this.#previewed.delete(oldest);
    await this.#onChange?.(callId, change);
    return `${earlier ? ON_TOP : ''}${await renderChange(change)}`;
  }

  /** Writes the file. Throws `ToolError` if that would not be what was previewed. */
  async carryOut({ path, apply }: FileChange, { callId, sessionId }: ToolContext): Promise<ChangedFile> {
    const before = await currentText(this.#folder, path);
    const key = keyOf(callId, sessionId);
    const known = this.#previewed.get(key);
    this.#previewed.delete(key);
    if (known && known.before !== before) throw changedMeanwhile(path);
    const after = apply(before);
    if (known && known.after !== after) throw changedMeanwhile(path);
    await this.#folder.write(path, { text: after, expected: before });
    const change = { path, before, after };
    await this.#onChange?.(callId, change);
    return change;
  }
}

const keyOf = (callId: string, sessionId = ''): string => `${sessionId} ${callId}`;
