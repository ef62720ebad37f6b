import type { FileEntry } from '../../files/file-tree.js';
import { portablePath } from '../../files/portable-path.js';
import type { FileStore, StoredChange, StoredFile } from './file-store.js';

/** A file's content: text, bytes, or a browser's file, which is read when it is needed. */
export type StoredContent = string | Uint8Array | StoredFile;

type StoredNode = StoredFile | StoredNodes;
type StoredNodes = Map<string, StoredNode>;

/**
 * Files in memory, by their paths; what is written stays in memory. Paths that no system takes are left out.
 * Throws `TypeError` where one file lies in another.
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
    arrayBuffer: async () => new Uint8Array(content.subarray(start, end)).buffer, // Node's may share a buffer
  });
  return { size: content.length, slice };
}

function put(root: StoredNodes, path: string, content: StoredFile): void {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  let folder = root;
  for (const part of parts) {
    const next = folder.get(part) ?? new Map();
    if (!(next instanceof Map)) throw new TypeError(`"${path}" lies in a file.`);
    folder.set(part, next);
    folder = next;
  }
  if (folder.get(name) instanceof Map) throw new TypeError(`"${path}" is a folder.`);
  folder.set(name, content);
}

/** Undefined for what is not there. Throws where a folder above it is a file. */
function find(root: StoredNodes, path: string): StoredNode | undefined {
  let found: StoredNode | undefined = root;
  for (const part of path === '.' ? [] : path.split('/')) {
    if (found === undefined) return undefined;
    if (!(found instanceof Map)) throw new TypeError(`"${path}" lies in a file.`);
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
