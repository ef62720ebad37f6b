import type { FileEntry } from '../../files/file-tree.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { FileStore, StoredChange, StoredFile } from './file-store.js';

/** As much of a browser's `FileSystemDirectoryHandle` as is used. */
export interface PickedFolder {
  readonly name: string;
  values(): AsyncIterable<{ readonly kind: 'file' | 'directory'; readonly name: string }>;
  getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<PickedFolder>;
  getFileHandle(name: string, options?: { create?: boolean }): Promise<PickedFile>;
  removeEntry(name: string): Promise<void>;
}

/** As much of a browser's `FileSystemFileHandle` as is used. */
export interface PickedFile {
  getFile(): Promise<StoredFile>;
  createWritable(): Promise<{
    write(text: string): Promise<void>;
    close(): Promise<void>;
    abort(): Promise<void>;
  }>;
}

/** What browsers ask a person; the folders of a page's own have no such question. */
interface Permission {
  queryPermission?(descriptor: { mode: 'readwrite' }): Promise<string>;
  requestPermission?(descriptor: { mode: 'readwrite' }): Promise<string>;
}

/**
 * The files of a folder that a person picked in a browser (`showDirectoryPicker`); what is written goes to their disk.
 * The browser lists no links and opens none.
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
 * Asks the person for leave to write to the folder, unless they gave it; browsers ask only soon after a click or a key.
 * Throws `ToolError` if they do not.
 */
export async function allowWriting(folder: PickedFolder & Permission): Promise<void> {
  const mode = { mode: 'readwrite' } as const;
  const known = await folder.queryPermission?.(mode);
  if (known === undefined || known === 'granted') return;
  const answer = await folder.requestPermission?.(mode).catch(() => 'denied');
  if (answer !== 'granted')
    throw new ToolError('The browser may not write to this folder: nothing is changed.');
}

/** The folders below a picked one. Finding each takes the browser a while, so they are remembered. */
class PickedFolders {
  readonly root: PickedFolder & Permission;
  readonly #known = new Map<string, PickedFolder>();

  constructor(root: PickedFolder) {
    this.root = root;
  }

  /** Throws where there is none. */
  async at(path: string): Promise<PickedFolder> {
    if (path === '.') return this.root;
    const known = this.#known.get(path);
    if (known) return known;
    const { folder, name } = split(path);
    const found = await (await this.at(folder)).getDirectoryHandle(name);
    this.#known.set(path, found);
    return found;
  }

  /** Makes the ones that are missing, also where one that is remembered is gone. */
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

/** A browser tells what lies at a name only by how it fails to open it as something else. */
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

/** The browser keeps what is written aside until `close` moves it into its place. */
async function write(folders: PickedFolders, path: string, { text, confirm }: StoredChange): Promise<void> {
  await allowWriting(folders.root);
  const { folder, name } = split(path);
  const isNew = (await typeOf(folders, path)) === undefined;
  if (isNew) await confirm(); // from here on there is an empty file in its place
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
