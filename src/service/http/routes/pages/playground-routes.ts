import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { onDemand } from '../../../../event-loop/on-demand.js';
import { RequestRefused } from '../../failure/to-failure.js';
import type { Route } from '../route.js';

const PAGE = 'index.html';
/**
 * Matches file names with a content hash. Such a file can be cached forever, because changed contents get another
 * name.
 */
const hashed = /-[0-9A-Za-z]{8}\.\w+$/;

/**
 * Routes of the playground's files, which the build puts beside this program. Empty if the playground was not
 * built, or if the service was bundled into one file.
 */
export function playgroundRoutes(): Route[] {
  const folder = builtPage('playground');
  const names = folder === undefined ? [] : builtFiles(folder);
  return names.map((name) => ({
    path: `/playground/${name}`,
    name: '/playground/*',
    get: sendFile(join(folder ?? '', name)),
  }));
}

/**
 * Returns the handler that serves the playground's page; undefined if the page was not built (rule: playground-page).
 */
export function playgroundPage(): RequestHandler | undefined {
  const folder = builtPage('playground');
  if (folder === undefined || !builtFiles(folder).includes(PAGE)) return undefined;
  const send = sendFile(join(folder, PAGE));
  return (request, response, next) => headersOfPage(request, response, () => send(request, response, next));
}

/**
 * Saved runs as JSON, by unguessable names. The program that starts the service passes them in for the playground.
 */
export type HandedRuns = Readonly<Record<string, string>>;

/**
 * Routes that serve each saved run only to the service's own page. The browser's headers reveal the requesting
 * site; other sites get 404, even if `CORS_ORIGINS` allows them (rule: playground-view).
 */
export const handedRunRoutes = (runs: HandedRuns): Route[] =>
  Object.entries(runs).map(([name, json]) => ({
    path: `/playground/runs/${name}`,
    name: '/playground/runs/*',
    get: ({ headers }, response) => {
      const { origin, 'sec-fetch-site': site = 'same-origin' } = headers;
      if (origin !== undefined || site !== 'same-origin') throw new RequestRefused('not_found');
      response.set('Cache-Control', 'no-store').type('json').send(json);
    },
  }));

/**
 * Content security policy of the playground, stricter than that of other responses: only our own images, and no
 * script created from a string.
 */
const headersOfPage = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    workerSrc: ["'self'"],
    trustedTypes: ['search-worker'],
  },
});

/** Returns the folder of a built page; undefined in a CommonJS bundle, whose modules have no URL. */
export function builtPage(name: 'contract' | 'playground'): string | undefined {
  const from: string | undefined = import.meta.url;
  return from && fileURLToPath(new URL(`../../../../${name}/page/`, from));
}

function builtFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.endsWith('.br') && !name.endsWith('.gz'));
  } catch {
    return [];
  }
}

/** Serves a file in the caller's preferred encoding among those that were built. */
function sendFile(path: string): RequestHandler {
  // The files are read once and shared by all responses, so that unread responses do not fill memory.
  const plain = onDemand(() => readFile(path));
  const encoded = {
    br: onDemand(() => readFile(`${path}.br`)),
    gzip: onDemand(() => readFile(`${path}.gz`)),
  };
  return async (request, response) => {
    const encoding = request.acceptsEncodings(['br', 'gzip', 'identity']);
    const isEncoded = encoding === 'br' || encoding === 'gzip';
    const contents = await (isEncoded ? encoded[encoding] : plain).get();
    if (isEncoded) response.set('Content-Encoding', encoding);
    response
      .vary('Accept-Encoding')
      .set('Cache-Control', hashed.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
      .type(path.slice(path.lastIndexOf('.')))
      .send(contents);
  };
}
