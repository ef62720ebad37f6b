import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { resolve, sep } from 'node:path';
import express from 'express';

/** Built once for all suites; gone as soon as the tests are compiled anew. */
export const builtSite = resolve('.build/site');

export function buildSite(): void {
  if (existsSync(builtSite)) return;
  execFileSync('npm', ['run', '-s', 'site', '--', '--target', builtSite], { stdio: 'inherit' });
}

/** Each page, by its path within the site. */
export const sitePages = (): string[] =>
  readdirSync(builtSite, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.html'))
    .sort();

/** The site below a path it does not know, as any server of files would serve it. */
export async function serveSite() {
  const app = express();
  app.use('/below/a/path', express.static(builtSite));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}/below/a/path/`, close };
}
