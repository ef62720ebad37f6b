import { spawn } from 'node:child_process';

/** How each system opens an address; no shell reads it. Windows' `start` belongs to its shell, so what `start` calls is called. */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the person's browser, which outlives this process; `onFailure` is told where there is none. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  opener.once('error', onFailure);
  opener.once('exit', (code) => {
    if (code !== 0) onFailure();
  });
  opener.unref();
}
