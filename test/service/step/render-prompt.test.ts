import { expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { toOfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import { parseCompletion } from '../../../src/parsing/parse-completion.js';
import { prepare, textOf } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

const answerTurn = { role: 'assistant' as const, content: 'So it is.' };
const questionTurn = { role: 'user' as const, content: 'Why?' };
const messagesOf = async (fields: Partial<StepRequestInput>) =>
  (await prepare(stepRequest(fields))).prompt.messages;

test('a prompt begins and ends with the user, and roles alternate (rule: message-order)', async () => {
  for (const history of [
    [questionTurn],
    [answerTurn, questionTurn],
    [questionTurn, answerTurn],
    [questionTurn, questionTurn, answerTurn, answerTurn],
  ]) {
    const messages = await messagesOf({ conversation_history: history, user_query: '' });
    const roles = messages.map(({ role }) => role);
    expect([roles[0], roles.at(-1)]).toEqual(['user', 'user']);
    expect(roles.every((role, index) => role !== roles[index - 1])).toBe(true);
  }
});

test('the tail is the last block and not part of the stable messages (rule: tail)', async () => {
  const tasks = [{ id: 1, content: 'find it', status: 'todo' as const }];
  const { prompt, stable } = await prepare(stepRequest({ tasks }));
  expect(prompt.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', tail: true });
  expect(stable.map(textOf).join('')).not.toContain('find it');
});

test('cache breakpoints follow the instructions, the context and the stable messages (rule: breakpoints)', async () => {
  const { prompt } = await prepare(
    stepRequest({
      explicit_context_paths: ['a.ts'],
      inline_context: { files: [{ path: 'a.ts', content: 'one\n' }] },
      conversation_history: [questionTurn, answerTurn, questionTurn],
      user_query: '',
      tasks: [{ id: 1, content: 'find it', status: 'todo' }],
    }),
  );
  const marks = prompt.messages.map(({ parts }) =>
    parts.map((part) => 'breakpoint' in part && part.breakpoint === true),
  );
  expect(prompt.systemBreakpoint).toBe(true);
  expect(marks).toEqual([[true, true], [false], [true, false]]);
});

const tool = {
  name: 'read_file',
  inputSchema: { type: 'object' as const, properties: { path: { type: 'string' } }, required: ['path'] },
};
const withContext = {
  tools: [tool],
  explicit_context_paths: ['a.ts'],
  inline_context: { files: [{ path: 'a.ts', content: 'one\n' }] },
};

test('the worked example precedes the context and states that it is not part of the task (rule: worked-example)', async () => {
  for (const protocol of ['text', 'xml', 'json'] as const) {
    const { prompt } = await prepare(stepRequest({ ...withContext, protocol }), { needsExample: true });
    const [question = '', reply = '', rest = ''] = prompt.messages.map(textOf);
    expect(prompt.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(question).toContain('not part of this task');
    expect(parseCompletion(reply, [toOfferedTool(tool)])).toMatchObject({
      outcome: 'action',
      confidence: 'exact',
      action: { toolName: 'read_file', toolArgs: { path: 'invoice' } },
    });
    expect(rest).toMatch(/^End of the example\. Now the task:\n<file path="a\.ts".*\n[\s\S]*Why\?\n$/);
    const marks = prompt.messages.map(({ parts }) =>
      parts.map((part) => 'breakpoint' in part && part.breakpoint === true),
    );
    expect(marks[2]).toEqual([false, true, true]);
  }
});

test('the prompt has no worked example without tools, with native calling, or if no sample values fit the schema (rule: worked-example)', async () => {
  const impossible = { type: 'object' as const, properties: { x: { not: {} } }, required: ['x'] };
  for (const fields of [
    {},
    { tools: [tool], protocol: 'native' as const },
    { tools: [{ name: 'run', inputSchema: impossible }] },
  ]) {
    const { prompt } = await prepare(stepRequest(fields), { needsExample: true });
    expect(prompt.messages.map(textOf)).toEqual(['Why?\n']);
  }
});

test('the worked example uses the first tool with a sample call, read-only tools first (rule: worked-example)', async () => {
  const impossible = { type: 'object' as const, properties: { x: { not: {} } }, required: ['x'] };
  const shut = (name: string) => ({ name, inputSchema: impossible });
  const toolInExample = async (...tools: StepRequestInput['tools'] & object) => {
    const { prompt } = await prepare(stepRequest({ tools }), { needsExample: true });
    return /Action: (\w+)/.exec(prompt.messages.map(textOf).join(''))?.[1];
  };
  const write = { ...tool, name: 'write_file' };
  expect(await toolInExample(write, shut('list_files'), tool)).toBe('read_file');
  expect(await toolInExample(shut('read_all'), shut('list_files'), write)).toBe('write_file');
  expect(await toolInExample(shut('read_all'), shut('run'))).toBeUndefined();
  const shutTools = (count: number) => Array.from({ length: count }, (_, at) => shut(`read_${at}`));
  expect(await toolInExample(...shutTools(7), write)).toBe('write_file');
  expect(await toolInExample(...shutTools(8), write)).toBeUndefined();
});

test('the xml prompt describes parameters in words instead of schemas to a model that needs an example (rule: worked-example)', async () => {
  const request = stepRequest({ ...withContext, protocol: 'xml' });
  const [withSchema, inWords] = await Promise.all([
    prepare(request),
    prepare(request, { needsExample: true }),
  ]);
  expect(withSchema.prompt.system).toContain(JSON.stringify(tool.inputSchema));
  expect(inWords.prompt.system).not.toContain('{"type"');
  expect(inWords.prompt.system).toContain('<parameter>path: string</parameter>');
});

test('the sections in the report add up to the tokens of the prompt, and the stable hash does not depend on the tail (rule: context-report)', async () => {
  const { report } = await prepare(stepRequest({}));
  expect(report.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(report.prompt_tokens);
  const other = await prepare(stepRequest({ tasks: [{ id: 1, content: 'x', status: 'todo' }] }));
  expect(other.report.stable_prompt_sha256).toBe(report.stable_prompt_sha256);
  expect(other.report.stable_prefix_tokens).toBe(
    other.report.prompt_tokens - (other.report.sections.find(({ name }) => name === 'tail')?.tokens ?? 0),
  );
});

test('lone surrogates are sent as replacement characters in every part of the prompt (rules: message-order, stable-prompt)', async () => {
  const half = (text: string) => `${text} \ud800 ${'and more of it '.repeat(60)}\udc00`;
  const promptWith = async (mend: (text: string) => string) => {
    const text = (name: string) => mend(half(name));
    const toolCall = { id: 'a', name: 'read_file', parameters: { path: 'a.ts' } };
    const { prompt } = await prepare(
      stepRequest({
        explicit_context_paths: ['a.ts'],
        inline_context: { files: [{ path: 'a.ts', content: text('file') }] },
        conversation_history: [
          { role: 'user', content: text('task') },
          { role: 'assistant', content: text('thought'), toolCall },
          { role: 'tool_observation', content: text('observation'), toolCallId: 'a' },
          { role: 'assistant', content: text('answer') },
        ],
        instructions: text('instructions'),
        tasks: [{ id: 1, content: text('tasks'), status: 'todo' }],
      }),
    );
    return prompt.system + prompt.messages.map(textOf).join('');
  };
  const whole = await promptWith((text) => text.toWellFormed());
  for (let step = 0; step < 2; step += 1) expect(await promptWith((text) => text)).toBe(whole);
  expect(whole.isWellFormed()).toBe(true);
});
