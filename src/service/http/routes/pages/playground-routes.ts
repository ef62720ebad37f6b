import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { onDemand } from '../../../../event-loop/on-demand.js';
import type { Route } from '../route.js';

const PAGE = 'index.html';
/** In the names of files that never change: a build gives what has changed another name. */
const hashed = /-[0-9A-Za-z]{8}\.\w+$/;
const encodings = { br: '.br', gzip: '.gz' } as const;

/**
 * The playground's page and its files, as the build made them, from beside this program. Without a build, or in a bundle,
 * there are none.
 */
export function playgroundRoutes(): Route[] {
  const folder = builtPage();
  const names = folder === undefined ? [] : builtFiles(folder);
  return names.map((name) => ({
    path: `/playground/${name}`,
    name: '/playground/*',
    get: sendFile(join(folder ?? '', name)),
  }));
}

/** Sends the page to those who would rather read HTML than JSON; undefined if it was not built (rule: playground-page). */
export function playgroundPage(): RequestHandler | undefined {
  const folder = builtPage();
  if (folder === undefined || !builtFiles(folder).includes(PAGE)) return undefined;
  const send = sendFile(join(folder, PAGE));
  return (request, response, next) => headersOfPage(request, response, () => send(request, response, next));
}

/** Stricter than what other answers say: no image but its own, and no script can be made from a string. */
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

/** A module that was bundled into CommonJS has no URL. */
function builtPage(): string | undefined {
  const from: string | undefined = import.meta.url;
  return from && fileURLToPath(new URL('../../../../playground/page/', from));
}

function builtFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.endsWith('.br') && !name.endsWith('.gz'));
  } catch {
    return [];
  }
}

/** In the encoding the reader likes best of those that were built. */
function sendFile(path: string): RequestHandler {
  // Read once: those who do not take it would fill the memory with copies of it.
  const contents = new Map(
    ['', '.br', '.gz'].map((suffix) => [suffix, onDemand(() => readFile(path + suffix))]),
  );
  return async (request, response) => {
    const encoding = request.acceptsEncodings(['br', 'gzip', 'identity']);
    const suffix = encoding === 'br' || encoding === 'gzip' ? encodings[encoding] : '';
    if (suffix) response.set('Content-Encoding', String(encoding));
    response
      .vary('Accept-Encoding')
      .set('Cache-Control', hashed.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
      .type(path.slice(path.lastIndexOf('.')))
      .send(await contents.get(suffix)?.get());
  };
}
