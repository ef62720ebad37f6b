import { createServer } from 'node:http2';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { agent } from './agent.js';

/**
 * HTTP endpoint that Restate calls to run the agent. It is stateless, so workers may be added and killed at any time.
 */
const server = createServer(createEndpointHandler({ services: [agent] }));
server.listen(Number(process.env['PORT'] ?? 9080), process.env['HOST'] ?? '127.0.0.1', () =>
  console.log('The worker listens.'),
);
