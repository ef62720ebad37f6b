import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { get_encoding } from 'tiktoken';
import { anyRequest } from '../support/arbitrary-request.js';
import { sentPrompt } from '../support/sent-prompt.js';
import { llmConfig, startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

const reference = get_encoding('o200k_base');
let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: done' });
});
afterAll(async () => {
  reference.free();
  await service.close();
});

/** Tokens that OpenAI's chat format adds to a prompt and to each message, as the model table states them. */
const framing = { prompt: 3, message: 4 };

const tools = [
  { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'write_file', inputSchema: { type: 'object' } },
];

test.each([
  'text',
  'xml',
  'native',
] as const)('with protocol %s, every prompt fits the budget, and without native tools the report has its exact token count (rule: prompt-budget)', async (protocol) => {
  let fitted = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const { tokenLimit, reservedOutputTokens } = request.llm_config;
      const before = service.fake.requests.length;
      const { status, body } = await service.step({
        ...stepRequest(),
        ...JSON.parse(JSON.stringify(request)),
        ...(protocol === 'native' && { tools }),
        protocol,
        llm_config: { ...llmConfig('openai'), tokenLimit, reservedOutputTokens },
      });
      if (status === 422) return expect(body.error?.code).toBe('token_budget_exceeded');
      expect(status).toBe(200);
      fitted += 1;
      const sent = service.fake.requests[before];
      const counted = (sent ? sentPrompt(sent) : []).reduce(
        (sum, { text }) => sum + framing.message + reference.encode(text, [], []).length,
        framing.prompt,
      );
      const { prompt_tokens = 0 } = body.context_report ?? {};
      expect(prompt_tokens + reservedOutputTokens).toBeLessThanOrEqual(tokenLimit);
      if (protocol !== 'native') expect(counted).toBe(prompt_tokens);
    }),
    { numRuns: 300, endOnFailure: true },
  );
  expect(fitted).toBeGreaterThan(150);
});
