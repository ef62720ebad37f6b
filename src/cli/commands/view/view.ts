import { randomBytes } from 'node:crypto';
import { showExactLine } from '../../screen/shown-text.js';
import { startLocalService } from '../../session/local-service.js';
import { onStop } from '../../session/on-stop.js';
import { readSavedRun } from '../../state/saved-runs.js';
import { exitCodes, UsageError } from '../usage.js';
import { openBrowser } from './open-browser.js';

const NOT_BUILT = 'The playground is not built here: npm run build makes it.';
const NO_BROWSER = 'No browser could be started: open the address in one.';

/**
 * Shows a saved run in the playground, which this process serves until it is interrupted: on a free port of loopback, the run
 * under a name that nobody can guess. Resolves to the exit code (rule: playground-view).
 */
export async function view(file: string, { opensBrowser }: { opensBrowser: boolean }): Promise<number> {
  const saved = await readSavedRun(file);
  const name = `view-${randomBytes(24).toString('base64url')}`;
  const service = await startLocalService(process.env, { [name]: JSON.stringify(saved) });
  try {
    if (!(await servesPage(service.url))) throw new UsageError(NOT_BUILT);
    // Listened for before the address is told: who reads it may end this at once.
    const stopped = untilStopped();
    const url = `${service.url}/#/${name}`;
    process.stdout.write(
      `${showExactLine(file)} is shown at ${url}\nUntil Ctrl-C, to nobody but this machine.\n`,
    );
    if (opensBrowser) openBrowser(url, () => process.stderr.write(`${NO_BROWSER}\n`));
    await stopped;
    return exitCodes.answered;
  } finally {
    await service.close();
  }
}

/** The listening service keeps the process alive. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stops = onStop(() => {
      stops.end();
      resolve();
    });
  });
}

async function servesPage(url: string): Promise<boolean> {
  const response = await fetch(url, { method: 'HEAD', headers: { accept: 'text/html' } });
  return response.headers.get('content-type')?.startsWith('text/html') ?? false;
}
