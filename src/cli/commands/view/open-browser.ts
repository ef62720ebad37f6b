import { spawn } from 'node:child_process';

/**
 * Command that opens an address on each system, without a shell. `start` of Windows is a shell command, so this calls
 * what `start` calls.
 */
const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
};

/**
 * Opens an address in the person's browser, which outlives this process. Calls `onFailure` if no browser can be
 * started.
 */
export function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  opener.once('error', onFailure);
  opener.once('exit', (code) => {
    if (code !== 0) onFailure();
  });
  opener.unref();
}
