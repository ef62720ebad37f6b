import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { localhostCertificate } from '../../../support/providers/localhost-certificate.js';
import { startWholeService } from '../../../support/whole-service.js';

const answer = {
  choices: [{ message: { role: 'assistant', content: 'Final Answer: here' }, finish_reason: 'stop' }],
};
const server = createServer(localhostCertificate, (_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer));
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('caFile makes a server certificate trusted, but only for the upstream that has the setting (rule: gateway-settings)', async () => {
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  const caFile = join(mkdtempSync(join(tmpdir(), 'stepwise-ca-')), 'ca.pem');
  writeFileSync(caFile, localhostCertificate.cert);
  const url = `https://localhost:${port}/v1`;
  const service = await startWholeService(undefined, {
    UPSTREAMS: JSON.stringify({ own: { url, caFile }, other: { url } }),
  });
  try {
    const outcomes = [];
    for (const provider of ['own', 'other', 'own']) {
      const llm_config = { modelName: 'm', provider, tokenLimit: 8_000, reservedOutputTokens: 500 };
      const { body } = await service.step({ llm_config });
      outcomes.push(body.direct_response ?? body.error?.details[0]?.code);
    }
    expect(outcomes).toEqual(['here', 'tls_untrusted', 'here']);
  } finally {
    await service.close();
  }
});
