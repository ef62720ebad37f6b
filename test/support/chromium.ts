import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import { listen } from './listen.js';
import { findCommand, type Need } from './need.js';

const binary = findCommand(
  ['chromium', '--version'],
  ['chromium-browser', '--version'],
  ['google-chrome', '--version'],
);

export const chromiumBrowser: Need = { name: 'chromium', isMet: binary !== undefined };

/** Launches the Chromium that is installed on this machine. Downloads nothing. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: spawnSync('which', [binary ?? 'chromium'], { encoding: 'utf8' }).stdout.trim(),
  });

/** Serves a page and its scripts on a port of their own, with the service's Content-Security-Policy. */
export async function servePage(files: Readonly<Record<string, string>>) {
  const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'";
  const server = createServer((request, response) => {
    const found = files[request.url ?? ''];
    const type = request.url?.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': policy,
    });
    response.end(found);
  });
  const url = await listen(server);
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `${url}/`, close };
}
