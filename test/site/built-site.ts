import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve, sep } from 'node:path';
import express from 'express';
import { listen } from '../support/listen.js';
import type { Need } from '../support/need.js';
import { onceForAllSuites } from '../support/once-for-all-suites.js';

export const siteGenerator: Need = {
  name: 'the dependencies of site',
  // CI installs the dependencies when it builds the site.
  isMet: existsSync('site/node_modules') || process.env['CI'] !== undefined,
  reason: 'not installed; run npm install in site',
};

export const builtSite = resolve('.build/site');

export const buildSite = (): Promise<void> =>
  onceForAllSuites('site', () => {
    execFileSync('npm', ['run', '-s', 'site', '--', '--target', builtSite], { stdio: 'inherit' });
  });

/** Returns the paths of all pages within the site. */
export const sitePages = (): string[] =>
  readdirSync(builtSite, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.html'))
    .sort();

/** Serves the site below an unusual path, as any static file server would. */
export async function serveSite() {
  const app = express();
  app.use('/below/a/path', express.static(builtSite));
  const server = createServer(app);
  const origin = await listen(server);
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `${origin}/below/a/path/`, close };
}
