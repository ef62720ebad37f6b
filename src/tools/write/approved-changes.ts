import type { PreviewContext, ToolContext } from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import { type ChangedFile, currentText, type Folder } from '../folder/folder.js';
import { changedMeanwhile } from '../folder/path-errors.js';
import { redirection } from '../folder/shown-path.js';
import { renderChange } from './unified-diff.js';

/** Maximum number of stored previews. One step has fewer calls, so no preview is dropped before its call runs. */
const MAX_PREVIEWS = 200;

const ON_TOP = 'On top of an earlier change of this step:';

/** The change that a call makes to a file. */
interface FileChange {
  readonly path: string;
  /**
   * Returns the new text of the file. `before` is undefined if the file does not exist. Throws `ToolError` if the
   * change cannot be applied.
   */
  readonly apply: (before: string | undefined) => Promise<string>;
}

/** Called when a change is previewed, and again when it has been made. */
export type OnChange = (callId: string, change: ChangedFile) => Promise<void>;

/**
 * Previews of the changes to one folder. A change is made only if the file still has the text that the person saw.
 * All calls of a step are approved before the first one runs, so a preview assumes that the earlier calls have
 * been made (rule: approval).
 */
export class ApprovedChanges {
  readonly #folder: Folder;
  readonly #onChange: OnChange | undefined;
  /** Previewed changes by session and call, because several runs may share the tools of one folder. */
  readonly #previewed = new Map<string, ChangedFile>();

  constructor(folder: Folder, onChange?: OnChange) {
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /**
   * Renders a change so that a person can approve it. Throws `ToolError` if the person edited the call and the
   * file has changed meanwhile.
   */
  async preview(
    { path, apply }: FileChange,
    { callId, sessionId, earlierCallIds, edited }: PreviewContext,
  ): Promise<string> {
    const place = await this.#folder.nameOf(path);
    const earlier = earlierCallIds
      .map((id) => this.#previewed.get(keyOf(id, sessionId)))
      .findLast((each) => each?.path === place);
    const before = earlier ? earlier.after : await currentText(this.#folder, place);
    const key = keyOf(callId, sessionId);
    const previous = edited ? this.#previewed.get(key) : undefined;
    if (previous?.path === place && previous.before !== before) throw changedMeanwhile(path);
    const change = { path: place, before, after: toWritable(await apply(before)) };
    this.#previewed.set(key, change);
    const [oldest] = this.#previewed.keys();
    if (this.#previewed.size > MAX_PREVIEWS && oldest !== undefined) this.#previewed.delete(oldest);
    await this.#onChange?.(callId, change);
    return [redirection(path, place), earlier && ON_TOP, await renderChange(change)]
      .filter(Boolean)
      .join('\n');
  }

  /**
   * Writes the file. Throws `ToolError` if the result would differ from the preview, or if the path now leads to
   * another file.
   */
  async carryOut({ path, apply }: FileChange, { callId, sessionId }: ToolContext): Promise<ChangedFile> {
    const place = await this.#folder.nameOf(path);
    const before = await currentText(this.#folder, place);
    const key = keyOf(callId, sessionId);
    const previewed = this.#previewed.get(key);
    this.#previewed.delete(key);
    if (previewed && (previewed.path !== place || previewed.before !== before)) throw changedMeanwhile(path);
    const after = toWritable(await apply(before));
    if (previewed && previewed.after !== after) throw changedMeanwhile(path);
    await this.#folder.write(place, { text: after, expected: before });
    const change = { path: place, before, after };
    await this.#onChange?.(callId, change);
    return change;
  }
}

/**
 * Returns a text as it will be in the file: UTF-8 cannot represent half of a surrogate pair. Throws `ToolError` for
 * a NUL character, which would make the file binary, so that no tool could read it again.
 */
function toWritable(text: string): string {
  if (text.includes('\0'))
    throw new ToolError(
      'The new text has a NUL character, which a text file cannot have. To write a backslash and a zero, write "\\\\0".',
    );
  return text.toWellFormed();
}

const keyOf = (callId: string, sessionId = ''): string => `${sessionId} ${callId}`;
