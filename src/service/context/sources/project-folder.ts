import { realpath } from 'node:fs/promises';
import { diskTree } from '../../../files/disk/disk-tree.js';
import { openContained } from '../../../files/disk/open-contained.js';
import { readText } from '../../../files/disk/read-text.js';
import type { FileText } from '../../../files/file-text.js';
import { portablePath } from '../../../files/portable-path.js';
import { isSecretPath } from '../../../files/secret-paths.js';
import { listNearest } from '../../../files/walk-folder.js';
import { type ContextSource, type SourceFile, type SourceFolder, storedPinnedId } from './context-source.js';
import { concurrently } from './library.js';

const MIB = 1_048_576;
const MAX_FILE_BYTES = 2 * MIB;
/** Maximum bytes of file contents read for one folder; further files are listed but not read. */
const MAX_FOLDER_BYTES = 2 * MIB;
const MAX_FOLDER_FILE_BYTES = MIB / 4;
const FILES_AT_ONCE = 8;

/** Maps any error to undefined, so that missing, forbidden and unreadable files look the same. */
const toUndefined = (): undefined => undefined;

/**
 * Returns a source that reads from a local folder, without leaving its real path (rule: containment). The root itself
 * may be a symbolic link. Pinned items are the files `.stepwise/pinned/<id>.md`.
 */
export function projectFolderSource(rootPath: string): ContextSource {
  const read = (path: string, signal: AbortSignal) => readPath(rootPath, path, signal);
  return {
    read,
    async readPinned(id, signal) {
      if (!storedPinnedId.test(id)) return undefined;
      const file = await read(`.stepwise/pinned/${id}.md`, signal);
      return file?.type === 'file' ? { id, content: file.content } : undefined;
    },
  };
}

async function readPath(
  rootPath: string,
  path: string,
  signal: AbortSignal,
): Promise<SourceFile | SourceFolder | undefined> {
  signal.throwIfAborted();
  const root = await realpath(rootPath).catch(toUndefined);
  const name = portablePath(path);
  if (root === undefined || name === undefined || isSecretPath(name)) return undefined;
  const found = await readContained(root, name, MAX_FILE_BYTES);
  signal.throwIfAborted();
  return found === 'folder' ? readFolder(root, name, signal) : found && toSourceFile(name, found);
}

/**
 * Reads a file. Returns undefined also for binary files and encodings other than UTF-8, because the model could not
 * quote them.
 */
async function readContained(
  root: string,
  path: string,
  maxBytes: number,
): Promise<FileText | 'folder' | undefined> {
  const opened = await openContained(root, path).catch(toUndefined);
  if (!opened) return undefined;
  try {
    if (opened.kind === 'folder') return 'folder';
    const text = await readText(opened, maxBytes).catch(toUndefined);
    return text?.isUtf8 ? text : undefined;
  } finally {
    await opened.handle.close();
  }
}

async function readFolder(root: string, folder: string, signal: AbortSignal): Promise<SourceFolder> {
  const { paths, cut } = await listNearest(diskTree(root), folder, signal);
  const read = async (path: string) => {
    signal.throwIfAborted();
    const text = await readContained(root, path, MAX_FOLDER_FILE_BYTES);
    return text === 'folder' ? undefined : text;
  };
  const texts: (FileText | undefined)[] = [];
  let bytes = 0;
  for await (const batch of concurrently(paths, read, FILES_AT_ONCE)) {
    texts.push(...batch);
    bytes += batch.reduce((sum, text) => sum + (text?.bytes ?? 0), 0);
    if (bytes >= MAX_FOLDER_BYTES) break;
  }
  const files = paths.flatMap((path, index) => {
    const text = texts[index];
    return text ? [toSourceFile(path, text)] : [];
  });
  const more = cut || texts.length < paths.length;
  return { type: 'folder', path: folder, listing: paths, files, ...(more && { cut: true }) };
}

function toSourceFile(path: string, { content, cut }: FileText): SourceFile {
  return { type: 'file', path, content: content.replace(/^\uFEFF/, ''), ...(cut && { cut: true }) };
}
