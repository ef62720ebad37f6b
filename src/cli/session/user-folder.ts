import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where this person's settings are kept (XDG Base Directory; `APPDATA` on Windows). */
export function userFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const base =
    environment['XDG_CONFIG_HOME'] ||
    (process.platform === 'win32' && environment['APPDATA']) ||
    join(homedir(), '.config');
  return join(base, 'stepwise');
}
