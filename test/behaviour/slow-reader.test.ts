import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, jest, test } from '@jest/globals';
import { startFakeProvider } from '../../src/offline/fake-provider.js';
import { startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { until, untilUnchanged } from '../support/until.js';
import { llmConfig, stepRequest } from '../support/whole-service.js';

// The suite starts a process, which takes longer on a busy machine.
jest.setTimeout(30_000);

const mebibyte = 2 ** 20;
const piece = `${'word '.repeat(3_200)}\n`;
const mostPieces = Math.floor((60 * mebibyte) / piece.length);

test.each([
  'openai',
  'anthropic',
] as const)('a caller who stops reading pauses the provider instead of filling memory: %s (rule: slow-reader)', async (vendor) => {
  let made = 0;
  const chunks = (function* () {
    for (; made < mostPieces; made += 1) yield piece;
  })();
  const fake = await startFakeProvider({ chunks });
  const service = await startServiceProcess({ ...upstreamsAt(fake.url), SHUTDOWN_GRACE_MS: '100' });
  const before = await service.residentBytes();
  const reader = await openStream(service.url, vendor);
  await until(() => made > 0);
  const held = await untilUnchanged(() => made);
  // Sockets and buffers hold a few megabytes; with back-pressure most of the 60 MB are never produced.
  expect(held * piece.length).toBeLessThan(30 * mebibyte);
  expect((await service.residentBytes()) - before).toBeLessThan(120 * mebibyte);
  reader.destroy();
  expect(await fake.requests[0]?.ended).toBe('aborted');
  await service.stop();
  await fake.close();
});

/** Opens a stream and reads only its headers. */
function openStream(url: string, vendor: 'openai' | 'anthropic'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(stepRequest({ llm_config: llmConfig(vendor) }));
    const headers = { 'Content-Type': 'application/json' };
    httpRequest(`${url}/api/agent/react_step/stream`, { method: 'POST', headers })
      .once('response', (response) => resolve(response.on('error', () => {}).pause()))
      .on('error', reject)
      .end(body);
  });
}
