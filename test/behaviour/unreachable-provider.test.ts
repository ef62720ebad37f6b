import { createServer } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.js';
import { listen } from '../support/listen.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService | undefined;
afterEach(() => service?.close());

/** Makes a step with an upstream at a URL; resolves with its status, its error and its line in the log. */
async function stepWith(url: string) {
  service = await startWholeService(undefined, {
    UPSTREAMS: JSON.stringify({ local: { url, keyRequired: false } }),
    LOG_LEVEL: 'info',
  });
  const llm_config = { modelName: 'any', provider: 'local', tokenLimit: 8_000, reservedOutputTokens: 500 };
  const { status, body } = await service.step({ llm_config });
  const lines = service.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  return { status, error: body.error, line: lines.at(-1) };
}

test('a refused upstream connection is reported as `refused` in the error details and in the log (rule: connection-failures)', async () => {
  const { status, error, line } = await stepWith(`http://127.0.0.1:${await freePort()}/v1`);
  expect(status).toBe(502);
  expect(error).toMatchObject({
    code: 'upstream_unreachable',
    retryable: true,
    details: [{ code: 'refused' }],
  });
  expect(line).toMatchObject({ outcome: 'upstream_unreachable', connection_problem: 'refused' });
});

test('a step whose upstream does not speak TLS fails with a detail about TLS and is not retryable (rule: connection-failures)', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const url = await listen(server);
  const { error, line } = await stepWith(`${url.replace('http:', 'https:')}/v1`);
  expect(error).toMatchObject({
    code: 'upstream_unreachable',
    retryable: false,
    details: [{ code: 'tls_untrusted', message: expect.stringContaining('NODE_EXTRA_CA_CERTS') }],
  });
  expect(line).toMatchObject({ connection_problem: 'tls_untrusted' });
  server.close();
});
