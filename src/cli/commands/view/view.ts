import { randomBytes } from 'node:crypto';
import { showExactLine } from '../../screen/visible-text.js';
import { startLocalService } from '../../session/local-service.js';
import { networkFetch } from '../../session/network.js';
import { onStop } from '../../session/on-stop.js';
import { readSavedRun } from '../../state/saved-runs.js';
import { exitCodes, UsageError } from '../usage.js';
import { openBrowser } from './open-browser.js';

const NOT_BUILT = 'The playground is not built. Build it with: npm run build';
const NO_BROWSER = 'No browser could be started. Open the address yourself.';

/**
 * Shows a saved run in the playground, which this process serves on a free port of loopback until it is interrupted.
 * The address contains a random name, so that nobody can guess it. Resolves to the exit code (rule: playground-view).
 */
export async function view(file: string, { opensBrowser }: { opensBrowser: boolean }): Promise<number> {
  const saved = await readSavedRun(file);
  const name = `view-${randomBytes(24).toString('base64url')}`;
  const service = await startLocalService(process.env, { [name]: JSON.stringify(saved) });
  try {
    if (!(await servesPage(service.url))) throw new UsageError(NOT_BUILT);
    // Listens for signals before printing the address, because a script that reads the address may interrupt at once.
    const stopped = untilStopped();
    const url = `${service.url}/#/${name}`;
    process.stdout.write(
      `${showExactLine(file)} is shown at ${url}\nOnly this machine can open it, until Ctrl-C.\n`,
    );
    if (opensBrowser) openBrowser(url, () => process.stderr.write(`${NO_BROWSER}\n`));
    await stopped;
    return exitCodes.answered;
  } finally {
    await service.close();
  }
}

/** Resolves at the first signal. Until then the listening service keeps the process alive. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stops = onStop(() => {
      stops.end();
      resolve();
    });
  });
}

async function servesPage(url: string): Promise<boolean> {
  const response = await networkFetch()(url, { method: 'HEAD', headers: { accept: 'text/html' } });
  return response.headers.get('content-type')?.startsWith('text/html') ?? false;
}
