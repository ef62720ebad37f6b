import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { RefusedPath } from '../file-tree.js';
import { isSecretPath } from '../secret-paths.js';

/**
 * No link as the last part; no waiting for the other end of a FIFO. Windows knows neither flag: there the type is
 * checked before and after.
 */
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

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
 * swap between check and open gains nothing. Throws `RefusedPath`.
 */
export async function openContained(
  root: string,
  path: string,
  isWhereItSays: OpenedCheck = openedCheck,
): Promise<Contained> {
  const real = await locateContained(root, path);
  const before = await readable(lstat(real));
  if (!before.isFile() && !before.isDirectory()) throw new RefusedPath('unreadable'); // opening a device may act on it
  const handle = await readable(open(real, readFlags));
  try {
    const stats = await readable(handle.stat());
    if (!stats.isFile() && !stats.isDirectory()) throw new RefusedPath('unreadable');
    if (!(await readable(isWhereItSays(handle, root, real)))) throw new RefusedPath('outside');
    const kind = stats.isFile() ? 'file' : 'folder';
    return { handle, kind, size: stats.size, path: pathInside(root, real) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where a path really leads, links followed; its last parts need not exist yet. Throws `RefusedPath`. */
export async function locateContained(root: string, path: string): Promise<string> {
  const real = await follow(resolve(root, path));
  if (!isInside(root, real)) throw new RefusedPath('outside');
  const name = pathInside(root, real);
  const isStream = sep === '\\' && name.includes(':'); // Windows: another name for a file, or a part of it
  if (isStream || isSecretPath(name)) throw new RefusedPath('unreadable');
  return real;
}

async function follow(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path)
      throw new RefusedPath('unreadable', { cause: error });
    return join(await follow(dirname(path)), basename(path));
  }
}

/** Asks the kernel where the opened file is. */
export const checkByKernel: OpenedCheck = async (handle, root) => {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`);
  return isInside(root, opened) && !isSecretPath(pathInside(root, opened));
};

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

function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** A real path as people write it: relative to the root, with `/`; `.` for the root itself. */
export function pathInside(root: string, real: string): string {
  return relative(root, real).split(sep).join('/') || '.';
}

/** The system's code, such as `ENOENT`; empty for other errors. Errors of another realm are errors too. */
export const systemCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Missing, not permitted, a loop of links, too long a name: from outside they are all the same. */
async function readable<Value>(found: Promise<Value>): Promise<Value> {
  try {
    return await found;
  } catch (error) {
    throw new RefusedPath('unreadable', { cause: error });
  }
}
