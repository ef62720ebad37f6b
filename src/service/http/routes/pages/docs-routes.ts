import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { onDemand } from '../../../../event-loop/on-demand.js';
import { RequestRefused } from '../../failure/to-failure.js';
import type { Route } from '../route.js';
import { guide } from './guide.js';
import { builtPage, playgroundPage, playgroundRoutes } from './playground-routes.js';

/** Routes of the playground, the contract and its page, the guide, and an index. All assets are local. */
export function docsRoutes(version: string): Route[] {
  return [
    { path: '/', get: startPage(version) },
    ...playgroundRoutes(),
    { path: '/openapi.json', get: sendContract((contract) => contract.json, 'json') },
    { path: '/openapi.yaml', get: sendContract((contract) => contract.yaml, 'application/yaml') },
    { path: '/llms.txt', get: (_request, response) => void response.type('text/plain').send(bytesOf.guide) },
    { path: '/docs', get: (_request, response) => void response.type('html').send(bytesOf.page) },
    {
      path: '/docs/start.js',
      get: (_request, response) => void response.type('js').send(bytesOf.startScript),
    },
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'licences.txt'].map(asset),
  ];
}

/**
 * Returns the handler of `/`, which serves the playground to callers who prefer HTML, and the index to all others. If
 * no playground was built, serves the index to all.
 */
function startPage(version: string): RequestHandler {
  const page = playgroundPage();
  return (request, response, next) => {
    response.vary('Accept');
    const wantsPage = page && request.accepts(['json', 'html']) === 'html';
    return wantsPage ? page(request, response, next) : response.json(index(version));
  };
}

const index = (version: string) => ({
  name: 'stepwise',
  version,
  docs: '/docs',
  openapi: '/openapi.yaml',
  guide: '/llms.txt',
  health: '/healthz',
});

/** The contract as bytes, shared by all responses, because Express would encode a string for each. */
interface Contract {
  readonly json: Buffer;
  readonly yaml: Buffer;
}

/** Created with the first request, because creating it takes longer than all other work at startup. */
const contract = onDemand(async (): Promise<Contract> => {
  const { openapiDocument, openapiYaml } = await import('../../../../contract/openapi/openapi.js');
  return { json: Buffer.from(JSON.stringify(openapiDocument())), yaml: Buffer.from(openapiYaml()) };
});

function sendContract(form: (contract: Contract) => Buffer, type: string): RequestHandler {
  return async (_request, response) => {
    response.type(type).send(form(await contract.get()));
  };
}

/** Serves a file of Swagger UI, which the build copied beside this program. */
function asset(name: string): Route {
  return {
    path: `/docs/${name}`,
    get: (_request, response) => {
      const folder = builtPage('contract');
      if (!folder || !existsSync(join(folder, name))) throw new RequestRefused('not_found');
      // Passes no callback: Express would call it also after success, and without one it calls `next` only
      // after an error.
      response.sendFile(name, { root: folder, maxAge: '1h' });
    },
  };
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Stepwise</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="contract"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const startScript = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#contract', validatorUrl: null });\n";

/** The pages as bytes, encoded once instead of for each request. */
const bytesOf = { guide: Buffer.from(guide), page: Buffer.from(page), startScript: Buffer.from(startScript) };
