import type { FileEntry } from '../../files/file-tree.js';
import { portablePath } from '../../files/portable-path.js';
import type { FileStore, StoredChange, StoredFile } from './file-store.js';

/** Content of a stored file: text, bytes, or a browser's `File`, which is read on demand. */
export type StoredContent = string | Uint8Array | StoredFile;

type StoredNode = StoredFile | StoredNodes;
type StoredNodes = Map<string, StoredNode>;

/**
 * Creates a store that keeps files in memory. Skips paths that are invalid on common systems. Throws `TypeError`
 * if a path uses another file as a folder.
 */
export function memoryStore(files: Iterable<readonly [path: string, content: StoredContent]>): FileStore {
  const root: StoredNodes = new Map();
  for (const [path, content] of files) {
    const name = portablePath(path);
    if (name !== undefined && name !== '.') put(root, name, toFile(content));
  }
  return {
    typeOf: async (path) => typeOf(find(root, path)),
    list: async (folder) => entriesOf(find(root, folder)),
    open: async (path) => fileOf(find(root, path)),
    write: async (path, { text, confirm }: StoredChange) => {
      await confirm();
      put(root, path, toFile(text));
    },
  };
}

function toFile(content: StoredContent): StoredFile {
  if (typeof content === 'string') return toFile(new TextEncoder().encode(content));
  if (!(content instanceof Uint8Array)) return content;
  const slice = (start: number, end: number) => ({
    arrayBuffer: async () => new Uint8Array(content.subarray(start, end)).buffer, // copied, because a Node Buffer may share its memory
  });
  return { size: content.length, slice };
}

function put(root: StoredNodes, path: string, content: StoredFile): void {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  let folder = root;
  for (const part of parts) {
    const next = folder.get(part) ?? new Map();
    if (!(next instanceof Map)) throw new TypeError(`"${path}" is inside a file.`);
    folder.set(part, next);
    folder = next;
  }
  if (folder.get(name) instanceof Map) throw new TypeError(`"${path}" is a folder.`);
  folder.set(name, content);
}

/** Finds an entry by its path; undefined if it does not exist. Throws if a parent in the path is a file. */
function find(root: StoredNodes, path: string): StoredNode | undefined {
  let found: StoredNode | undefined = root;
  for (const part of path === '.' ? [] : path.split('/')) {
    if (found === undefined) return undefined;
    if (!(found instanceof Map)) throw new TypeError(`"${path}" is inside a file.`);
    found = found.get(part);
  }
  return found;
}

function typeOf(node: StoredNode | undefined): FileEntry['type'] | undefined {
  return node && (node instanceof Map ? 'folder' : 'file');
}

function entriesOf(node: StoredNode | undefined): FileEntry[] {
  if (!(node instanceof Map)) throw new TypeError('There is no such folder.');
  return [...node].map(([name, each]) => ({ name, type: each instanceof Map ? 'folder' : 'file' }));
}

function fileOf(node: StoredNode | undefined): StoredFile {
  if (!node || node instanceof Map) throw new TypeError('There is no such file.');
  return node;
}
