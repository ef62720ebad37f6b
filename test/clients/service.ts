import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCodes } from '../../src/contract/error-codes.js';
import { failureExamples } from '../../src/contract/openapi/examples/failures.js';
import { type Service, startService } from '../../src/service/server.js';
import { patience } from '../support/patience.js';

/**
 * Server for the tests of generated clients. It forwards requests to the service. Below `/newer` it adds fields to the
 * response, as a newer version may (rule: answers-grow), and below `/failing/CODE` it answers with this error. Prints
 * its address and exits when its standard input ends.
 */
const service = await startService({ ...patience, PORT: 0, LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: 0 });

const server = createServer((incoming, response) => {
  const [, mode, code] = incoming.url?.split('/') ?? [];
  if (mode === 'failing') fail(code ?? '', response);
  else pass(service, incoming, response);
});

function fail(code: string, response: ServerResponse): void {
  const [name, body] = Object.entries(failureExamples).find(([each]) => each === code) ?? [];
  const { status } = errorCodes[name as keyof typeof errorCodes]; // cast: the clients request only existing codes
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '5' });
  response.end(JSON.stringify(body));
}

function pass({ url }: Service, incoming: IncomingMessage, response: ServerResponse): void {
  const isNewer = incoming.url?.startsWith('/newer/') ?? false;
  const path = isNewer ? incoming.url?.slice('/newer'.length) : incoming.url;
  const { host: _, ...headers } = incoming.headers;
  const forwarded = request(url + path, { method: incoming.method, headers }, async (answer) => {
    const parts = await answer.toArray();
    const body = Buffer.concat(parts).toString();
    response.writeHead(answer.statusCode ?? 500, { 'Content-Type': answer.headers['content-type'] });
    response.end(isNewer ? JSON.stringify(grown(JSON.parse(body))) : body);
  });
  incoming.pipe(forwarded);
}

/** Adds to a step a field, new enum values, and turns of an unknown kind. */
function grown(step: Record<string, unknown>): object {
  const critic = { role: 'critic', content: 'Too long.', kind: 'review', phase: 'reflect', weight: 3 };
  const turns = [...(step['new_turns'] as object[]), critic]; // cast: the clients request only steps below `/newer`
  const parse = { ...(step['parse'] as object), outcome: 'plan', dialect: 'yaml', certainty: 0.5 };
  return {
    ...step,
    status: 'plan_proposed',
    finish_reason: 'paused',
    later: { more: [1] },
    parse,
    new_turns: turns,
    updated_conversation_history: turns,
  };
}

server.listen(0, '127.0.0.1', () => {
  // The address of a TCP server is an object.
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', async () => {
  server.closeAllConnections();
  server.close();
  await service.close();
});
