import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Where this person's settings are kept (XDG Base Directory; `APPDATA` on Windows). */
export const configFolder = (environment: NodeJS.ProcessEnv = process.env): string =>
  userFolder(environment, { variable: 'XDG_CONFIG_HOME', onWindows: 'APPDATA', otherwise: '.config' });

/** Where what has happened is kept (XDG Base Directory; `LOCALAPPDATA` on Windows). */
export const stateFolder = (environment: NodeJS.ProcessEnv = process.env): string =>
  userFolder(environment, {
    variable: 'XDG_STATE_HOME',
    onWindows: 'LOCALAPPDATA',
    otherwise: '.local/state',
  });

function userFolder(
  environment: NodeJS.ProcessEnv,
  { variable, onWindows, otherwise }: { variable: string; onWindows: string; otherwise: string },
): string {
  const system = process.platform === 'win32' ? environment[onWindows] : undefined;
  const own = environment[variable] ?? '';
  // Relative paths are invalid there and are to be ignored (XDG Base Directory).
  return join((isAbsolute(own) && own) || system || join(homedir(), otherwise), 'stepwise');
}

/**
 * Makes a folder of the person's with those above it. Rejects where that cannot be; Node's own way of making them all
 * would try without end where a folder is there and nothing can be made in it, as in `/proc`.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above);
  await mkdir(folder, { mode: 0o700 }).catch(async (error) => {
    if (!(await isFolder(folder))) throw error; // else another program was faster
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Writes a file of the person's as a whole or not at all, readable for nobody else. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await makeFolder(dirname(file));
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
