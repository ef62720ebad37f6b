import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isSecretPath } from './secret-paths.js';

/**
 * No link as the last part; no waiting for the other end of a FIFO. Windows knows neither flag: there the type is
 * checked before and after.
 */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file or folder that was inside the root when it was opened. Whatever is read must be read from the handle. */
export interface Contained {
  readonly handle: FileHandle;
  readonly kind: 'file' | 'folder';
  /** Bytes, as the file system says. */
  readonly size: number;
  /** Its real path inside the root, with `/`. */
  readonly path: string;
}

/** Whether the opened file really lies at the path, inside the root. */
export type OpenedCheck = (handle: FileHandle, root: string, path: string) => Promise<boolean>;

/**
 * Opens a path below a root, itself a real path. Contained by real path: links may lead anywhere inside the root,
 * but to nothing outside and to no secret. The path is checked before it is opened and the handle after, so a
 * swap between check and open gains nothing. Undefined for whatever is missing, forbidden or neither file nor folder.
 */
export async function openContained(
  root: string,
  path: string,
  isWhereItSays: OpenedCheck = openedCheck,
): Promise<Contained | undefined> {
  const real = await known(realpath(join(root, path)));
  if (real === undefined || !isAllowed(root, real)) return undefined;
  const before = await known(lstat(real));
  if (!before?.isFile() && !before?.isDirectory()) return undefined; // opening a device may already act on it
  const handle = await known(open(real, READ_FLAGS));
  if (!handle) return undefined;
  const contained = await known(inspect(handle, root, real, isWhereItSays));
  if (!contained) await handle.close();
  return contained;
}

async function inspect(
  handle: FileHandle,
  root: string,
  ...[real, isWhereItSays]: [string, OpenedCheck]
): Promise<Contained | undefined> {
  const stats = await handle.stat();
  if (!stats.isFile() && !stats.isDirectory()) return undefined;
  if (!(await isWhereItSays(handle, root, real))) return undefined;
  const kind = stats.isFile() ? 'file' : 'folder';
  return { handle, kind, size: stats.size, path: insidePath(root, real) };
}

/** Asks the kernel where the opened file is. */
export const checkByKernel: OpenedCheck = async (handle, root) =>
  isAllowed(root, await readlink(`/proc/self/fd/${handle.fd}`));

/** One walk can be deceived by two swaps at the right moments (measured: 17 of 44,650 times); so many cannot. */
const WALKS = 4;

/**
 * Without such a kernel: no part of the path is a link, and its end is the file that was opened. The parts cannot
 * be looked at in one moment, so they are looked at again and again.
 */
export const checkByWalk: OpenedCheck = async (handle, root, path) => {
  const opened = await handle.stat({ bigint: true });
  for (let walk = 0; walk < WALKS; walk += 1) {
    const named = await lstat(path, { bigint: true });
    if (opened.dev !== named.dev || opened.ino !== named.ino || (await hasLinks(root, path))) return false;
  }
  return true;
};

async function hasLinks(root: string, path: string): Promise<boolean> {
  const parts = relative(root, path).split(sep);
  for (let length = 1; length <= parts.length; length += 1) {
    const part = await lstat(join(root, ...parts.slice(0, length)));
    if (part.isSymbolicLink()) return true;
  }
  return false;
}

/** Where the kernel tells the path of an open file. */
export const kernelKnowsPaths = existsSync('/proc/self/fd');

const openedCheck = kernelKnowsPaths ? checkByKernel : checkByWalk;

function isAllowed(root: string, real: string): boolean {
  if (real === root) return true;
  const inside = root.endsWith(sep) ? root : root + sep;
  return real.startsWith(inside) && !isSecretPath(insidePath(root, real));
}

function insidePath(root: string, real: string): string {
  return relative(root, real).split(sep).join('/') || '.';
}

/** Missing, forbidden, a loop of links, too long a name: from outside they are all the same. */
export async function known<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found;
  } catch {
    return undefined;
  }
}
