import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { replaceFile } from '../../files/disk/replace-file.js';

/** Returns the folder for settings (XDG Base Directory; `APPDATA` on Windows). */
export const configFolder = (environment: NodeJS.ProcessEnv = process.env): string =>
  userFolder(environment, { variable: 'XDG_CONFIG_HOME', onWindows: 'APPDATA', otherwise: '.config' });

/** Returns the folder for state such as saved runs (XDG Base Directory; `LOCALAPPDATA` on Windows). */
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
  // The XDG specification says that relative paths are invalid and must be ignored.
  return join((isAbsolute(own) && own) || system || join(homedir(), otherwise), 'stepwise');
}

/**
 * Creates a folder and its parents, and rejects if that fails. Node's recursive `mkdir` loops forever if a parent
 * exists but nothing can be created in it, as in `/proc`.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above);
  await mkdir(folder, { mode: 0o700 }).catch(async (error) => {
    if (!(await isFolder(folder))) throw error; // otherwise another program created it first
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Writes a file atomically, readable only for this person. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  await makeFolder(dirname(file));
  await replaceFile(file, text);
}
