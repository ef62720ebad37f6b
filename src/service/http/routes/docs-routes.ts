import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { onDemand } from '../../event-loop/on-demand.js';
import { RequestRefused } from '../failure/to-failure.js';
import { turnOf } from '../owed-answers.js';
import { guide } from './guide.js';
import type { Route } from './route.js';

/** The contract, its page, the guide, and an index that leads to them. Local assets only. */
export function docsRoutes(version: string): Route[] {
  return [
    { path: '/', get: (_request, response) => void response.json(index(version)) },
    { path: '/openapi.json', get: sendContract((contract) => contract.json, 'json') },
    { path: '/openapi.yaml', get: sendContract((contract) => contract.yaml, 'application/yaml') },
    { path: '/llms.txt', get: (_request, response) => void response.type('text/plain').send(guide) },
    { path: '/docs', get: (_request, response) => void response.type('html').send(page) },
    { path: '/docs/start.js', get: (_request, response) => void response.type('js').send(startScript) },
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'].map(asset),
  ];
}

const index = (version: string) => ({
  name: 'stepwise',
  version,
  docs: '/docs',
  openapi: '/openapi.yaml',
  guide: '/llms.txt',
  health: '/healthz',
});

interface Contract {
  readonly json: string;
  readonly yaml: string;
}

/** Making it takes longer than the rest of the start. */
const contract = onDemand(async (): Promise<Contract> => {
  const { openapiDocument, openapiYaml } = await import('../../../contract/openapi/openapi.js');
  return { json: JSON.stringify(openapiDocument()), yaml: openapiYaml() };
});

function sendContract(form: (contract: Contract) => string, type: string): RequestHandler {
  return async (_request, response) => {
    response.type(type).send(form(await contract.get()));
  };
}

/** Looked for when it is asked for: a bundle serves the page if the package is installed where it runs. */
function asset(name: string): Route {
  return {
    path: `/docs/${name}`,
    get: async (_request, response) => {
      const file = findAsset(name);
      if (file === undefined) throw new RequestRefused('not_found');
      // Not before: `send` closes the file with the connection, which a response that waits does not have yet.
      await turnOf(response);
      if (response.destroyed) return;
      // Without a callback Express goes on only after an error: one would be called when the file is sent, too.
      response.sendFile(file, { maxAge: '1h' });
    },
  };
}

function findAsset(name: string): string | undefined {
  // A module that was bundled into CommonJS has no URL.
  const from: string | undefined = import.meta.url;
  try {
    return createRequire(from ?? join(process.cwd(), 'bundle.js')).resolve(`swagger-ui-dist/${name}`);
  } catch {
    return undefined;
  }
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
