import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { firstStep } from '../../src/contract/openapi/examples/requests.js';
import { type Service, startService } from '../../src/service/server.js';
import { breaches } from '../support/contract-check.js';
import { patience } from '../support/patience.js';
import { call, stepPath } from '../support/test-service.js';

let service: Service;
beforeAll(async () => {
  service = await startService({ ...patience, PORT: 0, LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: 0 });
});
afterAll(() => service.close());

const { llm_config: config } = firstStep;
const nested = JSON.parse('['.repeat(70) + ']'.repeat(70));

/** Sends a body that is valid according to openapi.yaml; returns the status and the codes of the failure. */
async function failureOf(changes: Record<string, unknown>, as = JSON.stringify) {
  const body = { ...firstStep, ...changes };
  expect(breaches('StepRequest', body)).toBe('');
  const { status, body: answer } = await call(service.url, 'POST', stepPath, { raw: as(body), body });
  return [status, answer.error.code, ...answer.error.details.map(({ code }: { code: string }) => code)];
}

test.each([
  ['nul_character', { instructions: 'a\u0000b' }],
  ['too_deep', { conversation_history: [{ role: 'user', content: 'a', more: nested }] }],
  ['custom', { llm_config: { ...config, reservedOutputTokens: config.tokenLimit } }],
  ['no_task', { user_query: '' }],
  ['tools_required', { protocol: 'native', tools: [] }],
  [
    'reserved_name',
    {
      tools: [
        { name: 'find_tools', inputSchema: {} },
        { name: 'a', inputSchema: {}, defer: true },
      ],
    },
  ],
  ['extensions_required', { phase: 'act', include: { extensions: false } }],
  ['invalid_value', { conversation_history: [{ role: 'critic', content: 'a' }] }],
  ['invalid_value', { conversation_history: [{ role: 'user', content: 'a', kind: 'review' }] }],
])('a request that breaks a rule missing from the schemas fails with the detail %s (rules: beyond-the-schemas, answers-grow)', async (code, changes) => {
  expect(await failureOf(changes)).toEqual([400, 'invalid_request', code]);
});

test('a request with an integer beyond 2^53 fails with the detail number_out_of_range (rule: beyond-the-schemas)', async () => {
  const large = (body: unknown): string => JSON.stringify(body).replace('"large"', '9007199254740993');
  const changes = { conversation_history: [{ role: 'user', content: 'a', more: 'large' }] };
  expect(await failureOf(changes, large)).toEqual([400, 'invalid_request', 'number_out_of_range']);
});

test('a request with a malformed model key fails with 401 (rule: beyond-the-schemas)', async () => {
  const llm_config = { modelName: 'gpt-4o', tokenLimit: 8_000, reservedOutputTokens: 1_000 };
  const changes = { llm_config, user_api_keys: { llmKey: 'short' } };
  expect(await failureOf(changes)).toEqual([401, 'malformed_api_key']);
});
