import type { FileText } from '../../../files/file-text.js';
import type { WalkedEntry, WalkOptions } from '../../../files/walk-folder.js';
import { ToolError } from '../../../sdk/actions/tool-errors.js';
import { currentText, type Folder, type TextChange } from '../../../tools/folder/folder.js';
import { changedMeanwhile } from '../../../tools/folder/path-errors.js';
import type { ProjectRoot } from '../../../tools/project-root.js';
import type { Editor } from './editor.js';

/**
 * The project folder as the editor sees it: reads include unsaved changes, and writes go to open editors. Containment
 * is checked on disk first, as everywhere (rule: containment); the editor then opens the file by its real path with
 * the person's rights.
 */
export class EditorFolder implements Folder {
  readonly #root: ProjectRoot;
  readonly #editor: Editor;
  readonly #signal: AbortSignal | undefined;

  /** `signal` cancels pending requests to the editor. */
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

  /** Reads a file from the editor, or from disk if the editor cannot read it. */
  async readIfText(path: string): Promise<FileText | undefined> {
    const onDisk = await this.#root.readIfText(path);
    const content = onDisk?.isUtf8 ? await this.#inEditor(path) : undefined;
    return onDisk && content !== undefined ? { ...onDisk, content } : onDisk;
  }

  /**
   * Writes a file through the editor if the editor can read it, otherwise to disk. A file whose unsaved text is
   * unknown is never overwritten in the editor.
   */
  async write(path: string, change: TextChange): Promise<void> {
    const inEditor = change.expected === undefined ? undefined : await this.#inEditor(path);
    if (inEditor === undefined) return this.#root.write(path, change);
    if (!this.#editor.writesFiles) {
      if (inEditor !== (await currentText(this.#root, path))) throw unsaved(path);
      return this.#root.write(path, change);
    }
    if ((await currentText(this, path)) !== change.expected) throw changedMeanwhile(path);
    await this.#editor.writeFile(await this.#root.locate(path), change.text).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ToolError(`The editor did not write "${path}": ${reason}`);
    });
  }

  /** Returns the text in the editor, or undefined if the editor cannot read it. */
  async #inEditor(path: string): Promise<string | undefined> {
    if (!this.#editor.readsFiles) return undefined;
    const place = await this.#root.locate(path);
    return this.#editor.readFile(place, this.#signal).catch(() => undefined);
  }
}

/** The error of a change to a file with unsaved text in an editor that reads files for agents but does not write them. */
const unsaved = (path: string): ToolError =>
  new ToolError(
    `"${path}" has unsaved changes in the editor, and this editor does not write files for agents. Ask the user to save the file first.`,
  );
