import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Compaction, CompactionRequestInput } from '../../src/contract/compaction.js';
import type { Turn, TurnInput } from '../../src/contract/history.js';
import type { ErrorResponse } from '../../src/contract/step.js';
import {
  key,
  llmConfig,
  startWholeService,
  uuid,
  type VendorName,
  type WholeService,
} from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

interface Answer {
  readonly status: number;
  readonly body: Compaction & ErrorResponse;
}

async function compact(
  history: readonly TurnInput[],
  changes: Partial<CompactionRequestInput> = {},
): Promise<Answer> {
  const request = {
    project_id: uuid,
    session_id: uuid,
    conversation_history: history,
    target_tokens: 200,
    strategy: 'mask',
    llm_config: llmConfig('openai'),
    ...changes,
  };
  const { status, body } = await service.post('/api/agent/compact_history', request);
  return { status, body: body as unknown as Answer['body'] }; // `post` has checked it against the contract
}

const log = (lines: number, word = 'line') =>
  Array.from({ length: lines }, (_, index) => `${word} ${index} of the file`).join('\n');

const acted = (number: number, content: string, success = true): TurnInput[] => [
  {
    role: 'assistant',
    content: `I look at ${number}.`,
    toolCall: { name: 'read_file', parameters: { path: `src/${number}.ts` }, id: `call_${number}` },
  },
  { role: 'tool_observation', content, toolCallId: `call_${number}`, toolResult: { success } },
];

/** A history with a task, old steps of which one failed, a second task, and recent steps. */
const run: TurnInput[] = [
  { role: 'user', content: 'Where is the total computed?', timestamp: '2026-01-01T00:00:00Z' },
  ...acted(1, log(40)),
  ...acted(2, `no such file\n${log(5, 'stack')}`, false),
  { role: 'user', content: 'And the tax?' },
  ...[3, 4, 5, 6, 7].flatMap((number) => acted(number, log(30))),
];

async function expectTakenByBoth(history: readonly Turn[] | readonly TurnInput[]): Promise<void> {
  for (const vendor of ['openai', 'anthropic'] as VendorName[]) {
    for (const protocol of ['text', 'native'] as const) {
      const tools = [{ name: 'read_file', inputSchema: { type: 'object' } }];
      const answer = await service.step({
        user_query: 'Go on.',
        conversation_history: [...history],
        llm_config: { ...llmConfig(vendor), tokenLimit: 64_000 },
        protocol,
        tools,
      });
      expect(answer.body.error).toBeNull();
    }
  }
}

describe('masking a history (rule: compaction-mask)', () => {
  test('masking replaces old observations by one line each and keeps tasks, errors, calls and the latest turns', async () => {
    const before = service.fake.requests.length;
    const { status, body } = await compact(run);
    expect(status).toBe(200);
    expect(service.fake.requests).toHaveLength(before);
    expect(body).toMatchObject({ changed: true, usage: null });
    expect(body.tokens_after).toBeLessThan(body.tokens_before);
    const masked = body.conversation_history.flatMap((turn, index) =>
      turn.content === run[index]?.content ? [] : [index],
    );
    expect(masked).toEqual([2, 7]);
    for (const index of masked) {
      expect(body.conversation_history[index]?.content).toMatch(
        /^\[\d+ lines, \d+ characters left out[^\n]*\]$/,
      );
    }
    const withoutContent = ({ content: _, ...turn }: TurnInput) => turn;
    expect(body.conversation_history.map(withoutContent)).toEqual(run.map(withoutContent));
    await expectTakenByBoth(body.conversation_history);
  });

  test('masking leaves a history within its target unchanged', async () => {
    const { body } = await compact(run, { target_tokens: 100_000 });
    expect(body).toMatchObject({ changed: false, conversation_history: run, warnings: [] });
    expect(body.tokens_after).toBe(body.tokens_before);
  });

  test.each([
    'mask',
    'summarize',
  ] as const)('%s returns unchanged turns as they were sent, with null and unknown fields', async (strategy) => {
    const added = { author: 'me', timestamp: null, toolResult: { success: true, error: null } };
    const history = run.map((turn) => ({ ...turn, ...added }));
    service.fake.script({ text: 'So far: nothing.' });
    const keys = { user_api_keys: { llmKey: key } };
    const { body } = await compact(history, { strategy, target_tokens: 1_000, ...keys });
    expect(body.changed).toBe(true);
    expect(body.conversation_history.slice(-8)).toEqual(history.slice(-8));
    expect((await compact(history, { target_tokens: 100_000 })).body.conversation_history).toEqual(history);
  });

  test('masking stops as soon as the history fits its target', async () => {
    const { body: all } = await compact(run, { target_tokens: 1 });
    const { body: some } = await compact(run, { target_tokens: all.tokens_before - 100 });
    expect(some.tokens_after).toBeLessThanOrEqual(all.tokens_before - 100);
    expect(some.conversation_history[7]?.content).toBe(run[7]?.content);
  });

  test('masking reports a history that stays above its target', async () => {
    const { body } = await compact(run, { target_tokens: 1 });
    expect(body.warnings.map(({ code }) => code)).toEqual(['target_not_reached']);
  });

  const text = fc.oneof(
    fc.lorem({ maxCount: 40 }),
    fc.constant(log(20)),
    fc.string({ maxLength: 30 }),
    fc.constant(''),
  );
  const turn: fc.Arbitrary<TurnInput> = fc.oneof(
    fc.record({ role: fc.constant('user' as const), content: text }),
    fc.record({ role: fc.constant('assistant' as const), content: text }),
    fc.record({
      role: fc.constant('assistant' as const),
      content: fc.oneof(fc.constant(''), text),
      toolCall: fc.record({
        name: fc.constantFrom('read_file', 'run'),
        parameters: fc.dictionary(fc.constantFrom('path', 'x'), text),
        id: fc.constantFrom(null, 'call_1', 'a', 'b'),
      }),
    }),
    fc.record({
      role: fc.constant('tool_observation' as const),
      content: text,
      toolCallId: fc.constantFrom(null, 'call_1', 'a', 'b'),
      toolResult: fc.option(fc.record({ success: fc.boolean(), result: fc.jsonValue() }), { nil: null }),
    }),
  );

  test('masking is deterministic and idempotent, and never makes a history longer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { maxLength: 14 }),
        fc.integer({ min: 1, max: 400 }),
        async (turns, target) => {
          const history: TurnInput[] = JSON.parse(
            JSON.stringify([{ role: 'user', content: 'task' }, ...turns]),
          );
          const { body } = await compact(history, { target_tokens: target });
          const { body: same } = await compact(history, { target_tokens: target });
          expect(same.conversation_history).toEqual(body.conversation_history);
          expect(body.conversation_history).toHaveLength(history.length);
          expect(body.tokens_after).toBeLessThanOrEqual(body.tokens_before);
          const { body: again } = await compact(body.conversation_history, { target_tokens: target });
          expect(again).toMatchObject({ changed: false, tokens_before: body.tokens_after });
          expect(again.conversation_history).toEqual(body.conversation_history);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe('summarizing a history (rule: compaction-summarize)', () => {
  const summarize = (history: readonly TurnInput[], changes: Partial<CompactionRequestInput> = {}) =>
    compact(history, { strategy: 'summarize', user_api_keys: { llmKey: key }, ...changes });
  const summary = 'Task: totals\nDecisions: none\nFiles touched: src/1.ts\nOpen: the tax';

  test('one model call replaces the oldest turns by one summary turn; both tasks and the latest turns stay', async () => {
    service.fake.script({ text: summary });
    const before = service.fake.requests.length;
    const { status, body } = await summarize(run);
    expect(status).toBe(200);
    expect(service.fake.requests).toHaveLength(before + 1);
    expect(body.conversation_history).toEqual([
      run[0],
      { role: 'user', kind: 'summary', content: summary },
      run[5],
      ...run.slice(-8),
    ]);
    expect(body.usage).toMatchObject({ output_tokens: expect.any(Number) });
    const sent = service.fake.requests[before]?.rawBody ?? '';
    expect(sent).toContain('line 39 of the file');
    expect(sent).toContain('And the tax?');
    await expectTakenByBoth(body.conversation_history);
  });

  test('summarizing a summarized history makes no model call and changes nothing', async () => {
    service.fake.script({ text: summary });
    const { body } = await summarize(run);
    const calls = service.fake.requests.length;
    const { body: again } = await summarize(body.conversation_history);
    expect(again).toMatchObject({
      changed: false,
      conversation_history: body.conversation_history,
      usage: null,
    });
    expect(service.fake.requests).toHaveLength(calls);
  });

  test('summarizing a run that continued after a summary replaces it by one new summary', async () => {
    service.fake.script({ text: summary });
    const { body } = await summarize(run);
    const longer = [...body.conversation_history, ...[8, 9, 10, 11].flatMap((n) => acted(n, log(30)))];
    service.fake.script({ text: 'Task: newer' });
    const { body: again } = await summarize(longer);
    expect(again.conversation_history.filter(({ kind }) => kind === 'summary')).toEqual([
      { role: 'user', kind: 'summary', content: 'Task: newer' },
    ]);
    expect(service.fake.requests.at(-1)?.rawBody).toContain('Decisions: none');
  });

  test.each([
    ['nothing', '', 'no_summary'],
    ['white space', '   \n', 'no_summary'],
    ['a longer text', log(400), 'summary_too_long'],
  ])('if the model returns %s instead of a shorter summary, the history stays unchanged and the usage is returned', async (_what, text, code) => {
    service.fake.script({ text });
    const { status, body } = await summarize(run);
    expect(status).toBe(200);
    expect(body).toMatchObject({ changed: false, conversation_history: run });
    expect(body.tokens_after).toBe(body.tokens_before);
    expect(body.usage).not.toBeNull();
    expect(body.warnings.map((warning) => warning.code)).toContain(code);
  });

  test('a refusal by the model is not used as a summary', async () => {
    service.fake.script({ text: 'I cannot', refusal: 'no' });
    const { body } = await summarize(run);
    expect(body).toMatchObject({ changed: false, conversation_history: run });
  });

  test('a summary cut by the output limit is used and reported', async () => {
    service.fake.script({ text: 'Task: tot', finishReason: 'length' });
    const { body } = await summarize(run);
    expect(body.conversation_history[1]?.content).toBe('Task: tot');
    expect(body.warnings.map(({ code }) => code)).toContain('summary_truncated');
  });

  test('a summary that looks like an action is still a summary', async () => {
    const text = 'Task: totals\nAction: read_file(path="src/1.ts") was run\nOpen: the tax';
    service.fake.script({ text });
    const { body } = await summarize(run);
    expect(body.conversation_history[1]).toEqual({ role: 'user', kind: 'summary', content: text });
  });

  test.each([
    ['rate-limited', 429, 'upstream_rate_limited'],
    ['server-error', 502, 'upstream_error'],
    ['unauthorized', 401, 'upstream_authentication_failed'],
  ] as const)('a failure of the provider (%s) returns the common error body', async (fault, status, code) => {
    service.fake.script({ fault, retryAfter: '30' });
    const answer = await summarize(run, { llm_config: { ...llmConfig('openai'), deadlineMs: 3_000 } });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      status: 'error',
      updated_conversation_history: run,
      session_id: uuid,
      error: { code },
    });
  });

  test('summarizing fails with missing_api_key without a key, and with token_budget_exceeded if its request exceeds the budget', async () => {
    expect((await summarize(run, { user_api_keys: {} })).body.error.code).toBe('missing_api_key');
    const tiny = { ...llmConfig('openai'), tokenLimit: 120, reservedOutputTokens: 100 };
    expect((await summarize(run, { llm_config: tiny })).body.error.code).toBe('token_budget_exceeded');
  });
});
