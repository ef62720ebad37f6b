import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TurnInput } from '../../../src/contract/history.js';
import { comparePrompts } from '../../../src/playground/inspect/prompt/compare-prompts.js';
import {
  commonLength,
  promptMessages,
  sectionsOf,
} from '../../../src/playground/inspect/prompt/prompt-sections.js';
import { likenessTo } from '../../../src/playground/inspect/prompt/sent-or-rebuilt.js';
import { patientClient } from '../../support/patient-client.js';
import { prepare, textOf } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';
import { key, startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const llm_config = { modelName: 'gpt-4o', tokenLimit: 8_000, reservedOutputTokens: 500 };
const request = stepRequest({
  llm_config,
  explicit_context_paths: ['a.ts'],
  inline_context: { files: [{ path: 'a.ts', content: 'const a = 1;\n<observation mark="0">\n' }] },
  include: { report: 'full' },
});

describe('the rebuilt prompt of a step (rule: context-report)', () => {
  test('the rebuilt prompt equals the sent one and reports so', async () => {
    const client = patientClient(service.url, key);
    const step = await client.step(request);
    const preview = await client.preview(request);
    expect(likenessTo(step.context_report, preview)).toEqual({
      isExact: true,
      words: 'Exactly what was sent.',
    });
  });

  test('the page names the file whose change makes the rebuilt prompt differ from the sent one', async () => {
    const client = patientClient(service.url, key);
    const { context_report } = await client.step(request);
    const longer = { files: [{ path: 'a.ts', content: 'const a = 1;\nconst more = 2;\n' }] };
    const other = await client.preview({ ...request, inline_context: longer });
    expect(likenessTo(context_report, other)).toMatchObject({
      isExact: false,
      words: expect.stringMatching(
        /^Rebuilt; differs from what was sent, because a\.ts took \d+ tokens then, \d+ now\.$/,
      ),
    });
    expect(likenessTo(null, other).isExact).toBe(false);
  });

  test('the prompt view of native calling lists tool definitions and distinguishes tool results from user messages', async () => {
    const tool = { name: 'look_up', description: 'Looks.', inputSchema: { type: 'object' } };
    const call = { role: 'assistant', content: '', toolCall: { name: 'look_up', parameters: {}, id: 'c1' } };
    const result = { role: 'tool_observation', content: 'It is 42.', toolCallId: 'c1' };
    const preview = await patientClient(service.url).preview({
      ...request,
      protocol: 'native',
      tools: [{ ...tool, annotations: { readOnlyHint: true } }],
      conversation_history: [{ role: 'user', content: 'Look.' }, call, result] as TurnInput[],
      user_query: '',
    });
    const [tools, ...messages] = promptMessages(preview, null);
    expect(tools?.role).toBe('tools');
    expect(JSON.parse(tools?.text ?? '')).toEqual(tool);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool results']);
    expect(messages.at(-1)?.text).toContain('It is 42.');
  });

  test('the prompt view separates the worked example from the conversation (rule: worked-example)', async () => {
    const tools = [{ name: 'look_up', inputSchema: { type: 'object' as const } }];
    const { prompt } = await prepare(stepRequest({ tools }), { needsExample: true });
    const messages = prompt.messages.map((message) => ({ role: message.role, content: textOf(message) }));
    const shown = { native_tools: [], system: prompt.system, messages };
    const roles = promptMessages(shown, shown).map(({ role }) => role);
    expect(roles).toEqual(['system', 'example task', 'example reply', 'user']);
    expect(promptMessages(shown, shown).map(({ text }) => text)).toEqual([
      prompt.system,
      ...messages.map(({ content }) => content),
    ]);
  });

  test('the prompt view splits a message into fences and the text between, whatever the files contain', async () => {
    const client = patientClient(service.url);
    const { messages } = await client.preview(request);
    const [first = ''] = messages.map(({ content }) => content);
    const sections = sectionsOf(first);
    expect(sections.map(({ title }) => title)).toEqual(['file a.ts, lines 1-2 of 2', null]);
    expect(sections.map(({ start, end }) => first.slice(start, end)).join('')).toBe(first);
  });

  test('the sections of any message add up to its text', () => {
    const line = fc.constantFrom(
      '<file path="a" mark="0f">',
      '</file 0f>',
      'x',
      '',
      '</file 1f>',
      '<tasks mark="1f">',
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        expect(
          sectionsOf(text)
            .map(({ start, end }) => text.slice(start, end))
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

describe('changes between two prompts (rule: stable-prompt)', () => {
  const prompt = (system: string, ...contents: string[]) => ({
    native_tools: [],
    system,
    messages: contents.map((content, index) => ({
      role: index % 2 ? ('assistant' as const) : ('user' as const),
      content,
    })),
  });

  test('the shared prefix of two prompts ends at the first difference', () => {
    const kept = promptMessages(prompt('s', 'task\ntail', 'a'), prompt('s', 'task\nold', 'a')).map(
      (each) => each.kept,
    );
    expect(kept).toEqual([1, 'task\n'.length, 0]);
    expect(promptMessages(prompt('s', 'a'), null).map((each) => each.kept)).toEqual([0, 0]);
    expect(promptMessages(prompt('s', 'ab', 'c'), prompt('s', 'a', 'c')).map((each) => each.kept)).toEqual([
      1, 1, 0,
    ]);
  });

  test('commonLength equals a comparison character by character and never splits a surrogate pair', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '😁') });
    fc.assert(
      fc.property(text, text, text, (start, a, b) => {
        const [left, right] = [start + a, start + b];
        let expected = 0;
        const points = [...right];
        for (const [index, point] of [...left].entries()) {
          if (points[index] !== point) break;
          expected += point.length;
        }
        expect(commonLength(left, right)).toBe(expected);
      }),
    );
  });

  test('the comparison of two prompts contains every line of both', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n') }), { maxLength: 4 });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const [before, after] = [a, b].map((contents) => promptMessages(prompt('s', ...contents), null));
        const runs = comparePrompts(before ?? [], after ?? []);
        const linesOf = (kinds: readonly string[]) =>
          runs.filter(({ kind }) => kinds.includes(kind)).flatMap(({ lines }) => lines);
        const whole = (messages: typeof before) =>
          (messages ?? []).flatMap(({ role, text }) => [`${role}:`, ...text.split('\n')]);
        expect(linesOf(['same', 'removed'])).toEqual(whole(before));
        expect(linesOf(['same', 'added'])).toEqual(whole(after));
      }),
    );
  });

  test('comparing two entirely different prompts of 500 KB skips the search for the shortest diff', () => {
    const lines = (mark: string) =>
      Array.from({ length: 20_000 }, (_, index) => `${mark} ${index} of a long file`).join('\n');
    const runs = comparePrompts(
      promptMessages(prompt('', lines('a')), null),
      promptMessages(prompt('', lines('b')), null),
    );
    expect(runs.map(({ kind, lines: { length } }) => [kind, length])).toEqual([
      ['same', 1],
      ['removed', 20_000],
      ['added', 20_000],
    ]);
  });
});
