import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import { systemCode } from '../files/disk/open-contained.js';
import { currentText, type Folder, type TextChange } from './folder/folder.js';
import { changedMeanwhile, readOnly, toToolError } from './folder/path-errors.js';

/** Bits of a file's mode that let its owner, its group or others write. */
const ANYONE_MAY_WRITE = 0o222;

const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** A folder on disk. While a file is written, it can hold its subfolder so that nobody can replace it by a link. */
interface PinnableFolder extends Pick<Folder, 'nameOf' | 'exists' | 'readIfText'> {
  useFolder<Result>(path: string, use: (pinned: string) => Promise<Result>): Promise<Result>;
}

/** The last write of this process. Writes wait for it, since two that overlap would both find the expected text. */
let last: Promise<unknown> = Promise.resolve();

/** Replaces a file as `replaceText` does, after all earlier writes of this process. */
export async function writeText(root: PinnableFolder, path: string, change: TextChange): Promise<void> {
  const written = last.then(() => replaceText(root, path, change));
  last = written.catch(() => undefined);
  return written;
}

/**
 * Replaces a file atomically: writes a temporary file in the same folder and renames it, so that a full disk
 * cannot damage the old file. Throws `ToolError` if the file's current text is not `expected`.
 */
async function replaceText(
  root: PinnableFolder,
  path: string,
  { text, expected }: TextChange,
): Promise<void> {
  const place = await root.nameOf(path);
  const [folder, name] = [dirname(place), place.slice(place.lastIndexOf('/') + 1)];
  await makeFolder(root, folder);
  await root.useFolder(folder, async (pinned) => {
    const temporary = `${pinned}/.${randomUUID()}.tmp`;
    try {
      const old = await stat(`${pinned}/${name}`).catch(() => undefined);
      if (old && (old.mode & ANYONE_MAY_WRITE) === 0) throw readOnly(path);
      await writeNew(temporary, text, old);
      if ((await currentText(root, place)) !== expected) throw changedMeanwhile(path);
      await rename(temporary, `${pinned}/${name}`);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw toToolError(error, path);
    }
  });
}

/** Writes a new file, with the owner and the permissions of the file that it will replace. */
async function writeNew(file: string, text: string, old: Stats | undefined): Promise<void> {
  const handle: FileHandle = await open(file, createNew, old ? 0o600 : 0o666);
  try {
    await handle.writeFile(text);
    if (old) await copyRights(handle, old);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function copyRights(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  await handle.chown(uid, gid).catch(() => undefined); // only root may give a file to another user
  await handle.chmod(mode & 0o777); // explicit, because the umask restricts the mode of a new file
}

/** Creates missing folders one level at a time, each inside its parent, which has been checked. */
async function makeFolder(root: PinnableFolder, folder: string): Promise<void> {
  if (folder === '.') return;
  await makeFolder(root, dirname(folder));
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  await root.useFolder(dirname(folder), async (pinned) => {
    await mkdir(`${pinned}/${name}`).catch((error) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  });
}
