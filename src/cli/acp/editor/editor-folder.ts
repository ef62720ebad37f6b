import type { FileText } from '../../../files/file-text.js';
import type { WalkedEntry, WalkOptions } from '../../../files/walk-folder.js';
import { ToolError } from '../../../sdk/actions/tool-errors.js';
import { currentText, type Folder, type TextChange } from '../../../tools/folder/folder.js';
import { changedMeanwhile } from '../../../tools/folder/path-errors.js';
import type { ProjectRoot } from '../../../tools/project-root.js';
import type { Editor } from './editor.js';

/**
 * The project folder as it stands in the editor: a file is read with its unsaved changes, and written where the person
 * sees it. What may be touched at all is judged on disk first, as everywhere (rule: containment). The editor then opens
 * the file by its real path; it does so with the person's rights.
 */
export class EditorFolder implements Folder {
  readonly #root: ProjectRoot;
  readonly #editor: Editor;
  readonly #signal: AbortSignal | undefined;

  /** When the signal fires, the editor is not waited for any more. */
  constructor(root: ProjectRoot, editor: Editor, signal?: AbortSignal) {
    this.#root = root;
    this.#editor = editor;
    this.#signal = signal;
  }

  nameOf(path: string): Promise<string> {
    return this.#root.nameOf(path);
  }

  kindOf(path: string): Promise<'file' | 'folder' | undefined> {
    return this.#root.kindOf(path);
  }

  exists(path: string): Promise<boolean> {
    return this.#root.exists(path);
  }

  walk(path: string, options: WalkOptions): AsyncGenerator<WalkedEntry> {
    return this.#root.walk(path, options);
  }

  /** What the editor cannot read, such as a file it has no buffer for, is read from disk. */
  async readIfText(path: string): Promise<FileText | undefined> {
    const onDisk = await this.#root.readIfText(path);
    const content = onDisk?.isUtf8 ? await this.#inEditor(path) : undefined;
    return onDisk && content !== undefined ? { ...onDisk, content } : onDisk;
  }

  /**
   * A file that the editor can read is changed there. All others are written on disk: a new one, with its folders, and one whose
   * unsaved text the editor does not tell, so that it is not written over.
   */
  async write(path: string, change: TextChange): Promise<void> {
    const isOpen = this.#editor.writesFiles && change.expected !== undefined;
    if (!isOpen || (await this.#inEditor(path)) === undefined) return this.#root.write(path, change);
    if ((await currentText(this, path)) !== change.expected) throw changedMeanwhile(path);
    await this.#editor.writeFile(await this.#root.locate(path), change.text).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ToolError(`The editor did not write "${path}": ${reason}`);
    });
  }

  /** The text as it stands in the editor; undefined where it cannot tell. */
  async #inEditor(path: string): Promise<string | undefined> {
    if (!this.#editor.readsFiles) return undefined;
    const place = await this.#root.locate(path);
    return this.#editor.readFile(place, this.#signal).catch(() => undefined);
  }
}
