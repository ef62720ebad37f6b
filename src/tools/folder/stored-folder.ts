import { type FileText, toFileText } from '../../files/file-text.js';
import { type FileEntry, type FileTree, RefusedPath } from '../../files/file-tree.js';
import { MAX_PATH_LENGTH } from '../../files/portable-path.js';
import { isSecretPath } from '../../files/secret-paths.js';
import { type WalkedEntry, type WalkOptions, walkFolder } from '../../files/walk-folder.js';
import type { FileStore, StoredFile } from './file-store.js';
import { type ChangedFile, currentText, type Folder, MAX_FILE_BYTES, type TextChange } from './folder.js';
import {
  changedMeanwhile,
  checkSize,
  checkSpelling,
  isFolder,
  notReadable,
  toToolError,
  translated,
} from './path-errors.js';

/** Options of a `StoredFolder`. */
export interface StoredFolderOptions {
  /** Called after each change, when `changes` already includes it. */
  readonly onChange?: (() => void) | undefined;
}

/**
 * A folder whose files are in a `FileStore`. It has no symbolic links, so the text of a path alone decides whether
 * the path leads outside. Secret and ignored files follow the same rules as on disk (rule: containment).
 */
export class StoredFolder implements Folder {
  readonly #store: FileStore;
  readonly #onChange: (() => void) | undefined;
  readonly #changes = new Map<string, ChangedFile>();
  readonly #tree: FileTree = {
    list: (folder) => orRefused(this.#store.list(folder)),
    readText: (path, maxBytes) => orRefused(this.#store.open(path).then((file) => textOf(file, maxBytes))),
  };

  /** The store must hold only this folder: `.` is its root, and tools can read every file in it that is not secret. */
  constructor(store: FileStore, { onChange }: StoredFolderOptions = {}) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /** Files that differ from their original text, ordered by their first change. */
  get changes(): readonly ChangedFile[] {
    return [...this.#changes.values()].filter(({ before, after }) => before !== after);
  }

  async nameOf(path: string): Promise<string> {
    await this.#typeOf(path);
    return nameOf(path);
  }

  async kindOf(path: string): Promise<'file' | 'folder' | undefined> {
    checkSpelling(path);
    const type = await this.#typeOf(path).catch(() => undefined);
    return type === 'other' ? undefined : type;
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#typeOf(path)) !== undefined;
  }

  async readIfText(path: string): Promise<FileText | undefined> {
    const file = await this.#open(path);
    checkSize(path, file.size);
    return translated(path, textOf(file, MAX_FILE_BYTES));
  }

  /** Reads a whole file. Throws `ToolError` if it is missing, forbidden or huge. */
  async readBytes(path: string): Promise<Uint8Array> {
    const file = await this.#open(path);
    checkSize(path, file.size);
    return new Uint8Array(await translated(path, file.slice(0, file.size).arrayBuffer()));
  }

  async *walk(path: string, options: WalkOptions): AsyncGenerator<WalkedEntry> {
    const folder = await this.nameOf(path);
    try {
      yield* walkFolder(this.#tree, folder, options);
    } catch (error) {
      options.signal.throwIfAborted();
      throw toToolError(error, path);
    }
  }

  async write(path: string, { text, expected }: TextChange): Promise<void> {
    const name = await this.nameOf(path);
    const confirm = async () => {
      if ((await currentText(this, name)) !== expected) throw changedMeanwhile(path);
    };
    await translated(path, this.#store.write(name, { text, confirm }));
    const before = this.#changes.has(name) ? this.#changes.get(name)?.before : expected;
    this.#changes.set(name, { path: name, before, after: text });
    this.#onChange?.();
  }

  /** Opens a file. Its kind is looked up only after a failure, since a search opens every file. */
  async #open(path: string): Promise<StoredFile> {
    const name = nameOf(path);
    try {
      return await this.#store.open(name);
    } catch (error) {
      throw (await this.#typeOf(path)) === 'folder' ? isFolder(path) : toToolError(error, path);
    }
  }

  async #typeOf(path: string): Promise<FileEntry['type'] | undefined> {
    return translated(path, this.#store.typeOf(nameOf(path)));
  }
}

/** Normalizes a path. Throws if the path leads outside, is secret, or has a spelling that `checkSpelling` rejects. */
function nameOf(path: string): string {
  checkSpelling(path);
  if (path.startsWith('/')) throw toToolError(new RefusedPath('outside'), path);
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw toToolError(new RefusedPath('outside'), path);
  }
  const name = parts.join('/') || '.';
  if (name.length > MAX_PATH_LENGTH || isSecretPath(name)) throw notReadable(path);
  return name;
}

async function textOf(file: StoredFile, maxBytes: number): Promise<FileText | undefined> {
  return toFileText(new Uint8Array(await file.slice(0, maxBytes + 1).arrayBuffer()), maxBytes);
}

async function orRefused<Value>(found: Promise<Value>): Promise<Value> {
  return found.catch((cause) => {
    throw new RefusedPath('unreadable', { cause });
  });
}
