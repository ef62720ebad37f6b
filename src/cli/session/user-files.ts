import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

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
  return join(environment[variable] || system || join(homedir(), otherwise), 'stepwise');
}

/** Writes a file of the person's as a whole or not at all, readable for nobody else. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
