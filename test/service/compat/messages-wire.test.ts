import Anthropic from '@anthropic-ai/sdk';
import type {
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Script } from '../../../src/offline/fake-provider.js';
import { onePixel, textModel } from '../../support/compat.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

type Request = Partial<MessageCreateParamsNonStreaming>;

let service: WholeService;
let client: Anthropic;
beforeAll(async () => {
  service = await startWholeService();
  client = new Anthropic({ baseURL: service.url, apiKey: 'unused', maxRetries: 0 });
});
afterAll(() => service.close());

const readFile = {
  name: 'read_file',
  description: 'Reads a file.',
  input_schema: {
    type: 'object' as const,
    properties: { path: { type: 'string' } },
    required: ['path'],
  },
};
const look: MessageParam[] = [{ role: 'user', content: 'Look.' }];
const request = (changes: Request = {}): MessageCreateParamsNonStreaming => ({
  model: textModel,
  max_tokens: 1_000,
  messages: look,
  tools: [readFile],
  ...changes,
});

function ask(script: Script, changes: Request = {}, headers: Record<string, string> = {}): Promise<Message> {
  service.fake.script(script);
  return client.messages.create(request(changes), { headers });
}

async function stream(script: Script, changes: Request = {}, headers: Record<string, string> = {}) {
  service.fake.script(script);
  const events: RawMessageStreamEvent[] = [];
  const stream = client.messages.stream(request(changes), { headers });
  stream.on('streamEvent', (event) => void events.push(event));
  return { events, message: await stream.finalMessage() };
}

/** Requests a plain response and a stream. Both must have the same message except for its id. Returns the message. */
async function both(script: Script, changes: Request = {}, headers: Record<string, string> = {}) {
  const plain = await ask(script, changes, headers);
  const { message } = await stream(script, changes, headers);
  const withoutIds = ({
    id: _,
    usage: __,
    content,
    parsed_output: ___,
    ...rest
  }: Message & { parsed_output?: unknown }) => ({
    ...rest,
    content: content.map((block) => ('id' in block ? { ...block, id: 'any' } : block)),
  });
  expect(withoutIds(message)).toEqual(withoutIds(plain));
  expect(message.usage).toMatchObject({
    input_tokens: plain.usage.input_tokens,
    output_tokens: plain.usage.output_tokens,
  });
  return plain;
}

const pdf = { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'JVBERi0xLjQ=' };

const failure = (answer: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> =>
  answer.then(
    () => {
      throw new Error('The request was expected to fail.');
    },
    (error) => error,
  );

const sent = () => service.fake.requests.at(-1)?.body ?? {};
const prompt = () => JSON.stringify(sent()['messages']);

describe('answers of Messages (rule: messages-answers)', () => {
  test('a call that a model writes as text becomes a tool_use block after the thought, plain and streamed', async () => {
    const message = await both({ text: 'Thought: I look.\nAction: read_file(path="a.ts")' });
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: textModel,
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', name: 'read_file', input: { path: 'a.ts' } },
      ],
    });
  });

  test('a final answer follows the model’s thought after a blank line, and the stop reason is `end_turn`', async () => {
    const message = await both({ text: 'Thought: I know.\nFinal Answer: It is 4.' });
    expect([message.content, message.stop_reason]).toEqual([
      [{ type: 'text', text: 'I know.\n\nIt is 4.', citations: [] }],
      'end_turn',
    ]);
  });

  test('text blocks have an empty list of citations, plain and streamed, because @ai-sdk/anthropic 2 and 3 reject null', async () => {
    const plain = await ask({ text: 'Thought: I know.\nFinal Answer: 4' });
    expect(plain.content).toEqual([{ type: 'text', text: 'I know.\n\n4', citations: [] }]);
    const { events } = await stream({ text: 'Final Answer: 4' });
    expect(events).toContainEqual({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '', citations: [] },
    });
  });

  test('answers and errors have the request’s id in the header that Anthropic’s SDKs read (rule: compatible-errors)', async () => {
    service.fake.script({ text: 'Final Answer: 4' });
    const { _request_id: id } = await client.messages.create(request());
    const error = await failure(ask({ text: '' }, { model: 'unknown' }));
    for (const each of [id, error.requestID]) expect(each).toMatch(/^[\da-f-]{36}$/);
    expect(error.error).toMatchObject({ request_id: error.requestID });
  });

  test('native calls keep their ids, and the client gets all of them unless it allows only one', async () => {
    const script = {
      text: 'Two files.',
      toolCalls: [
        { id: 'first_1', name: 'read_file', arguments: { path: 'a' } },
        { id: 'second_2', name: 'read_file', arguments: { path: 'b' } },
      ],
    };
    const native = { 'X-Stepwise-Protocol': 'native' };
    const idsOf = ({ content }: Message) => content.flatMap((block) => ('id' in block ? [block.id] : []));
    expect(idsOf(await ask(script, {}, native))).toEqual(['first_1', 'second_2']);
    expect(idsOf((await stream(script, {}, native)).message)).toEqual(['first_1', 'second_2']);
    const one = { tool_choice: { type: 'auto' as const, disable_parallel_tool_use: true } };
    expect(idsOf(await ask(script, one, native))).toEqual(['first_1']);
  });

  test('reasoning becomes a thinking block before the text', async () => {
    const message = await both({ text: 'Final Answer: 4', reasoning: 'Two and two.' });
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'Two and two.', signature: '' },
      { type: 'text', text: '4' },
    ]);
  });

  test('a refusal is returned as text with the stop reason `refusal`', async () => {
    const message = await both({ refusal: 'I must not.', text: null });
    expect(message).toMatchObject({
      stop_reason: 'refusal',
      content: [{ type: 'text', text: 'I must not.' }],
    });
  });

  test('a refusal after some text follows in a text block of its own, and a filtered text without words of a refusal is sent once', async () => {
    const refused = await both({ text: 'Sure, ', refusal: 'I cannot.' });
    expect(refused.content).toMatchObject([{ text: 'Sure,' }, { text: 'I cannot.' }]);
    const filtered = await both({ text: 'I was going to', finishReason: 'content_filter' });
    expect(filtered).toMatchObject({ stop_reason: 'refusal', content: [{ text: 'I was going to' }] });
    expect(filtered.content).toHaveLength(1);
  });

  test('if the output limit truncates an action, the message has only the thought, and the stop reason is `max_tokens`', async () => {
    const cut = { text: 'Thought: I write.\nAction: read_file(path="a', finishReason: 'length' } as const;
    const message = await both(cut);
    expect([message.content, message.stop_reason]).toEqual([
      [{ type: 'text', text: 'I write.', citations: [] }],
      'max_tokens',
    ]);
  });

  test('cached tokens are reported separately from the other input tokens, as Anthropic’s own API does', async () => {
    const message = await both({
      text: 'Final Answer: 4',
      usage: { input: 100, output: 7, cachedInput: 60 },
    });
    expect(message.usage).toMatchObject({
      input_tokens: 40,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 0,
      output_tokens: 7,
    });
  });

  test('a stream begins with the service’s own count of the prompt and ends with the provider’s count', async () => {
    const script = { text: 'Final Answer: 4', usage: { input: 100, output: 7 } };
    service.fake.script(script);
    const { data, response } = await client.messages.create({ ...request(), stream: true }).withResponse();
    const events: RawMessageStreamEvent[] = [];
    for await (const event of data) events.push(event);
    const count = Number(response.headers.get('x-stepwise-prompt-tokens'));
    expect(count).toBeGreaterThan(0);
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: count, output_tokens: 0 } } });
    expect(events.at(-2)).toMatchObject({ usage: { input_tokens: 100, output_tokens: 7 } });
  });

  test('a stream has Anthropic’s events in Anthropic’s order, with the call’s arguments as a delta', async () => {
    const { events } = await stream({ text: 'Thought: I look.\nAction: read_file(path="a.ts")' });
    const types = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual([
      'message_start',
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ]);
    const deltas = events.flatMap((event) => (event.type === 'content_block_delta' ? [event.delta] : []));
    expect(deltas.at(-1)).toEqual({ type: 'input_json_delta', partial_json: '{"path":"a.ts"}' });
  });
});

describe('requests of Messages (rule: messages-requests)', () => {
  test('system texts become instructions, whether in the field `system` or among the messages', async () => {
    await ask(
      { text: 'Final Answer: yes' },
      {
        system: [{ type: 'text', text: 'Be exact.', cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'system', content: 'Be kind.' } as never, ...look],
      },
    );
    expect(prompt()).toContain('Be exact.\\n\\nBe kind.');
  });

  test('past calls and results are written for the model in the format that its prompt teaches', async () => {
    await ask(
      { text: 'Final Answer: yes' },
      {
        messages: [
          ...look,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I look.' },
              { type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'a.ts' } },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't1',
                is_error: true,
                content: [{ type: 'text', text: 'gone' }],
              },
              { type: 'text', text: 'And now?' },
            ],
          },
        ],
      },
    );
    expect(prompt()).toContain('I look.');
    expect(prompt()).toMatch(/Action: read_file\(path=\\+"a.ts\\+"\)/);
    expect(prompt()).toContain('gone');
    expect(prompt()).toContain('And now?');
  });

  test('without tools, the prompt has no instructions for calls and the client gets the reply unchanged', async () => {
    const { tools: _, ...plain } = request();
    service.fake.script({ text: 'Action: read_file(path="a")\n' });
    const message = await client.messages.create(plain);
    expect(message.content).toMatchObject([{ type: 'text', text: 'Action: read_file(path="a")\n' }]);
    expect(prompt()).not.toContain('Final Answer');
  });

  test('Anthropic’s own tools are not offered to the model, nor are deferred tools before a search has found them', async () => {
    const tools = [
      readFile,
      { type: 'web_search_20250305' as const, name: 'web_search' as const },
      { type: 'mcp_toolset', mcp_server_name: 'x' } as never,
      { ...readFile, name: 'never_called', defer_loading: true },
      { ...readFile, name: 'found_tool', defer_loading: true },
    ];
    const messages: MessageParam[] = [
      ...look,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'find', input: { query: 'x' } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [{ type: 'tool_reference', tool_name: 'found_tool' }],
          },
        ],
      },
    ];
    const message = await ask(
      { text: 'Final Answer: yes' },
      { tools, messages },
      { 'X-Stepwise-Report': 'full' },
    );
    expect(prompt()).toContain('found_tool(');
    for (const name of ['never_called(', 'web_search(']) expect(prompt()).not.toContain(name);
    for (const type of ['web_search_20250305', 'mcp_toolset'])
      expect(JSON.stringify(message)).toContain(`Tools of the type ${type} are not supported.`);
  });

  test.each([
    { type: 'any' },
    { type: 'tool', name: 'read_file' },
  ] as const)('with the tool choice %j, a reply without the required call is corrected once', async (tool_choice) => {
    service.fake.script([{ text: 'Final Answer: no' }, { text: 'Action: read_file(path="a")' }]);
    const message = await client.messages.create(request({ tool_choice }));
    expect(message.stop_reason).toBe('tool_use');
  });

  test('a search result reaches the model with its title, its source and its texts, in a message and in a tool result', async () => {
    const found = (title: string) => ({
      type: 'search_result' as const,
      title,
      source: 'https://s.example',
      content: [
        { type: 'text' as const, text: 'one' },
        { type: 'text' as const, text: 'two' },
      ],
    });
    const withoutTexts = { type: 'search_result', title: 'Bare', source: 'https://b.example' } as never;
    const messages: MessageParam[] = [
      { role: 'user', content: [found('First'), { type: 'text', text: 'See?' }, withoutTexts] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'a' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [found('Second')] }] },
    ];
    await ask({ text: 'Final Answer: yes' }, { messages });
    expect(prompt()).toContain('First\\nhttps://s.example\\none\\ntwo\\nSee?\\nBare\\nhttps://b.example');
    expect(prompt()).toContain('Second\\nhttps://s.example\\none\\ntwo');
  });

  test('a document that consists of blocks reaches the model with its title, its texts and its images', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: onePixel };
    const document = {
      type: 'document' as const,
      title: 'Notes',
      source: {
        type: 'content' as const,
        content: [
          { type: 'text' as const, text: 'one' },
          { type: 'image' as const, source },
        ],
      },
    };
    const content = [document, { ...document, source: { type: 'content' as const, content: 'alone' } }];
    const message = await ask(
      { text: 'Final Answer: yes' },
      { messages: [{ role: 'user', content }] },
      { 'X-Stepwise-Report': 'full' },
    );
    expect(prompt()).toContain('Notes\\none\\nNotes\\nalone');
    expect(prompt()).toContain(`data:image/png;base64,${onePixel}`);
    expect(JSON.stringify(message)).not.toContain('image_replaced');
  });

  test('a plain-text document and a PDF reach the model with their title and context', async () => {
    const named = { type: 'document' as const, title: 'Notes', context: 'From May' };
    const text = { type: 'text' as const, media_type: 'text/plain' as const, data: 'It is 4.' };
    const content = [
      { ...named, source: text },
      { ...named, source: pdf },
    ];
    await ask({ text: 'Final Answer: yes' }, { messages: [{ role: 'user', content }] });
    expect(prompt()).toContain('Notes\\nFrom May\\nIt is 4.\\nNotes\\nFrom May');
    expect(prompt()).toContain('data:application/pdf;base64,JVBERi0xLjQ=');
  });

  test('the summary in a compaction block reaches the model, and blocks of Anthropic’s own tools are placeholders, with a warning', async () => {
    const content = [
      { type: 'compaction', content: 'It was about tea.' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'tea' } },
      { type: 'text', text: 'Tea it is.' },
    ];
    const messages = [...look, { role: 'assistant', content } as never, ...look];
    const message = await ask({ text: 'Final Answer: yes' }, { messages }, { 'X-Stepwise-Report': 'full' });
    expect(prompt()).toContain('It was about tea.\\n[server_tool_use: not shown to the model]\\nTea it is.');
    expect(JSON.stringify(message)).toContain('image_replaced');
  });

  test('an image given by its URL is replaced by a placeholder, with a warning', async () => {
    const content = [
      { type: 'image' as const, source: { type: 'url' as const, url: 'http://127.0.0.1:1/a.png' } },
      { type: 'text' as const, text: 'See?' },
    ];
    const message = await ask(
      { text: 'Final Answer: yes' },
      { messages: [{ role: 'user', content }] },
      { 'X-Stepwise-Report': 'full' },
    );
    expect(prompt()).toContain('[image: not shown to the model]');
    expect(JSON.stringify(message)).toContain('image_replaced');
  });

  test('base64 images in a user’s message and in a tool result reach the model (rule: attachments)', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: onePixel };
    const messages: MessageParam[] = [
      { role: 'user', content: [{ type: 'image', source }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'a' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'image', source }] }],
      },
    ];
    const message = await ask({ text: 'Final Answer: yes' }, { messages }, { 'X-Stepwise-Report': 'full' });
    expect(prompt().split(`data:image/png;base64,${onePixel}`)).toHaveLength(3);
    expect(prompt()).not.toContain('not shown to the model');
    expect(JSON.stringify(message)).not.toContain('image_replaced');
  });

  test('the provider state that a client sends back reaches the provider unchanged', async () => {
    const native = { 'X-Stepwise-Protocol': 'native' };
    const toolCalls = [{ id: 'c1', name: 'read_file', arguments: { path: 'a' }, thoughtSignature: 'signed' }];
    for (const make of [
      ask,
      (...args: Parameters<typeof ask>) => stream(...args).then(({ message }) => message),
    ]) {
      const { content } = await make({ text: '', toolCalls }, { model: 'local/gemini-3-pro' }, native);
      expect(content.map(({ type }) => type)).toEqual(['redacted_thinking', 'tool_use']);
      await ask(
        { text: 'Done.' },
        {
          model: 'local/gemini-3-pro',
          messages: [
            ...look,
            { role: 'assistant', content },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'text' }] },
          ],
        },
        native,
      );
      expect(prompt()).toContain('"thought_signature":"signed"');
    }
  });

  test('reasoning with the signature of another service is not sent to the model, and the report has a warning', async () => {
    const content = [
      { type: 'thinking' as const, thinking: 'Secretly.', signature: 'abc' },
      { type: 'text' as const, text: 'Hm.' },
    ];
    const message = await ask(
      { text: 'Final Answer: yes' },
      { messages: [...look, { role: 'assistant', content }, ...look] },
      { 'X-Stepwise-Report': 'full' },
    );
    expect(prompt()).not.toContain('Secretly.');
    expect(JSON.stringify(message)).toContain('provider_state_not_sent');
  });
});

describe('message threads (rule: messages-requests)', () => {
  test.each([
    [false],
    [true],
  ])('the tool runner of Anthropic’s SDK sends its whole conversation and its tools with each request, because threads are refused (streamed: %s)', async (streamed) => {
    const before = service.fake.requests.length;
    service.fake.script([
      { text: 'Thought: I look.\nAction: read_file(path="a.txt")' },
      { text: 'Thought: I know it.\nFinal Answer: Cold.' },
    ]);
    const runner = client.beta.messages.toolRunner({
      model: textModel,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'Is the kettle cold?' }],
      tools: [{ ...readFile, run: () => 'The kettle is cold.', parse: (input) => input }],
      stream: streamed,
    });
    expect((await runner.runUntilDone()).content).toMatchObject([{ text: 'I know it.\n\nCold.' }]);
    expect(service.fake.requests).toHaveLength(before + 2);
    const prompt = JSON.stringify(service.fake.requests.at(-1)?.body);
    for (const part of ['Is the kettle cold?', 'Action: read_file', 'The kettle is cold.', 'Reads a file.'])
      expect(prompt).toContain(part);
  });

  test('a request that continues a stored thread is refused, because the model would get only its last message', async () => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' };
    const error = await failure(ask({ text: '' }, { thread, messages: [] } as never));
    expect(error.status).toBe(400);
    expect(error.message).toContain('thread: nothing is stored; send the whole conversation in messages.');
  });
});

describe('counting tokens (rule: messages-count)', () => {
  test('count_tokens needs no key and returns the size of the prompt that the same request sends', async () => {
    const { input_tokens } = await client.messages.countTokens({
      model: textModel,
      messages: look,
      tools: [readFile],
    });
    service.fake.script({ text: 'Final Answer: yes' });
    const { response } = await client.messages.create(request()).withResponse();
    expect(Number(response.headers.get('x-stepwise-prompt-tokens'))).toBe(input_tokens);
  });

  test.each([
    ['with tools', [readFile]],
    ['without tools', []],
  ])('count_tokens returns the size of a prompt that does not fit (%s)', async (_title, tools) => {
    const { input_tokens } = await client.messages.countTokens(
      { model: textModel, system: 'x y '.repeat(5_000), messages: look, tools },
      { headers: { 'X-Stepwise-Token-Limit': '2000' } },
    );
    expect(input_tokens).toBeGreaterThan(5_000);
  });
});

describe('failures of Messages (rule: compatible-errors)', () => {
  test.each([
    ['rate-limited', 429, 'rate_limit_error', Anthropic.RateLimitError],
    ['overloaded', 503, 'overloaded_error', Anthropic.InternalServerError],
    ['unauthorized', 401, 'authentication_error', Anthropic.AuthenticationError],
    ['not-found', 404, 'not_found_error', Anthropic.NotFoundError],
  ] as const)('the upstream failure %s becomes an Anthropic error with status %i and type %s, plain and streamed', async (fault, status, type, kind) => {
    for (const make of [ask, stream]) {
      const error = await failure(make(() => ({ fault })));
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ status, error: { type: 'error', error: { type } } });
    }
  });

  test('a prompt that is too long fails with Anthropic’s message "prompt is too long", by which clients know that they must compact', async () => {
    for (const make of [ask, stream]) {
      const error = await failure(
        make({ text: '' }, { system: 'x y '.repeat(40_000) }, { 'X-Stepwise-Token-Limit': '2000' }),
      );
      expect(error.status).toBe(400);
      expect(error.message).toMatch(/prompt is too long: \d+ tokens > \d+ maximum/);
    }
  });

  test('if the upstream disconnects in mid-stream, the client throws the stream’s error event upstream_unreachable', async () => {
    const fault = { fault: 'cut', completion: { text: 'one two three four' } } as const;
    expect((await failure(stream(fault))).message).toContain('upstream_unreachable');
  });

  test.each([
    ['a role that does not exist', { messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    [
      'an invalid block after a PDF',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'document', source: pdf },
              { type: 'text', text: 5 },
            ],
          },
        ],
      },
      'messages[0].content[1].text',
    ],
    [
      'a tool choice that names an unknown tool',
      { tool_choice: { type: 'tool', name: 'x' } },
      'tool_choice.name',
    ],
  ])('a Messages request with %s is refused with the path of the field (rule: messages-requests)', async (_title, changes, place) => {
    const error = await failure(ask({ text: '' }, changes as Request));
    expect(error.status).toBe(400);
    expect(error.message).toContain(place);
  });

  test.each([
    [
      'an invalid block after a titled document',
      'user',
      [
        {
          type: 'document',
          title: 'Tea',
          source: { type: 'text', media_type: 'text/plain', data: 'Green.' },
        },
        { type: 'text', text: 5 },
      ],
      '[1].text: ',
    ],
    [
      'an invalid block in a titled document',
      'user',
      [{ type: 'document', title: 'Tea', source: { type: 'content', content: [{ type: 'text', text: 5 }] } }],
      '[0].source.content[0].text: ',
    ],
    [
      'an invalid block in a search result of a tool result',
      'user',
      [{ type: 'tool_result', content: [{ type: 'search_result', title: 'a', content: [{ type: 5 }] }] }],
      '[0].content[0].content[0].type: ',
    ],
    [
      'more than 10,000 blocks in a document',
      'user',
      [
        {
          type: 'document',
          source: { type: 'content', content: Array(10_001).fill({ type: 'text', text: 'a' }) },
        },
      ],
      ': expected at most 10000 items',
    ],
    [
      'a tool result that is an object',
      'user',
      [{ type: 'tool_result', content: { tea: 4 } }],
      '[0].content: ',
    ],
    ['a call of the user', 'user', [{ type: 'tool_use' }], ': blocks of the type tool_use belong in '],
    [
      'a tool result of the assistant',
      'assistant',
      [{ type: 'tool_result' }],
      ': blocks of the type tool_result belong in ',
    ],
  ])('a message with %s is refused with the path that the client sent (rule: messages-requests)', async (_title, role, content, place) => {
    const error = await failure(ask({ text: '' }, { messages: [{ role, content }] } as never));
    expect(error.status).toBe(400);
    expect(error.message).toContain(`messages[0].content${place}`);
  });
});
