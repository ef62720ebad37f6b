import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TurnInput } from '../../../src/contract/history.js';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { comparePrefix, otherReasons } from '../../../src/playground/live/compare-prefix.js';
import { patientClient } from '../../support/patient-client.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { recordedStep, renderedStep } from './recorded-steps.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const rendered = (request: Partial<StepRequestInput>) =>
  renderedStep(patientClient(service.url), { request: { ...base, ...request } });

const file = (content: string) => ({ files: [{ path: 'src/total.ts', content }] });
const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });
const base: Partial<StepRequestInput> = {
  llm_config: { modelName: 'gpt-4o', tokenLimit: 16_000, reservedOutputTokens: 500 },
  explicit_context_paths: ['src/total.ts'],
  inline_context: file('export const total = 1;\nexport const rest = 2;\n'),
  instructions: 'Answer in one sentence.',
  tools: [tool('look_up', 'Looks up.'), tool('read_file', 'Reads.')],
};
const call: TurnInput = {
  role: 'assistant',
  content: '',
  toolCall: { name: 'look_up', parameters: {}, id: 'c' },
};
const result: TurnInput = { role: 'tool_observation', content: 'It is 42.', toolCallId: 'c' };
const history = (...turns: TurnInput[]): Partial<StepRequestInput> => ({
  user_query: '',
  conversation_history: [{ role: 'user', content: 'Why?' }, ...turns],
});
const second = history(call, result);

describe.each([
  'text',
  'xml',
  'native',
] as const)('the prefix that two prompts share, in protocol %s (rule: playground-live)', (protocol) => {
  test('a step that only adds to the history shares the whole previous prompt as prefix', async () => {
    const before = await rendered({ ...history(), protocol });
    const after = await rendered({ ...second, protocol });
    const { change, keptTokens, promptTokens } = comparePrefix(before, after);
    expect(change).toBeNull();
    expect(promptTokens).toBe(after.response.context_report?.prompt_tokens);
    expect(keptTokens).toBeGreaterThan(promptTokens / 2);
    expect(keptTokens).toBeLessThan(promptTokens);
  });

  test('the first difference of two prompts is located in a changed line of a file, with the file’s path', async () => {
    const before = await rendered({ ...second, protocol });
    const inline_context = file('export const total = 1;\nexport const rest = 7;\n');
    const after = await rendered({ ...second, protocol, inline_context });
    const { change } = comparePrefix(before, after);
    expect(change?.place).toMatch(/^message \d+ \([\w ]+\), file src\/total\.ts/);
    expect(change?.same).toContain('export const rest = ');
    expect([change?.was.charAt(0), change?.is.charAt(0)]).toEqual(['2', '7']);
  });
});

describe('the first difference of two prompts (rule: playground-live)', () => {
  test('changed instructions are reported as a difference in the system text', async () => {
    const before = await rendered(second);
    const after = await rendered({ ...second, instructions: 'Answer in two sentences.' });
    const { change, keptTokens, promptTokens } = comparePrefix(before, after);
    expect(change?.place).toMatch(/^the system text/);
    expect([change?.was.slice(0, 3), change?.is.slice(0, 3)]).toEqual(['one', 'two']);
    const unchanged = comparePrefix(before, await rendered(second));
    expect(keptTokens).toBeLessThan(unchanged.keptTokens);
    expect(unchanged.keptTokens).toBe(promptTokens);
  });

  test('with native tool calling, the difference report names the tool whose definition changed', async () => {
    const tools = [tool('look_up', 'Looks up.'), tool('read_file', 'Reads a file.')];
    const before = await rendered({ ...second, protocol: 'native' });
    const after = await rendered({ ...second, protocol: 'native', tools });
    expect(comparePrefix(before, after).change?.place).toBe('the tools, at the definition of read_file');
  });

  test('a shortened history is reported as a difference in a message', async () => {
    const long = { ...result, content: 'a long observation '.repeat(200) };
    const before = await rendered(history(call, long, { role: 'user', content: 'And?' }));
    const after = await rendered(history());
    expect(comparePrefix(before, after).change?.place).toMatch(/^message \d+/);
  });

  test('equal prompts have no difference', async () => {
    const step = await rendered(second);
    const { promptTokens } = comparePrefix(step, step);
    expect(comparePrefix(step, step)).toEqual({ keptTokens: promptTokens, promptTokens, change: null });
  });

  test('comparing steps without a prompt and a context report gives zero tokens and no difference', () => {
    const nothing = recordedStep();
    expect(comparePrefix(nothing, nothing)).toEqual({ keptTokens: 0, promptTokens: 0, change: null });
  });
});

describe('other reasons for a missed cache (rule: playground-live)', () => {
  const usage = {
    input_tokens: 3_000,
    output_tokens: 5,
    cached_input_tokens: 0,
    cache_write_tokens: null,
    reasoning_tokens: null,
    cost: null,
  };
  const step = (beganAt: string, model: string, input_tokens = 3_000) =>
    recordedStep({ beganAt, response: { model, usage: { ...usage, input_tokens } } });
  const first = step('2026-01-01T10:00:00.000Z', 'a');

  test('a changed model, a short prompt and a long pause are listed as reasons for a missed cache', () => {
    expect(otherReasons(first, step('2026-01-01T10:12:00.000Z', 'b', 500))).toEqual([
      'the previous step used another model, a',
      'the prompt is shorter than the 1,024 tokens that vendors cache',
      'the previous step ended 12 minutes earlier, and caches often last only 5',
    ]);
  });

  test('two steps of the same model in quick succession give no reason for a missed cache', () => {
    expect(otherReasons(first, step('2026-01-01T10:00:09.000Z', 'a'))).toEqual([]);
  });
});
