import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import { systemCode } from '../../files/open-contained.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { ProjectRoot } from '../project-root.js';
import { toToolError } from '../system-failure.js';

const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Writes a file as a whole or not at all: beside it first, then moved into its place, so that a full disk leaves
 * the old one as it was. `expected` is the text it is to replace (undefined: there is no file yet).
 * Throws `ToolError` where the file is not as expected.
 */
export async function writeText(
  root: ProjectRoot,
  path: string,
  { text, expected }: { text: string; expected: string | undefined },
): Promise<void> {
  const place = root.name(await root.locate(path));
  const [folder, name] = [dirname(place), place.slice(place.lastIndexOf('/') + 1)];
  await makeFolder(root, folder);
  await root.useFolder(folder, async (pinned) => {
    const temporary = `${pinned}/.${name}.${process.pid}-${Date.now()}.tmp`;
    try {
      await writeNew(temporary, { text, mode: await modeOf(`${pinned}/${name}`) });
      if ((await currentText(root, place)) !== expected) throw changed(path);
      await rename(temporary, `${pinned}/${name}`);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw toToolError(error, path);
    }
  });
}

export const changed = (path: string): ToolError =>
  new ToolError(`"${path}" was changed in the meantime, by another call or by somebody else. Read it again.`);

/**
 * The file's text, or undefined where there is none. Throws `ToolError` for a file that is not UTF-8: written
 * back it would be another one.
 */
export async function currentText(root: ProjectRoot, path: string): Promise<string | undefined> {
  const real = await root.locate(path);
  const exists = await stat(real).catch((error) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw toToolError(error, path);
  });
  if (!exists) return undefined;
  const { content, isUtf8 } = await root.readText(path);
  if (isUtf8) return content;
  throw new ToolError(
    `"${path}" is not UTF-8 text: writing it would destroy what it holds. Leave it as it is.`,
  );
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

/** One level at a time, each in its verified parent. */
async function makeFolder(root: ProjectRoot, folder: string): Promise<void> {
  if (folder === '.') return;
  await makeFolder(root, dirname(folder));
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  await root.useFolder(dirname(folder), async (pinned) => {
    await mkdir(`${pinned}/${name}`).catch((error) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  });
}
