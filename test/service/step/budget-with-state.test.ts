import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stepRequestSchema } from '../../../src/contract/step-request.js';
import { StepRefused } from '../../../src/service/step/interruption.js';
import type { Part } from '../../../src/service/step/provider.js';
import { createTokenCounter } from '../../../src/tokens/token-counter.js';
import { pdf, png } from '../../support/attachments.js';
import { prepare } from '../../support/prepare.js';

const stateOrigin = { provider: 'gemini', wire: 'chat', family: 'gemini' } as const;
const uuid = '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c';

/** Provider states of any origin: encrypted with reported tokens, readable, forged, of another provider. */
const anyState = fc.oneof(
  fc.record({ tokens: fc.nat(3_000), reasoning_content: fc.lorem({ maxCount: 30 }) }).map((own) => ({
    ...stateOrigin,
    ...own,
  })),
  fc.lorem({ maxCount: 80 }).map((reasoning_content) => ({ ...stateOrigin, reasoning_content })),
  fc.constantFrom(-1, 1.5, '7', null).map((tokens) => ({ ...stateOrigin, tokens, reasoning_content: 'so' })),
  fc.constant({ ...stateOrigin, family: 'claude', tokens: 9_000_000 }),
  fc.constantFrom(null, undefined, 'opaque', 7, []),
);

/** Attachments of a turn; most turns have none. */
const attachments = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  fc.array(fc.constantFrom(png(640, 480), png(90, 2_000), pdf(1)), { minLength: 1, maxLength: 3 }),
);

const turn = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.lorem({ maxCount: 40 }), attachments }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.lorem({ maxCount: 40 }),
    provider_state: anyState,
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constantFrom('', 'I look.'),
    toolCall: fc.constant({ name: 'read_file', parameters: { path: 'a.ts' } }),
    provider_state: anyState,
  }),
  fc.record({
    role: fc.constant('tool_observation'),
    content: fc.lorem({ maxCount: 120 }),
    attachments,
  }),
);

const anyRequest = fc
  .record({
    conversation_history: fc.array(turn, { maxLength: 20 }),
    protocol: fc.constantFrom('native', 'text'),
    tokenLimit: fc.integer({ min: 500, max: 8_000 }),
  })
  .map(({ tokenLimit, ...request }) =>
    stepRequestSchema.parse({
      project_id: uuid,
      session_id: uuid,
      user_query: 'Where is it?',
      tools: [
        { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
      ],
      max_iterations_left: 5,
      llm_config: { modelName: 'gemini-3-pro', provider: 'gemini', tokenLimit, reservedOutputTokens: 200 },
      ...request,
    }),
  );

const counter = createTokenCounter('o200k_base');

/** Counts the tokens of a provider state independently: those that it reports, or else those of its JSON. */
async function tokensOf(state: unknown): Promise<number> {
  const { tokens } = state as { tokens?: unknown };
  const isReported = typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0;
  return isReported ? tokens : counter.count(JSON.stringify(state));
}

test('with provider states and attachments in the history, prompt and output reserve stay within the limit, and the history count includes the states (rule: prompt-budget)', async () => {
  let fitted = 0;
  let withState = 0;
  let withBoth = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const prepared = await prepare(request, { stateOrigin }).catch((error: unknown) => {
        if (error instanceof StepRefused && error.code === 'token_budget_exceeded') return undefined;
        throw error;
      });
      if (!prepared) return;
      fitted += 1;
      const { prompt, report } = prepared;
      const { tokenLimit, reservedOutputTokens } = request.llm_config;
      expect(report.prompt_tokens + reservedOutputTokens).toBeLessThanOrEqual(tokenLimit);
      const parts = prompt.messages.flatMap((message) => message.parts);
      const states = parts.filter(
        (part): part is Extract<Part, { type: 'provider_state' }> => part.type === 'provider_state',
      );
      withState += states.length > 0 ? 1 : 0;
      withBoth += states.length > 0 && parts.some(({ type }) => type === 'attachment') ? 1 : 0;
      let tokens = 0;
      for (const { state } of states) {
        expect(state).toMatchObject(stateOrigin);
        tokens += await tokensOf(state);
      }
      const history = report.sections.find(({ name }) => name === 'history')?.tokens ?? 0;
      expect(tokens).toBeLessThanOrEqual(history);
    }),
    { numRuns: 300 },
  );
  expect(fitted).toBeGreaterThan(150);
  expect(withState).toBeGreaterThan(50);
  expect(withBoth).toBeGreaterThan(20);
});

test('the provider states of masked turns are not sent, and their calls are written as text (rule: fold)', async () => {
  const own = {
    ...stateOrigin,
    tokens: 400,
    call: { extra_content: { google: { thought_signature: 'c2ln' } } },
  };
  const history = Array.from({ length: 12 }, (_, index) => [
    {
      role: 'assistant',
      content: '',
      toolCall: { name: 'read_file', parameters: { path: `${index}.ts` } },
      provider_state: own,
    },
    { role: 'tool_observation', content: 'a line\n'.repeat(40) },
  ]).flat();
  const request = stepRequestSchema.parse({
    project_id: uuid,
    session_id: uuid,
    user_query: 'Where is it?',
    conversation_history: history,
    protocol: 'native',
    tools: [{ name: 'read_file', inputSchema: { type: 'object' } }],
    max_iterations_left: 5,
    llm_config: {
      modelName: 'gemini-3-pro',
      provider: 'gemini',
      tokenLimit: 4_000,
      reservedOutputTokens: 200,
    },
  });
  const { prompt, report } = await prepare(request, { stateOrigin });
  expect(report.items.some(({ status }) => status === 'masked')).toBe(true);
  for (const { parts } of prompt.messages) {
    for (const [index, part] of parts.entries())
      if (part.type === 'tool_call') expect(parts[index - 1]?.type).toBe('provider_state');
  }
  const texts = prompt.messages.flatMap(({ parts }) =>
    parts.map((part) => ('text' in part ? part.text : '')),
  );
  expect(texts.join('')).toContain('Action: read_file(');
});

test('an answer that is masked in the history is sent without its provider state (rule: provider-state)', async () => {
  const own = { ...stateOrigin, tokens: 150, reasoning_content: 'so' };
  const history = Array.from({ length: 16 }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: `Answer ${index}. ${'word '.repeat(150)}`, provider_state: own },
  ]).flat();
  const request = stepRequestSchema.parse({
    project_id: uuid,
    session_id: uuid,
    user_query: 'And now?',
    conversation_history: history,
    max_iterations_left: 5,
    llm_config: {
      modelName: 'gemini-3-pro',
      provider: 'gemini',
      tokenLimit: 3_000,
      reservedOutputTokens: 200,
    },
  });
  const { prompt, report } = await prepare(request, { stateOrigin });
  expect(report.items.some(({ status }) => status === 'masked')).toBe(true);
  for (const { parts } of prompt.messages) {
    const isMasked = parts.some((part) => part.type === 'text' && part.text.includes('[…]'));
    if (isMasked) expect(parts.map(({ type }) => type)).not.toContain('provider_state');
  }
  expect(prompt.messages.some(({ parts }) => parts.some(({ type }) => type === 'provider_state'))).toBe(true);
});
