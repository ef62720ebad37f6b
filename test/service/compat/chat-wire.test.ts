import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../src/offline/wire/reply.js';
import {
  type ChatService,
  clientOf,
  onePixel,
  readFile,
  startChatService,
  tool,
  user,
} from '../../support/compat.js';
import { key } from '../../support/whole-service.js';

let service: ChatService;
beforeAll(async () => {
  service = await startChatService();
});
afterAll(() => service.close());

const sentMessages = () =>
  service.fake.requests.at(-1)?.body['messages'] as { role: string; content: string }[];
const sentSystem = () => sentMessages()[0]?.content ?? '';

describe('plain answers of Chat Completions', () => {
  test('a call that a model writes as text becomes a tool call, with the thought as the text of the message (rules: chat-answers, compatible-wires)', async () => {
    const { message, finish, calls, completion } = await service.ask(
      { text: 'Thought: I look.\nAction: read_file(path="a.ts")' },
      { tools: [readFile] },
    );
    expect(message).toMatchObject({ role: 'assistant', content: 'I look.', refusal: null });
    expect(calls).toEqual([
      { id: expect.stringMatching(/^call_\w{24}$/), name: 'read_file', args: { path: 'a.ts' } },
    ]);
    expect(finish).toBe('tool_calls');
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-\w{24}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'local/qwen3:8b',
      usage: {
        total_tokens: (completion.usage?.prompt_tokens ?? 0) + (completion.usage?.completion_tokens ?? 0),
      },
    });
  });

  test('a final answer follows the model’s thought after a blank line, and the finish reason is `stop`', async () => {
    const script = { text: 'Thought: I know.\nFinal Answer: It is 4.' };
    const { message, finish } = await service.ask(script, { tools: [readFile] });
    expect([message.content, finish]).toEqual(['I know.\n\nIt is 4.', 'stop']);
  });

  test('native calls of an upstream keep their ids, and all of them reach the client', async () => {
    const script = {
      text: 'Two files.',
      toolCalls: [
        { id: 'first_1', name: 'read_file', arguments: { path: 'a' } },
        { id: 'second_2', name: 'read_file', arguments: { path: 'b' } },
      ],
    };
    const { calls, message } = await service.ask(
      script,
      { tools: [readFile] },
      { 'X-Stepwise-Protocol': 'native' },
    );
    expect(message.content).toBe('Two files.');
    expect(calls.map(({ id, args }) => [id, args])).toEqual([
      ['first_1', { path: 'a' }],
      ['second_2', { path: 'b' }],
    ]);
  });

  test('a client that allows only one call gets the first of several', async () => {
    const text =
      '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call><tool_call>{"name": "read_file", "arguments": {"path": "b"}}</tool_call>';
    expect((await service.ask({ text }, { tools: [readFile] })).calls).toHaveLength(2);
    const { calls } = await service.ask({ text }, { tools: [readFile], parallel_tool_calls: false });
    expect(calls.map(({ args }) => args)).toEqual([{ path: 'a' }]);
  });

  test('a call of a freeform tool is returned as a custom call with plain text as its input', async () => {
    const { calls, message } = await service.ask(
      { text: 'Action: apply_patch(input="*** Begin")' },
      { tools: [{ type: 'custom', custom: { name: 'apply_patch' } }] },
    );
    expect(message.tool_calls?.[0]?.type).toBe('custom');
    expect(calls).toMatchObject([{ name: 'apply_patch', args: '*** Begin' }]);
  });

  test('the description of a freeform tool has its grammar (rule: chat-requests)', async () => {
    const grammar = { syntax: 'lark' as const, definition: 'start: begin_patch' };
    const format = { type: 'grammar' as const, grammar };
    const custom = { name: 'apply_patch', description: 'Edits.', format };
    await service.ask({ text: 'Final Answer: yes' }, { tools: [{ type: 'custom', custom }] });
    expect(sentSystem()).toContain('Edits. The input must match this grammar (lark): start: begin_patch');
  });

  test('reasoning is returned in `reasoning_content` and a refusal in `refusal`, never in the message text', async () => {
    const reasoned = await service.ask(
      { text: 'Final Answer: 4', reasoning: 'Two and two.' },
      { tools: [readFile] },
    );
    expect(reasoned.message).toMatchObject({ content: '4', reasoning_content: 'Two and two.' });
    const refused = await service.ask({ refusal: 'I must not.', text: null }, { tools: [readFile] });
    expect(refused.message).toMatchObject({ content: null, refusal: 'I must not.' });
  });

  test.each<[ScriptedCompletion, string | null, string, string]>([
    [{ text: 'Sure, ', refusal: 'I cannot.' }, 'Sure,', 'I cannot.', 'stop'],
    [{ text: 'I was going to', finishReason: 'content_filter' }, 'I was going to', '', 'content_filter'],
    [
      { text: 'Thought: I look.\nAction: read_file(path="a")', finishReason: 'content_filter' },
      'I look.',
      '',
      'content_filter',
    ],
    [{ text: 'Action: read_file(path="a")', refusal: 'No.' }, null, 'No.', 'stop'],
  ])('text before a refusal is the content and only the words of the refusal are the refusal, plain and streamed: %j', async (script, content, refusal, finish) => {
    const plain = await service.ask(script, { tools: [readFile] });
    expect([plain.message.content, plain.message.refusal, plain.finish]).toEqual([content, refusal, finish]);
    const streamed = await service.stream(script, { tools: [readFile] });
    const refusals = streamed.chunks.map(({ choices: [choice] }) => choice?.delta.refusal ?? '');
    expect([streamed.text, refusals.join(''), streamed.finish]).toEqual([content ?? '', refusal, finish]);
  });

  test('if the output limit truncates an action, the message has only the thought, and the finish reason is `length`', async () => {
    const script = { text: 'Thought: I write.\nAction: read_file(path="a', finishReason: 'length' };
    const { message, finish, calls } = await service.ask(script, { tools: [readFile] });
    expect([message.content, finish, calls]).toEqual(['I write.', 'length', []]);
  });
});

describe('requests of Chat Completions', () => {
  test('system and developer messages become one instruction text, without a limit for its length (rule: chat-requests)', async () => {
    const long = 'Be exact. '.repeat(6_000);
    await service.ask(
      { text: 'Final Answer: yes' },
      {
        messages: [
          { role: 'system', content: long },
          { role: 'developer', content: 'Be kind.' },
          user('Look.'),
        ],
        tools: [readFile],
      },
      { 'X-Stepwise-Token-Limit': '100000' },
    );
    expect(sentSystem()).toContain(`${long}\n\nBe kind.`);
  });

  test('the text parts of a message and of a tool result are joined with line breaks (rule: chat-requests)', async () => {
    const parts = (...texts: string[]) => texts.map((text) => ({ type: 'text' as const, text }));
    await service.ask(
      { text: 'Final Answer: yes' },
      {
        messages: [
          { role: 'system', content: parts('Be exact.', 'Be kind.') },
          { role: 'user', content: parts('Fix @a.ts', 'Called the Read tool.', '', '<file>') },
          {
            role: 'assistant',
            tool_calls: [
              { id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c', content: parts('one', 'two') },
        ],
        tools: [readFile],
      },
    );
    const { rawBody } = service.fake.requests.at(-1) ?? { rawBody: '' };
    for (const text of ['Be exact.\\nBe kind.', 'Fix @a.ts\\nCalled the Read tool.\\n<file>', 'one\\ntwo'])
      expect(rawBody).toContain(text);
  });

  test('past calls and results are written for the model in the format that its prompt teaches', async () => {
    const id = 'x'.repeat(205);
    await service.ask(
      { text: 'Final Answer: yes' },
      {
        messages: [
          user('Look.'),
          {
            role: 'assistant',
            content: 'I read.',
            tool_calls: [
              { id, type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
            ],
          },
          { role: 'tool', tool_call_id: id, content: 'the text' },
        ],
        tools: [readFile],
      },
    );
    const sent = sentMessages()
      .map(({ content }) => content)
      .join('\n');
    expect(sent).toContain('Thought: I read.\nAction: read_file(path="a")');
    expect(sent).toMatch(/<observation[^>]*tool="read_file"[^>]*>\nthe text\n/);
  });

  test('past call arguments that are not valid JSON reach the model as text', async () => {
    const call = {
      id: 'c',
      type: 'function' as const,
      function: { name: 'read_file', arguments: '{"path": "a' },
    };
    await service.ask(
      { text: 'Final Answer: yes' },
      { messages: [user('Look.'), { role: 'assistant', tool_calls: [call] }], tools: [readFile] },
    );
    expect(JSON.stringify(sentMessages())).toContain('path');
  });

  test('a function without parameters and a request without a user turn are accepted', async () => {
    const { calls } = await service.ask(
      { text: 'Action: now()' },
      {
        messages: [{ role: 'system', content: 'Tell the time.' }],
        tools: [{ type: 'function', function: { name: 'now' } }],
      },
    );
    expect(calls).toMatchObject([{ name: 'now', args: {} }]);
  });

  test('an image as a data URL reaches the model; one that is not base64 becomes a placeholder (rule: attachments)', async () => {
    const url = `data:image/png;base64,${onePixel}`;
    const image = (each: string) => ({ type: 'image_url' as const, image_url: { url: each } });
    await service.ask(
      { text: 'Final Answer: yes' },
      {
        messages: [{ role: 'user', content: [image(url), image('data:image/png;base64,%')] }],
        tools: [readFile],
      },
    );
    const sent = JSON.stringify(sentMessages());
    expect(sent).toContain(url);
    expect(sent).toContain('[image_url: not shown to the model]');
  });

  test('reasoning parts in a reply that the client sends back are left out without a placeholder (rule: chat-requests)', async () => {
    const parts = [
      { type: 'thinking', thinking: 'Hm.', signature: 'x' },
      { type: 'redacted_thinking', data: 'x' },
    ] as never[];
    const { headers } = await service.ask(
      { text: 'Final Answer: yes' },
      {
        messages: [
          { role: 'user', content: 'Tea?' },
          { role: 'assistant', content: [...parts, { type: 'text', text: 'With milk?' }] },
          { role: 'assistant', content: parts },
          { role: 'user', content: 'Yes.' },
        ],
        tools: [readFile],
      },
    );
    expect(headers.get('x-stepwise-warnings')).toBeNull();
    expect(JSON.stringify(sentMessages())).toContain('With milk?');
    expect(JSON.stringify(sentMessages())).not.toContain('not shown to the model');
  });

  test('a JPEG with the type image/jpg reaches the model as image/jpeg (rule: chat-requests)', async () => {
    const image = { type: 'image_url' as const, image_url: { url: `data:image/jpg;base64,${onePixel}` } };
    const { headers } = await service.ask(
      { text: 'Final Answer: yes' },
      { messages: [{ role: 'user', content: [image] }], tools: [readFile] },
    );
    expect(JSON.stringify(sentMessages())).toContain(`data:image/jpeg;base64,${onePixel}`);
    expect(headers.get('x-stepwise-warnings')).toBeNull();
  });

  test('the text and the refusal of one message of the assistant both reach the model (rule: chat-requests)', async () => {
    const refused = { role: 'assistant' as const, content: 'Half of it.', refusal: 'I cannot do the rest.' };
    await service.ask(
      { text: 'Final Answer: yes' },
      { messages: [user('Look.'), refused, user('Go on.')], tools: [readFile] },
    );
    expect(JSON.stringify(sentMessages())).toContain('Half of it.\\nI cannot do the rest.');
  });

  test('the text of a text file as a data URL reaches the model after its name (rule: chat-requests)', async () => {
    const file_data = `data:application/json;base64,${Buffer.from('{"tea": 4}').toString('base64')}`;
    const file = { type: 'file' as const, file: { filename: 'tea.json', file_data } };
    const { headers } = await service.ask(
      { text: 'Final Answer: yes' },
      { messages: [{ role: 'user', content: [file] }], tools: [readFile] },
    );
    expect(JSON.stringify(sentMessages())).toContain(JSON.stringify('tea.json\n{"tea": 4}').slice(1, -1));
    expect(headers.get('x-stepwise-warnings')).toBeNull();
  });

  test('a response header warns if the model cannot see images, plain and streamed (rule: compatible-report)', async () => {
    const messages = [
      {
        role: 'user' as const,
        content: [{ type: 'image_url' as const, image_url: { url: `data:image/png;base64,${onePixel}` } }],
      },
    ];
    const client = clientOf(service, { apiKey: key });
    const codesOf = async (model: string, stream: boolean) => {
      const { response } = await client.chat.completions.create({ model, messages, stream }).withResponse();
      await response.body?.cancel().catch(() => undefined);
      return response.headers.get('x-stepwise-warnings');
    };
    service.fake.script({ text: 'Final Answer: yes' });
    for (const stream of [false, true]) {
      expect(await codesOf('openai/gpt-4', stream)).toBe('attachments_not_seen');
      expect(await codesOf('openai/gpt-4o', stream)).toBeNull();
    }
  });

  test('an image given by its URL becomes a placeholder, and the report names it, the ignored fields and the vendor’s own tools (rule: compatible-report)', async () => {
    const { completion } = await service.ask(
      { text: 'Final Answer: yes' },
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See: ' },
              { type: 'image_url', image_url: { url: 'https://images.test/a.png' } },
            ],
          },
        ],
        tools: [readFile, { type: 'web_search' } as never],
        stop: ['x'],
        top_p: 0.5,
        user: 'somebody',
      },
      { 'X-Stepwise-Report': 'full' },
    );
    expect(JSON.stringify(sentMessages())).toContain('See: \\n[image_url: not shown to the model]');
    const { stepwise } = completion as unknown as {
      stepwise: { warnings: { code: string; message: string }[] };
    };
    expect(stepwise).toMatchObject({
      context_report: { prompt_tokens: expect.any(Number) },
      signals: {},
      parse: {},
    });
    const messages = stepwise.warnings.map(({ message }) => message).join(' ');
    expect(messages).toMatch(/field stop .*field top_p .*web_search.*image/);
    expect(messages).not.toContain('somebody');
  });

  test('temperature, seed and the output limit are passed on to the upstream', async () => {
    await service.ask(
      { text: 'Final Answer: yes' },
      { temperature: 0, seed: 7, reasoning_effort: 'low', max_completion_tokens: 77 },
    );
    expect(service.fake.requests.at(-1)?.body).toMatchObject({ temperature: 0, seed: 7, max_tokens: 77 });
  });
});

describe('requests without tools', () => {
  const edit = '\n```\n<<<<<<< SEARCH\nAction: old()\n=======\nFinal Answer: new\n>>>>>>> REPLACE\n```\n\n';

  test.each([
    false,
    true,
  ])('a prompt without tools has no instructions for calls, and the client gets the reply byte for byte (streamed: %s) (rule: client-terms)', async (streamed) => {
    const request = { messages: [{ role: 'system' as const, content: 'Edit.' }, user('Change it.')] };
    const text = streamed
      ? (await service.stream({ text: edit }, request)).text
      : (await service.ask({ text: edit }, request)).message.content;
    expect(text).toBe(edit);
    expect(sentMessages()).toEqual([
      { role: 'system', content: 'Edit.' },
      { role: 'user', content: 'Change it.\n' },
    ]);
  });

  test('with tool_choice `none` the prompt describes no tools, but past calls are still written in the upstream’s protocol', async () => {
    const calls = [
      { id: 'c', type: 'function' as const, function: { name: 'read_file', arguments: '{"path":"a"}' } },
    ];
    const { message } = await service.ask(
      { text: 'Action: read_file(path="b")' },
      {
        messages: [
          user('Look.'),
          { role: 'assistant', tool_calls: calls },
          { role: 'tool', tool_call_id: 'c', content: 'x' },
        ],
        tools: [readFile],
        tool_choice: 'none',
      },
    );
    expect(message).toMatchObject({ content: 'Action: read_file(path="b")' });
    expect(message.tool_calls).toBeUndefined();
    expect(sentSystem()).not.toContain('read_file(path)');
    expect(JSON.stringify(sentMessages())).toContain('Action: read_file(path=\\"a\\")');
  });
});

describe('complete calls that do not match a tool definition', () => {
  const tools = [readFile, tool('bash', 'command')];

  test.each([
    ['an unknown tool name', 'Action: grep(pattern="x")', 'grep', { pattern: 'x' }],
    ['a tool name in the wrong case', 'Action: Bash(command="ls")', 'Bash', { command: 'ls' }],
    ['a missing argument', 'Action: bash()', 'bash', {}],
    ['a wrong type', 'Action: bash(command=["ls"])', 'bash', { command: ['ls'] }],
    ['an unknown argument', 'Action: bash(command="ls", cwd="/")', 'bash', { command: 'ls', cwd: '/' }],
    [
      'the text format of native calls',
      '<tool_call>{"name": "bash", "arguments": {"cmd": "ls"}}</tool_call>',
      'bash',
      { cmd: 'ls' },
    ],
  ])('a written call with %s is returned to the client as a tool call, plain and streamed (rule: whole-calls)', async (_kind, text, name, args) => {
    for (const make of [service.ask, service.stream]) {
      const { calls, finish } = await make({ text }, { tools });
      expect([calls, finish]).toMatchObject([[{ name, args }], 'tool_calls']);
    }
  });

  test.each([
    ['an unknown tool name', { name: 'grep', arguments: { pattern: 'x' } }],
    ['a missing argument', { name: 'bash', arguments: {} }],
  ])('a native call with %s is returned to the client as a tool call (rule: whole-calls)', async (_kind, call) => {
    const { calls } = await service.ask(
      { toolCalls: [call] },
      { tools },
      { 'X-Stepwise-Protocol': 'native' },
    );
    expect(calls).toMatchObject([{ name: call.name, args: call.arguments }]);
  });

  test.each([
    ['written', { text: 'Action: bash(command="ls' }, 'text'],
    [
      'in the text format of native calls',
      { text: '<tool_call>{"name": "bash", "arguments": {"command": "l' },
      'text',
    ],
    ['native', { toolCalls: [{ name: 'bash', arguments: '{"command": "l' }] }, 'native'],
  ])('a truncated call never reaches the client, whether the finish reason is `stop` or `length`: %s (rule: whole-calls)', async (_kind, reply, protocol) => {
    for (const finishReason of ['stop', 'length']) {
      const script = { ...reply, finishReason };
      for (const make of [service.ask, service.stream]) {
        const { calls, finish } = await make(() => script, { tools }, { 'X-Stepwise-Protocol': protocol });
        expect([calls, finish]).toEqual([[], finishReason]);
      }
    }
  });
});

test.each([
  '<function=write><parameter=path>a</parameter>',
  '<invoke name="write"><parameter name="path">a</parameter>',
  '<tool_call>write\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>',
])('a call in a native format without its closing mark and without a required argument never reaches the client: %s (rule: whole-calls)', async (text) => {
  for (const make of [service.ask, service.stream]) {
    const { calls, finish } = await make({ text }, { tools: [tool('write', 'path', 'content')] });
    expect([calls, finish]).toEqual([[], 'stop']);
  }
  const whole = await service.ask({ text }, { tools: [tool('write', 'path')] });
  expect(whole.calls).toMatchObject([{ name: 'write', args: { path: 'a' } }]);
});

test('a call in the field `function_call` of a past message is a call, and the message of the role `function` is its result (rule: chat-requests)', async () => {
  const called = { name: 'read_file', arguments: '{"path":"a"}' };
  await service.ask(
    { text: 'Done.' },
    {
      messages: [
        user('Look.'),
        { role: 'assistant', content: null, function_call: called },
        { role: 'function', name: 'read_file', content: 'the text' },
      ],
      tools: [readFile],
    },
    { 'X-Stepwise-Protocol': 'native' },
  );
  const [, , call, result] = sentMessages() as unknown as Record<string, unknown>[];
  const id = expect.any(String);
  expect(call).toMatchObject({ tool_calls: [{ id, function: { name: 'read_file' } }] });
  expect(result).toMatchObject({ role: 'tool', tool_call_id: id });
  expect(result?.['content']).toContain('the text');
});

describe('streams of Chat Completions', () => {
  test('every chunk has the fields that clients need, and the last one before [DONE] has the usage if the client asks for it (rules: chat-answers, compatible-streams)', async () => {
    const { chunks, text, calls, finish, headers } = await service.stream(
      { text: 'Thought: I look.\nAction: read_file(path="a.ts")' },
      { tools: [readFile], stream_options: { include_usage: true } },
    );
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(headers.get('x-stepwise-prompt-tokens')).toMatch(/^\d+$/);
    expect(headers.get('x-stepwise-left-out')).toBe('0');
    expect([text, finish]).toEqual(['I look.', 'tool_calls']);
    expect(calls).toMatchObject([{ name: 'read_file', args: { path: 'a.ts' } }]);
    for (const { id, object, created, model } of chunks)
      expect([id, object, created, model]).toEqual([
        chunks[0]?.id,
        'chat.completion.chunk',
        chunks[0]?.created,
        'local/qwen3:8b',
      ]);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
  });

  test('text is streamed as it arrives, and never contains a part of an action', async () => {
    const { chunks, text } = await service.stream(
      { text: 'Thought: one two three\nfour five.\nAction: read_file(path="secret words of the action")' },
      { tools: [readFile] },
    );
    expect(text).toBe('one two three\nfour five.');
    expect(chunks.filter(({ choices: [choice] }) => choice?.delta.content).length).toBeGreaterThan(2);
  });

  test('if the client does not ask for usage, a stream ends with the finish reason and [DONE]', async () => {
    service.fake.script({ text: 'Final Answer: yes' });
    const response = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'local/m', messages: [user('x')], stream: true }),
    });
    const events = (await response.text()).trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(JSON.parse(events.at(-2)?.slice(6) ?? '')).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });
});

describe('tool_choice', () => {
  test('with tool_choice `required` the prompt demands a call, and a reply without a call is corrected once (rule: compatible-corrections)', async () => {
    const script = [{ text: 'Final Answer: no' }, { text: 'Action: read_file(path="a")' }];
    const { calls } = await service.ask(script, { tools: [readFile], tool_choice: 'required' });
    expect(calls).toMatchObject([{ name: 'read_file' }]);
    expect(service.fake.requests.at(-2)?.rawBody).toContain('Reply with a call of one of the tools now');
  });

  test('if a required call is still missing after the correction, the text of the first reply is the answer', async () => {
    const script = [{ text: 'Final Answer: first' }, { text: 'Final Answer: second' }];
    const { message, finish } = await service.ask(script, { tools: [readFile], tool_choice: 'required' });
    expect([message.content, finish]).toEqual(['first', 'stop']);
  });

  test('if tool_choice names one tool and the model calls another, the reply is corrected', async () => {
    const script = [{ text: 'Action: bash(command="ls")' }, { text: 'Action: read_file(path="a")' }];
    const { calls } = await service.ask(script, {
      tools: [readFile, tool('bash', 'command')],
      tool_choice: { type: 'function', function: { name: 'read_file' } },
    });
    expect(calls).toMatchObject([{ name: 'read_file' }]);
  });
});
