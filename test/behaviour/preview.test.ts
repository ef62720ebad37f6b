import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Preview } from '../../src/contract/preview.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { anyRequest } from '../support/arbitrary-request.js';
import { sentPrompt } from '../support/sent-prompt.js';
import {
  llmConfig,
  startWholeService,
  stepRequest,
  type VendorName,
  type WholeService,
} from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: done' });
});
afterAll(() => service.close());

async function preview(request: StepRequestInput): Promise<{ status: number; body: Preview }> {
  const { status, body } = await service.post('/api/agent/context_preview', request);
  return { status, body: body as unknown as Preview }; // `post` has checked it against the contract
}

const withVendor = (request: object, vendor: VendorName): StepRequestInput => ({
  ...stepRequest(),
  ...JSON.parse(JSON.stringify(request)),
  llm_config: { ...llmConfig(vendor), tokenLimit: 3_000 },
});

describe('a preview returns the prompt that the step sends (rule: one-call-per-step)', () => {
  test.each([
    'openai',
    'anthropic',
  ] as const)('a preview equals the sent prompt message by message, for any request (%s)', async (vendor) => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const wanted = withVendor(request, vendor);
        const before = service.fake.requests.length;
        const previewed = await preview(wanted);
        expect(service.fake.requests).toHaveLength(before);
        const { user_api_keys: _, ...step } = wanted;
        const answer = await service.step({ ...step, include: { report: 'full' } });
        expect(answer.status).toBe(previewed.status);
        if (previewed.status !== 200) return;
        const { system, messages, context_report } = previewed.body;
        const sent = service.fake.requests[before];
        expect(sent && sentPrompt(sent)).toEqual([
          { role: 'system', text: system },
          ...messages.map(({ role, content }) => ({ role, text: content })),
        ]);
        expect(answer.body.context_report).toEqual(context_report);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test('a preview needs no key, calls no provider, and always returns the full report', async () => {
    const before = service.fake.requests.length;
    const { status, body } = await preview(
      stepRequest({
        user_api_keys: null,
        explicit_context_paths: ['a.md', 'missing.md'],
        inline_context: { files: [{ path: 'a.md', content: 'hello\n' }] },
        include: { report: 'none' },
      }),
    );
    expect(status).toBe(200);
    expect(service.fake.requests).toHaveLength(before);
    expect(body.context_report.items.map(({ id, status: how }) => [id, how])).toEqual([
      ['a.md', 'included'],
      ['missing.md', 'unavailable'],
      ['0', 'included'],
    ]);
  });

  test('a preview ignores a malformed key', async () => {
    expect((await preview(stepRequest({ user_api_keys: { llmKey: 'x' } }))).status).toBe(200);
  });

  test('equal prompts have equal hashes, and different prompts have different hashes', async () => {
    const hashOf = async (changes: Partial<StepRequestInput>) =>
      (await preview(stepRequest(changes))).body.prompt_sha256;
    const hash = await hashOf({});
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashOf({ session_id: 'a3bb189e-8bf9-4888-9912-ace4e6543002' })).toBe(hash);
    expect(await hashOf({ user_query: 'Where is it?' })).not.toBe(hash);
    expect(await hashOf({ tasks: [{ id: 1, content: 'x', status: 'todo' }] })).not.toBe(hash);
  });

  test('the stable hash of a prompt depends on the query, but not on tasks or remaining iterations', async () => {
    const stableOf = async (changes: Partial<StepRequestInput>) =>
      (await preview(stepRequest(changes))).body.context_report.stable_prompt_sha256;
    const stable = await stableOf({});
    expect(await stableOf({ tasks: [{ id: 1, content: 'x', status: 'todo' }] })).toBe(stable);
    expect(await stableOf({ max_iterations_left: 1 })).toBe(stable);
    expect(await stableOf({ user_query: 'Where is it?' })).not.toBe(stable);
  });

  test('a preview works with no iterations left (rule: iterations)', async () => {
    expect((await preview(stepRequest({ max_iterations_left: 0 }))).status).toBe(200);
  });
});
