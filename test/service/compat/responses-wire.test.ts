import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type OpenAI from 'openai';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import type { Script } from '../../../src/offline/fake-provider.js';
import { clientOf, failure, textModel } from '../../support/compat.js';
import { eventSchema, responseSchema } from '../../support/open-responses.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

type Request = Partial<ResponseCreateParamsNonStreaming>;

let service: WholeService;
let client: OpenAI;
beforeAll(async () => {
  service = await startWholeService();
  client = clientOf(service);
});
afterAll(() => service.close());

const readFile = {
  type: 'function' as const,
  name: 'read_file',
  description: 'Reads a file.',
  strict: false,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
const native = { 'X-Stepwise-Protocol': 'native' };
const report = { 'X-Stepwise-Report': 'full' };
const request = (changes: Request = {}) => ({
  model: textModel,
  input: 'Look.',
  tools: [readFile],
  ...changes,
});

/** Requests a plain response, which must have the shape that Open Responses specifies. */
async function ask(script: Script, changes: Request = {}, headers: Record<string, string> = {}) {
  service.fake.script(script);
  const response = await client.responses.create({ ...request(changes), stream: false }, { headers });
  responseSchema.parse(response);
  return response;
}

/** Requests a stream. Its events must be valid and in order, and the last one must have the whole output. */
async function stream(script: Script, changes: Request = {}, headers: Record<string, string> = {}) {
  service.fake.script(script);
  const events: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...request(changes), stream: true }, { headers }))
    events.push(event);
  expect(events.map((event) => eventSchema.parse(event).sequence_number)).toEqual([...events.keys()]);
  const last = events.at(-1);
  if (!last || !('response' in last)) throw new Error('The stream has no end.');
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
  expect(last.response.output).toEqual(done);
  return { events, response: last.response, types: events.map(({ type }) => type) };
}

/**
 * Requests a plain response and a stream. Both must have the same output except for ids. Returns the plain response.
 */
async function both(script: Script, changes: Request = {}, headers: Record<string, string> = {}) {
  const plain = await ask(script, changes, headers);
  const { response } = await stream(script, changes, headers);
  const withoutIds = ({ output, status, incomplete_details, usage }: Response) => ({
    ...{ status, incomplete_details, usage },
    output: output.map((item) => ({ ...item, id: 'any', ...('call_id' in item && { call_id: 'any' }) })),
  });
  expect(withoutIds(response)).toEqual(withoutIds(plain));
  return plain;
}

const sent = () => service.fake.requests.at(-1)?.body ?? {};
const prompt = () => JSON.stringify(sent()['messages']);

describe('the compliance cases of Open Responses (rule: responses-answers)', () => {
  test('a text reply becomes one completed message, also in output_text', async () => {
    const response = await ask({ text: 'Hello there.' }, { tools: [] });
    expect(response).toMatchObject({ status: 'completed', output_text: 'Hello there.', model: textModel });
    expect(response.output).toMatchObject([
      { type: 'message', status: 'completed', content: [{ type: 'output_text', annotations: [] }] },
    ]);
  });

  test('a streamed text has OpenAI’s events in OpenAI’s order', async () => {
    const { types, events } = await stream({ text: 'one two three' }, { tools: [] });
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const deltas = events.flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    );
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('one two three');
  });

  test('the field `instructions` and the system and developer items become one system message', async () => {
    const input: ResponseInputItem[] = [
      { role: 'system', content: 'Be a pirate.' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      { role: 'user', content: 'Hello.' },
    ];
    await ask({ text: 'Arr.' }, { instructions: 'Be kind.', input, tools: [] });
    expect(sent()['messages']).toEqual([
      { role: 'system', content: 'Be kind.\n\nBe a pirate.\n\nBe brief.' },
      { role: 'user', content: 'Hello.\n' },
    ]);
  });

  test('a call that a model writes as text becomes a function_call item after the thought', async () => {
    const response = await both({ text: 'Thought: I look.\nAction: read_file(path="a.ts")' });
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ text: 'I look.' }] },
      {
        type: 'function_call',
        id: expect.stringMatching(/^fc_\w+$/),
        call_id: expect.stringMatching(/^call_\w{24}$/),
        name: 'read_file',
        arguments: '{"path":"a.ts"}',
        status: 'completed',
      },
    ]);
  });

  test('a streamed call has events for the added item, the delta and full text of its arguments, and the finished item', async () => {
    const { events } = await stream({ text: 'Action: read_file(path="a.ts")' });
    expect(events.slice(2, -1)).toMatchObject([
      { type: 'response.output_item.added', item: { name: 'read_file', arguments: '' } },
      { type: 'response.function_call_arguments.delta', delta: '{"path":"a.ts"}' },
      { type: 'response.function_call_arguments.done', arguments: '{"path":"a.ts"}' },
      { type: 'response.output_item.done', item: { status: 'completed' } },
    ]);
  });

  test('an image as a data URL reaches the model; an image given by an https URL becomes a placeholder with a warning', async () => {
    const url =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const image = (image_url: string) => ({
      type: 'input_image' as const,
      image_url,
      detail: 'auto' as const,
    });
    const content = [
      { type: 'input_text' as const, text: 'See?' },
      image(url),
      image('https://images.test/a.png'),
    ];
    const response = await ask(
      { text: 'Yes.' },
      { input: [{ role: 'user', content }], model: 'local/some-model', tools: [] },
      report,
    );
    expect(prompt()).toContain(url);
    expect(prompt()).toContain('See?\\n[input_image: not shown to the model]');
    expect(prompt()).not.toContain('images.test');
    expect(JSON.stringify(response)).toContain('image_replaced');
  });

  test('the text of a text file as a data URL reaches the model after its name; data that is not UTF-8 becomes a placeholder', async () => {
    const file = (filename: string, data: string) => ({
      type: 'input_file' as const,
      filename,
      file_data: `data:text/csv;charset=utf-8;base64,${Buffer.from(data, 'latin1').toString('base64')}`,
    });
    const content = [file('tea.csv', 'pot;cup'), file('binary.csv', '\xff\xfe'), file('nul.csv', 'a\0b')];
    await ask({ text: 'Yes.' }, { input: [{ role: 'user', content }], tools: [] });
    const placeholder = '[input_file: not shown to the model]';
    expect(prompt()).toContain(`tea.csv\\npot;cup\\n${placeholder}\\n${placeholder}`);
  });

  test('the turns of a conversation reach the model in their order', async () => {
    const input: ResponseInputItem[] = [
      { role: 'user', content: 'My name is Ada.' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello, Ada.', annotations: [] }],
      },
      { role: 'user', content: 'Who am I?' },
    ];
    await ask({ text: 'Ada.' }, { input, tools: [] });
    expect(prompt()).toMatch(/My name is Ada.*Hello, Ada.*Who am I/);
  });

  test('a response repeats the settings of the request, except that `store` is always false', async () => {
    const settings = {
      instructions: 'Be kind.',
      max_output_tokens: 99,
      metadata: { run: '7' },
      parallel_tool_calls: false,
      prompt_cache_key: 'key',
      reasoning: { effort: 'low' as const },
      temperature: 0.5,
      tool_choice: 'auto' as const,
    };
    const response = await ask({ text: 'Final Answer: yes' }, { ...settings, store: true });
    expect(response).toMatchObject({ ...settings, store: false, tools: [readFile] });
    expect(sent()).toMatchObject({ temperature: 0.5, max_tokens: 99 });
  });
});

describe('answers of Responses (rule: responses-answers)', () => {
  test('a conversation continues after a tool call if the client sends back the output items and the tool result', async () => {
    for (const headers of [{}, native]) {
      const script: Script =
        headers === native
          ? { text: 'I look.', toolCalls: [{ id: 'call_1', name: 'read_file', arguments: { path: 'a' } }] }
          : { text: 'Thought: I look.\nAction: read_file(path="a")' };
      for (const make of [
        ask,
        (...args: Parameters<typeof ask>) => stream(...args).then(({ response }) => response),
      ]) {
        const first = await make(script, {}, headers);
        const call = first.output.find((item) => item.type === 'function_call');
        if (call?.type !== 'function_call') throw new Error('No call came.');
        const input = [
          { role: 'user' as const, content: 'Look.' },
          ...(first.output as ResponseInputItem[]),
          { type: 'function_call_output' as const, call_id: call.call_id, output: 'the text' },
        ];
        const second = await make(
          { text: headers === native ? 'Done.' : 'Final Answer: Done.' },
          { input },
          headers,
        );
        const text = second.output.flatMap((item) => (item.type === 'message' ? item.content : []));
        expect(text).toMatchObject([{ text: 'Done.' }]);
        expect(prompt()).toMatch(/I look\..*read_file.*the text/);
      }
    }
  });

  test('native calls keep their ids, and the client gets all of them unless it allows only one', async () => {
    const toolCalls = ['first_1', 'second_2'].map((id) => ({
      id,
      name: 'read_file',
      arguments: { path: id },
    }));
    const script = { text: 'Two files.', toolCalls };
    const idsOf = ({ output }: Response) =>
      output.flatMap((item) => ('call_id' in item ? [item.call_id] : []));
    expect(idsOf(await ask(script, {}, native))).toEqual(['first_1', 'second_2']);
    expect(idsOf((await stream(script, {}, native)).response)).toEqual(['first_1', 'second_2']);
    expect(idsOf(await ask(script, { parallel_tool_calls: false }, native))).toEqual(['first_1']);
  });

  test('reasoning becomes the summary of a reasoning item before the message', async () => {
    const script = { text: 'Final Answer: 4', reasoning: 'Two and two.' };
    expect((await both(script)).output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Two and two.' }] },
      { type: 'message', content: [{ text: '4' }] },
    ]);
    const { types } = await stream(script);
    expect(types).toContain('response.reasoning_summary_text.delta');
  });

  test('a refusal becomes a `refusal` part of a message, and the response is completed', async () => {
    const { output, status } = await both({ refusal: 'I must not.', text: null });
    expect([output, status]).toMatchObject([
      [{ type: 'message', content: [{ type: 'refusal', refusal: 'I must not.' }] }],
      'completed',
    ]);
  });

  test('a refusal after some text is a part of its own, and a filtered text without words of a refusal is sent once', async () => {
    const refused = await both({ text: 'Sure, ', refusal: 'I cannot.' });
    expect(refused.output).toMatchObject([
      {
        content: [
          { type: 'output_text', text: 'Sure,' },
          { type: 'refusal', refusal: 'I cannot.' },
        ],
      },
    ]);
    const filtered = await both({ text: 'I was going to', finishReason: 'content_filter' });
    expect(filtered).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'I was going to' }] }],
    });
  });

  test('if the output limit truncates an action, the response is incomplete and has only the thought', async () => {
    const cut = { text: 'Thought: I write.\nAction: read_file(path="a', finishReason: 'length' } as const;
    expect(await both(cut)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'I write.' }] }],
    });
    expect((await stream(cut)).types.at(-1)).toBe('response.incomplete');
  });

  test('a reply that is still empty after one correction becomes an empty message', async () => {
    expect((await both({ text: '' })).output).toMatchObject([{ type: 'message', content: [{ text: '' }] }]);
  });

  test('the usage reports cached tokens among its details', async () => {
    const usage = { input: 100, output: 7, cachedInput: 60, reasoning: 3 };
    expect((await both({ text: 'Final Answer: 4', usage })).usage).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 7,
      total_tokens: 107,
    });
  });

  test('provider state in encrypted_content that a client sends back reaches the provider unchanged', async () => {
    const toolCalls = [{ id: 'c1', name: 'read_file', arguments: { path: 'a' }, thoughtSignature: 'signed' }];
    const model = 'local/gemini-3-pro';
    const { output } = await both({ text: '', toolCalls }, { model }, native);
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const input = [
      { role: 'user' as const, content: 'Look.' },
      ...(output as ResponseInputItem[]),
      { type: 'function_call_output' as const, call_id: 'c1', output: 'text' },
    ];
    await ask({ text: 'Done.' }, { model, input }, native);
    expect(prompt()).toContain('"thought_signature":"signed"');
  });

  test('reasoning that another service encrypted is not sent to the model, and the report has a warning', async () => {
    const input: ResponseInputItem[] = [
      { role: 'user', content: 'Look.' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Secretly.' }],
        encrypted_content: 'gAAAA',
      },
      { role: 'assistant', content: 'Hm.' },
    ];
    const response = await ask({ text: 'Final Answer: yes' }, { input }, report);
    expect(prompt()).not.toMatch(/Secretly|gAAAA/);
    expect(JSON.stringify(response)).toContain('provider_state_not_sent');
  });

  test('the report is in a plain response and in the last event of a stream', async () => {
    const script = { text: 'Final Answer: yes' };
    const last = (await stream(script, { top_p: 0.5 }, report)).response;
    for (const response of [await ask(script, { top_p: 0.5 }, report), last])
      expect(response).toMatchObject({
        stepwise: { context_report: {}, warnings: [{ code: 'ignored_field' }] },
      });
  });
});

describe('requests like those of Codex (rule: responses-requests)', () => {
  const codex = {
    store: false,
    include: ['reasoning.encrypted_content' as const],
    parallel_tool_calls: true,
    reasoning: { effort: 'medium' as const, summary: 'auto' as const },
    prompt_cache_key: '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c',
    text: { verbosity: 'low' as const },
    tools: [
      readFile,
      {
        type: 'custom' as const,
        name: 'apply_patch',
        description: 'Edits files.',
        format: { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: begin_patch' },
      },
      {
        type: 'namespace' as const,
        name: 'mcp__notes',
        description: 'Notes.',
        tools: [{ ...readFile, name: 'find' }],
      },
      { type: 'web_search' as const, external_web_access: false },
      { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: {} },
    ] as NonNullable<Request['tools']>,
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You are Codex.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] },
    ] as ResponseInputItem[],
  };

  test('a call of a freeform tool is returned as a custom call with plain text as its input, and its result reaches the model', async () => {
    const patch = '*** Begin Patch\n*** End Patch';
    const script = { text: `Action: apply_patch(input=${JSON.stringify(patch)})` };
    const { output } = await both(script, codex);
    expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: patch }]);
    expect(prompt()).toContain('You are Codex.');
    expect(prompt()).toContain('start: begin_patch');
    const [call] = output;
    if (call?.type !== 'custom_tool_call') throw new Error('No custom call came.');
    const input: ResponseInputItem[] = [
      ...codex.input,
      call,
      { type: 'custom_tool_call_output', call_id: call.call_id, output: 'Success.' },
    ];
    await ask({ text: 'Final Answer: Done.' }, { ...codex, input });
    expect(prompt()).toMatch(/Action: apply_patch\(.*Success\./);
  });

  test('the model sees a tool’s namespace as a prefix of its name; the client gets it as a field of the call', async () => {
    const script = { text: 'Action: mcp__notes__find(path="x")' };
    const { output } = await both(script, codex);
    expect(output).toMatchObject([{ type: 'function_call', name: 'find', namespace: 'mcp__notes' }]);
    const [call] = output;
    if (call?.type !== 'function_call') throw new Error('No call came.');
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'none' };
    await ask({ text: 'Final Answer: Done.' }, { ...codex, input: [...codex.input, call, result] });
    expect(prompt()).toMatch(/Action: mcp__notes__find\(/);
  });

  test('hosted tools and items of unknown types are skipped with warnings', async () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { query: 'secret' } };
    const input = [...codex.input, search as ResponseInputItem];
    const response = await ask({ text: 'Final Answer: Done.' }, { ...codex, input }, report);
    const written = JSON.stringify(response);
    for (const said of ['type web_search are', 'type tool_search are', 'item_skipped'])
      expect(written).toContain(said);
    expect(prompt()).not.toMatch(/web_search|tool_search|secret/);
    expect(response.tools.map(({ type }) => type)).toEqual(['function', 'custom', 'namespace']);
  });
});

describe('item and tool types named like members of Object.prototype, such as `__proto__` (rule: responses-requests)', () => {
  test.each([
    '__proto__',
    'constructor',
    'toString',
  ])('an item and a tool of the type %s are skipped', async (type) => {
    const input = [
      { type, content: 7 },
      { role: 'user', content: 'Look.' },
    ] as ResponseInputItem[];
    const tools = [readFile, { type, name: 7 }] as never;
    const response = await ask({ text: 'Final Answer: yes' }, { input, tools }, report);
    expect(response.output_text).toBe('yes');
    expect(JSON.stringify(response)).toContain('item_skipped');
  });
});

describe('tool choices of Responses (rule: compatible-corrections)', () => {
  test.each([
    'required' as const,
    { type: 'function' as const, name: 'read_file' },
  ])('with the tool choice %j, a reply without the required call is corrected once', async (tool_choice) => {
    const response = await ask([{ text: 'Final Answer: no' }, { text: 'Action: read_file(path="a")' }], {
      tool_choice,
    });
    expect(response.output.at(-1)).toMatchObject({ type: 'function_call', name: 'read_file' });
  });

  test('with tool_choice `none` the prompt has no instructions for calls, and the client gets the reply unchanged', async () => {
    const text = 'Action: read_file(path="a")\n';
    expect((await both({ text }, { tool_choice: 'none' })).output_text).toBe(text);
    expect(prompt()).not.toContain('Final Answer');
  });
});

describe('failures of Responses (rule: compatible-errors)', () => {
  test.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['background', { background: true }],
    ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input[0].call_id', { input: [{ type: 'function_call_output', output: 'x' }] }],
    ['input[0].role', { input: [{ content: 'x' }] }],
    ['input', { input: 7 }],
    ['tools[0].name', { tools: [{ type: 'function' }] }],
    [
      'tools[0].tools[1].name',
      { tools: [{ type: 'namespace', name: 'n', tools: [readFile, { type: 'custom' }] }] },
    ],
    ['tool_choice', { tool_choice: { type: 'function', name: 'unknown' } }],
    ['tool_choice', { tool_choice: { type: 'web_search' } }],
  ])('a Responses request with an invalid %s is refused with the path of the field: %j', async (param, changes) => {
    for (const make of [ask, stream]) {
      const error = await failure(make({ text: '' }, changes as Request));
      expect(error).toMatchObject({
        status: 400,
        param,
        code: 'invalid_request',
        type: 'invalid_request_error',
      });
    }
  });

  test('the refusal of an item_reference names the option with which the AI SDK sends whole items', async () => {
    const input = [{ type: 'item_reference' as const, id: 'msg_1' }];
    expect((await failure(ask({ text: 'x' }, { input }))).message).toContain('store = false');
  });

  test('a request with more than 1,000 tools in total, over all namespaces, is refused', async () => {
    const tools = ['a', 'b'].map((name) => ({
      type: 'namespace' as const,
      name,
      description: '',
      tools: Array.from({ length: 501 }, (_, index) => ({ ...readFile, name: `tool_${index}` })),
    }));
    expect(await failure(ask({ text: '' }, { tools }))).toMatchObject({ status: 400, param: 'tools' });
  });

  test.each([
    ['rate-limited', 429, 'rate_limit_error'],
    ['overloaded', 503, 'server_error'],
    ['unauthorized', 401, 'authentication_error'],
  ] as const)('the upstream failure %s becomes an error with status %i, type %s and an empty text as param, plain and streamed', async (fault, status, type) => {
    for (const make of [ask, stream])
      expect(await failure(make(() => ({ fault })))).toMatchObject({ status, type, param: '' });
  });

  test('a prompt that is too long fails with context_length_exceeded: as status 400, or as response.failed at the end of a stream', async () => {
    const changes = { instructions: 'x y '.repeat(40_000) };
    const headers = { 'X-Stepwise-Token-Limit': '2000' };
    const plain = await failure(ask({ text: '' }, changes, headers));
    expect(plain).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'input' });
    const events = await rawEvents(changes, headers);
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
      'response.failed',
    ]);
    expect(events.at(-1)).toMatchObject({
      response: { status: 'failed', error: { code: 'context_length_exceeded' } },
    });
  });

  test('if the upstream disconnects in mid-stream, the stream ends with an error event (its fields at the top level and under `error`) and response.failed', async () => {
    const fault = { fault: 'cut', completion: { text: 'one two three four' } } as const;
    expect(await failure(stream(fault))).toMatchObject({ code: 'upstream_unreachable' });
    service.fake.script(fault);
    const [error, failed] = (await rawEvents()).slice(-2);
    const fields = { code: 'upstream_unreachable', message: expect.any(String), param: '' };
    expect(error).toMatchObject({ type: 'error', ...fields, error: fields });
    expect(failed).toMatchObject({ type: 'response.failed', response: { error: { code: fields.code } } });
    eventSchema.parse(failed);
  });
});

/** Returns the events of a stream without a client, which would throw at the event `error`. */
async function rawEvents(changes: Request = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/v1/responses`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ ...request(changes), stream: true }),
  });
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  const events = lines.map((line) => JSON.parse(line.slice('data: '.length)));
  expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
  return events as { type: string }[]; // every event has a type
}
