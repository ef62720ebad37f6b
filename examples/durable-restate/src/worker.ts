import { createServer } from 'node:http2';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { agent } from './agent.js';

/** Where Restate runs the agent. It keeps nothing: any number of workers may come, go, and die. */
const server = createServer(createEndpointHandler({ services: [agent] }));
server.listen(Number(process.env['PORT'] ?? 9080), process.env['HOST'] ?? '127.0.0.1', () =>
  console.log('The worker listens.'),
);
