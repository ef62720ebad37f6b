import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import { systemCode } from '../files/disk/open-contained.js';
import { currentText, type Folder, type TextChange } from './folder/folder.js';
import { changedMeanwhile, toToolError } from './folder/path-errors.js';

const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** A folder on disk. While a file is written, it can hold its subfolder so that nobody can replace it by a link. */
interface PinnableFolder extends Pick<Folder, 'nameOf' | 'exists' | 'readIfText'> {
  useFolder<Result>(path: string, use: (pinned: string) => Promise<Result>): Promise<Result>;
}

/**
 * Replaces a file atomically: writes a temporary file in the same folder and renames it, so that a full disk
 * cannot damage the old file. Throws `ToolError` if the file's current text is not `expected`.
 */
export async function writeText(
  root: PinnableFolder,
  path: string,
  { text, expected }: TextChange,
): Promise<void> {
  const place = await root.nameOf(path);
  const [folder, name] = [dirname(place), place.slice(place.lastIndexOf('/') + 1)];
  await makeFolder(root, folder);
  await root.useFolder(folder, async (pinned) => {
    const temporary = `${pinned}/.${name}.${process.pid}-${Date.now()}.tmp`;
    try {
      await writeNew(temporary, { text, mode: await modeOf(`${pinned}/${name}`) });
      if ((await currentText(root, place)) !== expected) throw changedMeanwhile(path);
      await rename(temporary, `${pinned}/${name}`);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw toToolError(error, path);
    }
  });
}

async function writeNew(file: string, { text, mode }: { text: string; mode: number }): Promise<void> {
  const handle: FileHandle = await open(file, createNew, mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const modeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0o644,
  );

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
