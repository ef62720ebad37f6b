import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { streamStep } from '../support/stream-step.js';
import {
  key,
  llmConfig,
  startWholeService,
  stepRequest,
  type VendorName,
  vendors,
  type WholeService,
} from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: here' });
});
afterAll(() => service.close());

// Cast: `vendors` has no other keys, but `Object.keys` returns strings.
const vendorNames = Object.keys(vendors) as VendorName[];
const refusal = 'messages.3: roles must alternate';

const quoted = {
  error: {
    code: 'upstream_rejected_request',
    message: expect.not.stringContaining('alternate'),
    details: [{ source: 'provider', message: refusal }],
  },
};

test.each(
  vendorNames,
)('the message of %s about a refused request is in the error details and in no log line (rule: vendor-words)', async (vendor) => {
  service.fake.script(() => {
    throw new Error(refusal);
  });
  const config = { llm_config: llmConfig(vendor) };
  expect(await service.step(config)).toMatchObject({ status: 422, body: quoted });
  await expect(streamStep(service, config)).rejects.toThrow(JSON.stringify(quoted.error.details));
  expect(service.log.join('')).toContain('upstream_rejected_request');
  expect(service.log.join('')).not.toContain('alternate');
});

test('the message of a provider is dropped if the provider refuses the key or the message repeats it', async () => {
  service.fake.script({ fault: 'echoed-key' });
  const refused = await service.post('/api/agent/react_step', stepRequest());
  expect(refused.body).toMatchObject({ error: { code: 'upstream_authentication_failed', details: [] } });
  service.fake.script(() => {
    throw new Error(`no model for ${key}`);
  });
  const repeated = await service.post('/api/agent/react_step', stepRequest());
  expect(repeated.body).toMatchObject({ error: { code: 'upstream_rejected_request', details: [] } });
});
