import type { FileEntry } from '../../files/file-tree.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { FileStore, StoredChange, StoredFile } from './file-store.js';

/** Those members of a browser's `FileSystemDirectoryHandle` that the store uses. */
export interface PickedFolder {
  /** Name of the folder without its path, which browsers do not reveal. */
  readonly name: string;
  /** Yields the entries of the folder in any order. */
  values(): AsyncIterable<PickedEntry>;
  /** Opens a subfolder. Rejects with `NotFoundError` if it is missing, with `TypeMismatchError` if it is a file. */
  getDirectoryHandle(name: string, options?: PickOptions): Promise<PickedFolder>;
  /** Opens a file. Rejects with `NotFoundError` if it is missing, with `TypeMismatchError` if it is a folder. */
  getFileHandle(name: string, options?: PickOptions): Promise<PickedFile>;
  /** Deletes a file of this folder. Used to remove a new file whose writing failed. */
  removeEntry(name: string): Promise<void>;
}

/** An entry that a picked folder lists. */
export interface PickedEntry {
  /** Whether the entry is a file or a folder; browsers do not list links. */
  readonly kind: 'file' | 'directory';
  /** Name of the entry in its folder, without `/`. */
  readonly name: string;
}

/** How a browser opens an entry that may be missing. */
export interface PickOptions {
  /** True creates a missing entry, for which the browser needs permission to write. Default: false. */
  create?: boolean;
}

/** Those members of a browser's `FileSystemFileHandle` that the store uses. */
export interface PickedFile {
  /** Returns the file as it is now; its bytes are read on demand. */
  getFile(): Promise<StoredFile>;
  /** Begins to replace the file. The file on the disk changes only when the stream is closed. */
  createWritable(): Promise<PickedFileWriter>;
}

/** Those members of a browser's `FileSystemWritableFileStream` that the store uses. */
export interface PickedFileWriter {
  /** Appends text, as UTF-8, to the temporary file that will become the new file. */
  write(text: string): Promise<void>;
  /** Replaces the file by what was written. */
  close(): Promise<void>;
  /** Discards what was written, so that the file stays as it was. */
  abort(): Promise<void>;
}

/**
 * Permission methods of a folder that a person picked. Folders of the origin's private file system do not have
 * them.
 */
interface Permission {
  queryPermission?(descriptor: { mode: 'readwrite' }): Promise<string>;
  requestPermission?(descriptor: { mode: 'readwrite' }): Promise<string>;
}

/**
 * Creates a store for a folder that a person picked in a browser with `showDirectoryPicker`. Writes go to that
 * person's disk. The browser neither lists nor opens symbolic links.
 */
export function pickedStore(root: PickedFolder): FileStore {
  const folders = new PickedFolders(root);
  return {
    typeOf: (path) => typeOf(folders, path),
    list: async (path) => {
      const entries: FileEntry[] = [];
      for await (const { name, kind } of (await folders.at(path)).values())
        entries.push({ name, type: kind === 'directory' ? 'folder' : 'file' });
      return entries;
    },
    open: async (path) => (await fileAt(folders, path)).getFile(),
    write: (path, change) => write(folders, path, change),
  };
}

/**
 * Asks the person for permission to write to the folder, unless it is granted already. Must be called soon after a
 * click or a key press, because browsers do not show the question at other times. Throws `ToolError` if the person
 * refuses.
 */
export async function allowWriting(folder: PickedFolder & Permission): Promise<void> {
  const mode = { mode: 'readwrite' } as const;
  const current = await folder.queryPermission?.(mode);
  if (current === undefined || current === 'granted') return;
  const answer = await folder.requestPermission?.(mode).catch(() => 'denied');
  if (answer !== 'granted')
    throw new ToolError('The browser may not write to this folder, so nothing was changed.');
}

/** Caches the handles of subfolders, because looking up each one is slow in browsers. */
class PickedFolders {
  readonly root: PickedFolder & Permission;
  readonly #cached = new Map<string, PickedFolder>();

  constructor(root: PickedFolder) {
    this.root = root;
  }

  /** Returns the handle of a folder. Throws if it does not exist. */
  async at(path: string): Promise<PickedFolder> {
    if (path === '.') return this.root;
    const cached = this.#cached.get(path);
    if (cached) return cached;
    const { folder, name } = split(path);
    const found = await (await this.at(folder)).getDirectoryHandle(name);
    this.#cached.set(path, found);
    return found;
  }

  /** Creates missing folders. Does not use the cache, because a cached folder may have been deleted since. */
  async make(path: string): Promise<PickedFolder> {
    let folder: PickedFolder = this.root;
    for (const name of path === '.' ? [] : path.split('/'))
      folder = await folder.getDirectoryHandle(name, { create: true });
    return folder;
  }
}

function split(path: string): { folder: string; name: string } {
  const end = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, end)) || '.', name: path.slice(end + 1) };
}

async function fileAt(folders: PickedFolders, path: string): Promise<PickedFile> {
  const { folder, name } = split(path);
  return (await folders.at(folder)).getFileHandle(name);
}

/**
 * Returns the type of an entry. A browser reveals the type only by the error that it throws if the entry is opened
 * as another type.
 */
async function typeOf(folders: PickedFolders, path: string): Promise<FileEntry['type'] | undefined> {
  if (path === '.') return 'folder';
  const { folder, name } = split(path);
  const above = await ifFound(folders.at(folder));
  try {
    return (await ifFound(above?.getFileHandle(name))) && 'file';
  } catch (error) {
    if (nameOf(error) !== 'TypeMismatchError') throw error;
    await folders.at(path);
    return 'folder';
  }
}

async function ifFound<Value>(found: Promise<Value> | undefined): Promise<Value | undefined> {
  try {
    return await found;
  } catch (error) {
    if (nameOf(error) === 'NotFoundError') return undefined;
    throw error;
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/**
 * Writes a file. The browser collects the text in a temporary file, which `close` puts in the place of the old
 * file.
 */
async function write(folders: PickedFolders, path: string, { text, confirm }: StoredChange): Promise<void> {
  await allowWriting(folders.root);
  const { folder, name } = split(path);
  const isNew = (await typeOf(folders, path)) === undefined;
  if (isNew) await confirm(); // `getFileHandle` will create an empty file
  const above = await folders.make(folder);
  const file = await above.getFileHandle(name, { create: isNew });
  const writable = await file.createWritable();
  try {
    await writable.write(text);
    if (!isNew) await confirm();
    await writable.close();
  } catch (error) {
    await writable.abort().catch(() => undefined);
    if (isNew) await above.removeEntry(name).catch(() => undefined);
    throw error;
  }
}
