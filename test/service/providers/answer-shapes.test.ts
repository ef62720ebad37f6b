import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anthropicVendor } from '../../../src/service/providers/anthropic/provider.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { openaiVendor, responsesVendor } from '../../../src/service/providers/openai/provider.js';
import type { Vendor } from '../../../src/service/providers/vendor.js';
import type { Completion } from '../../../src/service/step/provider.js';
import { readEventData, readPlain, startReply } from '../../support/providers/requests.js';

/**
 * A kind of response: of one API, plain or streamed. `read` parses such a response with the given content and finish
 * reason.
 */
interface Way {
  readonly title: string;
  readonly read: (content: unknown, reason?: unknown) => Completion | undefined;
}

const chat = openaiVendor(traitsOf('openai', 'gpt-4o'));
const responses = responsesVendor(traitsOf('openai', 'gpt-5.6-sol'));
const messages = anthropicVendor(traitsOf('anthropic', 'x'));

const streamed = (vendor: Vendor, events: readonly unknown[]): Completion | undefined =>
  readEventData(
    vendor,
    events.map((event) => JSON.stringify(event)),
  )?.completion;

const responseOf = (content: unknown, reason: unknown) => ({
  object: 'response',
  output: [{ type: 'message', role: 'assistant', content }],
  ...(reason === 'completed' ? { status: reason } : { status: 'incomplete', incomplete_details: { reason } }),
});

const ways: readonly Way[] = [
  {
    title: 'Chat Completions, plain',
    read: (content, finish_reason = 'stop') =>
      readPlain(chat, { choices: [{ message: { content }, finish_reason }] }),
  },
  {
    title: 'Chat Completions, streamed',
    read: (content, finish_reason = 'stop') =>
      streamed(chat, [{ choices: [{ delta: { content } }] }, { choices: [{ delta: {}, finish_reason }] }]),
  },
  {
    title: 'Responses, plain',
    read: (content, reason = 'completed') => readPlain(responses, responseOf(content, reason)),
  },
  {
    title: 'Responses, streamed',
    read: (content, reason = 'completed') =>
      streamed(responses, [
        { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content } },
        { type: 'response.completed', response: responseOf(content, reason) },
      ]),
  },
  {
    title: 'Messages, plain',
    read: (content, stop_reason = 'end_turn') => readPlain(messages, { content, stop_reason }),
  },
];

const words = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');

describe.each(ways)('content in any shape is read (rule: compatible-answers): $title', ({ read }) => {
  test('content is read as the same text from a string, a list of strings, a part or a list of parts', () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 4 }), (texts) => {
        const whole = texts.join('');
        const parts = texts.map((text) => ({ type: 'text', text }));
        for (const content of [whole, texts, { type: 'text', text: whole }, parts])
          expect(read(content)).toMatchObject({ text: whole, refusal: null });
      }),
    );
  });

  test('a list that holds only a refusal is read as a refusal', () => {
    expect(read([{ type: 'refusal', refusal: 'I cannot.' }])).toMatchObject({
      text: '',
      refusal: 'I cannot.',
      finishReason: 'refusal',
    });
  });
});

describe.each(ways)('the finish reasons of all vendors are read (rule: finish-reason): $title', (way) => {
  test.each([
    ['length', ['MAX_TOKENS', 'maxTokens', 'max-tokens', 'model_length', 'model-length', 'length']],
    ['length', ['FinishReason.MAX_TOKENS', 'REASON_MAX_LEN', 'model_context_window_exceeded', 'token_limit']],
    ['refusal', ['content_filter', 'content_filter: OTHER', 'SAFETY', 'IMAGE_SAFETY', 'PROHIBITED_CONTENT']],
    ['refusal', ['sensitive', 'guardrail_intervened', 'content_filtered', 'BLOCKLIST', 'ERROR_TOXIC']],
    ['other', ['function_call_filter: MALFORMED_FUNCTION_CALL', 'something_new']],
  ])('the finish reason is %s for each of the raw values %j, which are kept', (unified, reasons) => {
    for (const reason of reasons)
      expect(way.read('80', reason)).toMatchObject({ finishReason: unified, finishReasonRaw: reason });
  });

  test.each([
    'error',
    'insufficient_system_resource',
    'network_error',
    'abort',
    'cancelled',
    'canceled',
    'TIMEOUT',
    'time_limit',
    'modelUnloaded',
  ])('a reply with the finish reason %s is not treated as complete', (reason) => {
    expect(way.read('Half of', reason)).toBeUndefined();
  });
});

test.each([
  'failed',
  'cancelled',
])('a Responses reply with the status %s is not accepted as a completion', (status) => {
  const response = { ...responseOf('Half of', 'completed'), status };
  expect(readPlain(responses, response)).toBeUndefined();
  expect(streamed(responses, [{ type: 'response.completed', response }])).toBeUndefined();
});

test.each([
  ['a text', 'stop'],
  ['an object', { type: 'stop', matched: 2 }],
])('a finish reason that is %s is read, plain and streamed (rule: finish-reason)', (_, finish_reason) => {
  const said = { content: '80' };
  expect(readPlain(chat, { choices: [{ message: said, finish_reason }] })?.finishReason).toBe('stop');
  expect(streamed(chat, [{ choices: [{ delta: said, finish_reason }] }])?.finishReason).toBe('stop');
});

test.each([
  '',
  'null',
  'not_finished',
  'FINISH_REASON_UNSPECIFIED',
  null,
  {},
])('the finish reason %j, sent with every chunk, does not end a stream (rule: finish-reason)', (finish_reason) => {
  const { reply } = startReply(chat, true);
  reply.addEvent(JSON.stringify({ choices: [{ delta: { content: '8' }, finish_reason }] }));
  expect(reply.isFinished).toBe(false);
});

test.each([
  ['content_filter: OTHER', 'refusal'],
  ['MAX_TOKENS', 'length'],
])('a choice without a message and with the finish reason %s is an empty reply, plain and streamed (rule: finish-reason)', (finish_reason, unified) => {
  const json = { choices: [{ index: 0, finish_reason }] };
  const expected = { text: '', finishReason: unified };
  expect(readPlain(chat, json)).toMatchObject(expected);
  expect(readPlain(chat, { choices: [{ message: null, finish_reason }] })).toMatchObject(expected);
  expect(streamed(chat, [json])).toMatchObject(expected);
});

test.each([
  'length',
  'content_filter',
])('a reply truncated with the finish reason %s stays truncated if `stop` follows (rule: finish-reason)', (reason) => {
  const ends = [reason, 'stop', 'tool_calls'].map((finish_reason) => ({
    choices: [{ delta: {}, finish_reason }],
  }));
  const completion = streamed(chat, [{ choices: [{ delta: { content: 'Half of' } }] }, ...ends]);
  expect(completion?.finishReasonRaw).toBe(reason);
});

describe('further shapes of Chat Completions are read (rule: compatible-answers)', () => {
  test.each([
    ['choices that are one object', { choices: { message: { content: '80' } } }],
    ['a message that is a text', { choices: [{ message: '80' }] }],
    ['a text in place of a message', { choices: [{ text: '80' }] }],
    ['content that is a number', { choices: [{ message: { content: 80 } }] }],
    [
      'content with its text nested',
      { choices: [{ message: { content: [{ type: 'text', text: { value: '80' } }] } }] },
    ],
  ])('a Chat Completions reply with %s is read, plain and streamed', (_, json) => {
    const finished = { choices: [{ delta: {}, finish_reason: 'stop' }] };
    expect(readPlain(chat, json)?.text).toBe('80');
    expect(streamed(chat, [json, finished])?.text).toBe('80');
  });

  test('a finish reason beside the choices or in the delta is read, plain and streamed', () => {
    const said = { content: '80' };
    expect(readPlain(chat, { choices: [{ message: said }], finish_reason: 'length' })?.finishReason).toBe(
      'length',
    );
    const beside = [{ choices: [{ delta: said }] }, { choices: [], finish_reason: 'length' }];
    expect(streamed(chat, beside)?.finishReason).toBe('length');
    expect(
      streamed(chat, [{ choices: [{ delta: { ...said, finish_reason: 'length' } }] }])?.finishReason,
    ).toBe('length');
  });

  test('of several choices with a text, the first is read', () => {
    const texts = ['80', '90'].map((content, index) => ({
      index,
      message: { content },
      finish_reason: 'stop',
    }));
    expect(readPlain(chat, { choices: texts })?.text).toBe('80');
  });

  test('content that is a JSON value instead of a text is read as the text of that JSON', () => {
    const content = { thought: 'Hm.', final_answer: '80' };
    expect(JSON.parse(readPlain(chat, { choices: [{ message: { content } }] })?.text ?? '')).toEqual(content);
  });

  test.each([
    ['Mistral', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }, '80'] }],
    [
      'Databricks',
      { content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }, '80'] },
    ],
    ['DeepSeek', { content: '80', reasoning_content: 'Hm.' }],
    ['vLLM, with an empty older field', { content: '80', reasoning_content: '', reasoning: 'Hm.' }],
    ['OpenRouter', { content: '80', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
    ['a gateway', { content: '80', reasoning: { text: 'Hm.' } }],
    ['Ollama', { content: '80', thinking: 'Hm.' }],
  ])('reasoning in the format of %s is read as reasoning, not as text', (_, message) => {
    const expected = { text: '80', reasoning: 'Hm.' };
    expect(readPlain(chat, { choices: [{ message }] })).toMatchObject(expected);
    expect(streamed(chat, [{ choices: [{ delta: message, finish_reason: 'stop' }] }])).toMatchObject(
      expected,
    );
  });

  test('a full message next to an empty delta is read once, whether or not its text was streamed before', () => {
    const last = { choices: [{ delta: {}, message: { content: 'It is 80.' }, finish_reason: 'stop' }] };
    const before = ['It ', 'is 80.'].map((content) => ({ choices: [{ delta: { content } }] }));
    expect(streamed(chat, [last])?.text).toBe('It is 80.');
    expect(streamed(chat, [...before, last])?.text).toBe('It is 80.');
  });

  test('of a full message at the end of a stream, only what was not streamed is read', () => {
    const call = { id: 'c1', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } };
    const before = ['It ', 'is 80.'].map((content) => ({ choices: [{ delta: { content } }] }));
    const message = { content: 'It is 80.', reasoning_content: 'Hm.', tool_calls: [call] };
    const completion = streamed(chat, [...before, { choices: [{ message, finish_reason: 'stop' }] }]);
    expect(completion).toMatchObject({
      text: 'It is 80.',
      reasoning: 'Hm.',
      toolCalls: [{ name: 'read_file' }],
    });
    const fragments = ['ha', 'ha'].map((content) => ({ choices: [{ delta: {}, message: { content } }] }));
    expect(streamed(chat, [...fragments, { choices: [{ finish_reason: 'stop' }] }])?.text).toBe('haha');
  });

  test.each([
    ['of the choice (Kimi)', { choices: [{ delta: {}, usage: { prompt_tokens: 5, cached_tokens: 3 } }] }],
    [
      'under x_groq',
      { choices: [], x_groq: { usage: { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 3 } } } },
    ],
    ['of DeepSeek', { choices: [], usage: { prompt_tokens: 5, prompt_cache_hit_tokens: 3 } }],
    ['of Mistral', { choices: [], usage: { prompt_tokens: 5, num_cached_tokens: 3 } }],
    ['of LiteLLM', { choices: [], usage: { prompt_tokens: 5, cache_read_input_tokens: 3 } }],
  ])('the usage %s is read', (_, chunk) => {
    const text = { choices: [{ delta: { content: '80' }, finish_reason: 'stop' }] };
    expect(streamed(chat, [text, chunk])?.usage).toMatchObject({ input_tokens: 5, cached_input_tokens: 3 });
  });
});

test('the tokens of cache writes (LiteLLM) and of reasoning (SGLang) are read beside the counts', () => {
  const usage = {
    prompt_tokens: 5,
    cache_creation_input_tokens: 2,
    completion_tokens: 4,
    reasoning_tokens: 1,
  };
  const choices = [{ message: { content: '80' }, finish_reason: 'stop' }];
  const completion = readPlain(chat, { choices, usage });
  expect(completion?.usage).toMatchObject({ cache_write_tokens: 2, reasoning_tokens: 1 });
});

test.each([
  ['nothing', {}],
  ['zeros', { prompt_tokens: 0, completion_tokens: 0 }],
  ['null', { prompt_tokens: null, completion_tokens: null }],
  ['the rest', { completion_tokens: 3 }],
])('usage that is reported again with %s keeps its counts (rule: compatible-answers)', (_, later) => {
  const completion = streamed(chat, [
    { choices: [{ delta: { content: '80' } }], usage: { prompt_tokens: 5, completion_tokens: 3 } },
    { choices: [{ delta: {}, finish_reason: 'stop' }], usage: later },
  ]);
  expect(completion?.usage).toMatchObject({ input_tokens: 5, output_tokens: 3 });
});

describe('calls in further shapes are read (rule: compatible-answers)', () => {
  const called = { name: 'read_file', arguments: '{"path":"a.ts"}' };
  const callsOf = (completion: Completion | undefined) =>
    completion?.toolCalls.map(({ id, name, arguments: text }) => ({
      id: id !== '',
      name,
      ...JSON.parse(text),
    }));
  const expected = [{ id: true, name: 'read_file', path: 'a.ts' }];

  test.each([
    ['one object', { tool_calls: { id: 'c1', function: called } }],
    ['function_call', { function_call: called }],
    [
      'function_call beside the same call',
      { function_call: called, tool_calls: [{ id: 'c1', function: called }] },
    ],
    ['a list with null', { tool_calls: [null, { id: 'c1', function: called }] }],
    ['a call without `function`', { tool_calls: [{ id: 7, type: 'function', ...called }] }],
    [
      'arguments under another name',
      { tool_calls: [{ function: { name: 'read_file', parameters: { path: 'a.ts' } } }] },
    ],
    ['a name between blanks', { tool_calls: [{ function: { ...called, name: ' read_file\n' } }] }],
    ['an index that is a text', { tool_calls: [{ index: '0', function: called }] }],
  ])('a call in an unusual shape is read, plain and streamed: %s', (_, message) => {
    expect(callsOf(readPlain(chat, { choices: [{ message }] }))).toEqual(expected);
    expect(callsOf(streamed(chat, [{ choices: [{ delta: message, finish_reason: 'stop' }] }]))).toEqual(
      expected,
    );
  });

  test.each([
    ['tool_calls', (part: object) => ({ tool_calls: [{ index: 0, function: part }] })],
    [
      'tool_calls with the id in each part',
      (part: object) => ({ tool_calls: [{ index: 0, id: 'c1', function: part }] }),
    ],
    ['tool_calls without index and id', (part: object) => ({ tool_calls: [{ function: part }] })],
    ['function_call', (part: object) => ({ function_call: part })],
  ])('a call whose name and arguments are split anywhere is put together: %s', (_, toDelta) => {
    const name = 'search_in_files';
    const text = '{"path":"a.ts"}';
    const split = (whole: string, place: number) => [whole.slice(0, place), whole.slice(place)];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: name.length - 1 }), fc.nat(text.length), (inName, inText) => {
        const parts = [
          ...split(name, inName).map((each) => ({ name: each, arguments: '' })),
          ...split(text, inText).map((each) => ({ arguments: each })),
        ];
        const events = parts.map((part) => ({ choices: [{ delta: toDelta(part) }] }));
        const completion = streamed(chat, [
          ...events,
          { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
        ]);
        expect(callsOf(completion)).toEqual([{ id: true, name, path: 'a.ts' }]);
      }),
    );
  });

  test.each([
    ['again with each part', ['read_file', 'read_file', 'read_file']],
    ['longer with each part', ['read', 'read_file', 'read_file']],
    ['empty after the first part', ['read_file', '', '']],
    ['null after the first part', ['read_file', null, null]],
  ])('a tool name that is sent %s is read once', (_, names) => {
    const texts = ['', '{"path"', ':"a.ts"}'];
    const events = names.map((name, place) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, function: { name, arguments: texts[place] } }] } }],
    }));
    const completion = streamed(chat, [...events, { choices: [{ finish_reason: 'tool_calls' }] }]);
    expect(callsOf(completion)).toEqual(expected);
  });

  test('the text and the calls of a reply in choices of their own (GitHub Copilot) are one reply, plain and streamed', () => {
    const toChoice = (message: object) => ({ message, finish_reason: 'tool_calls' });
    const call = (id: string) => ({ id, function: called });
    const parts = [{ content: 'I look.' }, { tool_calls: [call('c1')] }, { tool_calls: [call('c2')] }];
    for (const completion of [
      readPlain(chat, { choices: parts.map(toChoice) }),
      streamed(chat, [{ choices: parts.map((delta) => ({ delta, finish_reason: 'tool_calls' })) }]),
    ]) {
      expect(completion).toMatchObject({ text: 'I look.', finishReason: 'tool' });
      expect(callsOf(completion)).toEqual([...expected, ...expected]);
    }
  });

  test('a choice with a text of its own beside the first text is an alternative: its call is not read, plain and streamed', () => {
    const alternative = { content: 'No.', tool_calls: [{ id: 'c2', function: called }] };
    const messages = [{ content: 'The port is 80.' }, alternative];
    for (const completion of [
      readPlain(chat, {
        choices: messages.map((message, index) => ({ index, message, finish_reason: 'stop' })),
      }),
      streamed(chat, [
        { choices: messages.map((delta, index) => ({ index, delta, finish_reason: 'stop' })) },
      ]),
    ])
      expect(completion).toMatchObject({ text: 'The port is 80.', toolCalls: [] });
  });

  test('a text is read whole if each chunk numbers its only choice anew (Text Generation Inference)', () => {
    const chunks = ['The ', 'port ', 'is 80.'].map((content, index) => ({
      choices: [{ index: index + 1, delta: { content }, finish_reason: null }],
    }));
    expect(streamed(chat, chunks)?.text).toBe('The port is 80.');
  });

  test.each([
    [
      'whose name arrives after its arguments began',
      [{ arguments: '{"path":' }, { name: 'read_file', arguments: '"a.ts"}' }],
    ],
    ['whose name arrives after its arguments', [{ arguments: called.arguments }, { name: 'read_file' }]],
    [
      'whose arguments are repeated at the end',
      [{ name: 'read_file', arguments: '{"path":' }, { arguments: '"a.ts"}' }, called],
    ],
    ['whose whole arguments arrive twice', [called, { arguments: called.arguments }]],
    ['that is repeated as a whole', [called, called]],
  ])('a call %s is read once', (_, parts) => {
    const events = parts.map((part) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, id: 'c1', function: part }] } }],
    }));
    const completion = streamed(chat, [...events, { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }]);
    expect(callsOf(completion)).toEqual(expected);
  });

  test('a call whose fragments each have a new id is put together by its index', () => {
    const parts = [{ name: 'read_file', arguments: '' }, { arguments: '{"path":' }, { arguments: '"a.ts"}' }];
    const events = parts.map((part, place) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, id: `c${place}`, function: part }] } }],
    }));
    const completion = streamed(chat, [...events, { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }]);
    expect(callsOf(completion)).toEqual(expected);
  });

  test('a second name without an id, after arguments in fragments, begins another call', () => {
    const parts = [
      { name: 'one', arguments: '{' },
      { arguments: '}' },
      { name: 'two', arguments: '{' },
      { arguments: '}' },
    ];
    const events = parts.map((part) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, function: part }] } }],
    }));
    const completion = streamed(chat, [...events, { choices: [{ finish_reason: 'tool_calls' }] }]);
    expect(completion?.toolCalls.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  test('whole calls that share an id and have no index are read as separate calls', () => {
    const events = ['a.ts', 'b.ts'].map((path) => ({
      choices: [{ delta: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: { path } } }] } }],
    }));
    const completion = streamed(chat, [...events, { choices: [{ finish_reason: 'tool_calls' }] }]);
    expect(completion?.toolCalls.map(({ arguments: text }) => JSON.parse(text).path)).toEqual([
      'a.ts',
      'b.ts',
    ]);
  });
});

describe('further shapes of Responses are read (rule: compatible-answers)', () => {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '80' }] };
  const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"path":"a.ts"}' };
  const completed = (output: unknown) => ({
    type: 'response.completed',
    response: { status: 'completed', output },
  });

  test.each([
    ['one item instead of a list', message],
    ['a message without a type', [{ role: 'assistant', content: '80' }]],
  ])('a Responses reply with %s is read', (_, output) => {
    expect(readPlain(responses, { status: 'completed', output })?.text).toBe('80');
  });

  test.each([
    ['repeats every item', [{ type: 'reasoning', summary: [] }, message, call]],
    ['omits the reasoning', [message, call]],
    ['is empty', []],
  ])('a stream whose last event %s is read once', (_, output) => {
    const { text, toolCalls } =
      streamed(responses, [
        { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning' } },
        { type: 'response.output_item.added', output_index: 1, item: { type: 'message' } },
        { type: 'response.output_text.delta', output_index: 1, delta: '80' },
        { type: 'response.output_item.added', output_index: 2, item: { ...call, name: '', arguments: '' } },
        { type: 'response.function_call_arguments.delta', output_index: 2, delta: call.arguments },
        { type: 'response.output_item.done', output_index: 2, item: call },
        completed(output),
      ]) ?? {};
    expect(text).toBe('80');
    expect(toolCalls).toMatchObject([{ id: 'c1', name: 'f', arguments: call.arguments }]);
  });

  test('Responses items that all have the same index are read separately', () => {
    const other = { ...call, call_id: 'c2', arguments: '{"path":"b.ts"}' };
    const item = (type: string, given: object) => ({
      type: `response.output_item.${type}`,
      output_index: 0,
      item: given,
    });
    const delta = (name: string, given: string) => ({
      type: `response.${name}.delta`,
      output_index: 0,
      delta: given,
    });
    const completion = streamed(responses, [
      item('added', { type: 'message' }),
      delta('output_text', '80'),
      item('done', message),
      ...[call, other].flatMap((each) => [
        item('added', { ...each, arguments: '' }),
        delta('function_call_arguments', each.arguments),
        item('done', each),
      ]),
      completed([message, call, other]),
    ]);
    expect(completion?.text).toBe('80');
    expect(completion?.toolCalls).toMatchObject([
      { id: 'c1', arguments: call.arguments },
      { id: 'c2', arguments: other.arguments },
    ]);
  });

  test('interleaved Responses items without an index are put together by their ids', () => {
    const items = ['a.ts', 'b.ts'].map((path, place) => ({
      ...call,
      id: `fc_${place}`,
      call_id: `c${place}`,
      arguments: JSON.stringify({ path }),
    }));
    const completion = streamed(responses, [
      ...items.map((item) => ({ type: 'response.output_item.added', item: { ...item, arguments: '' } })),
      ...items.map(({ id, arguments: delta }) => ({
        type: 'response.function_call_arguments.delta',
        item_id: id,
        delta,
      })),
      ...items.map((item) => ({ type: 'response.output_item.done', item })),
      completed([]),
    ]);
    expect(completion?.toolCalls.map(({ arguments: text }) => JSON.parse(text))).toEqual([
      { path: 'a.ts' },
      { path: 'b.ts' },
    ]);
  });

  test('Responses items without an index are read only once if one event contains their whole text', () => {
    const completion = streamed(responses, [
      { type: 'response.output_item.added', item: { type: 'message' } },
      { type: 'response.output_text.done', text: '80' },
      { type: 'response.output_item.done', item: message },
      { type: 'response.output_item.added', item: { type: 'function_call', name: 'f' } },
      { type: 'response.function_call_arguments.done', arguments: call.arguments },
      { type: 'response.output_item.done', item: call },
      completed([]),
    ]);
    expect(completion).toMatchObject({ text: '80', toolCalls: [{ name: 'f', arguments: call.arguments }] });
  });
});

describe('further shapes of Messages are read (rule: compatible-answers)', () => {
  test('deltas of a block that was never started are read, with and without an index', () => {
    for (const index of [{}, { index: 0 }, { index: 3 }]) {
      const completion = streamed(messages, [
        { type: 'content_block_delta', ...index, delta: { type: 'text_delta', text: 'It is ' } },
        { type: 'content_block_delta', ...index, delta: { type: 'text_delta', text: '8080.' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      ]);
      expect(completion?.text).toBe('It is 8080.');
    }
  });

  test('Messages blocks that all have the same index are read separately', () => {
    const block = (content_block: object, delta: object) => [
      { type: 'content_block_start', index: 0, content_block },
      { type: 'content_block_delta', index: 0, delta },
    ];
    const call = (id: string, partial_json: string) =>
      block({ type: 'tool_use', id, name: 'f', input: {} }, { type: 'input_json_delta', partial_json });
    const completion = streamed(messages, [
      ...block({ type: 'text', text: '' }, { type: 'text_delta', text: '80' }),
      ...call('c1', '{"a":1}'),
      ...call('c2', '{"a":2}'),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ]);
    expect(completion).toMatchObject({
      text: '80',
      toolCalls: [
        { id: 'c1', arguments: '{"a":1}' },
        { id: 'c2', arguments: '{"a":2}' },
      ],
    });
  });

  test('a block that starts with its first text or its arguments and repeats them in deltas is read once', () => {
    const completion = streamed(messages, [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'It is ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'It is ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '80.' } },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a"' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':1}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ]);
    expect(completion).toMatchObject({ text: 'It is 80.', toolCalls: [{ name: 'f', arguments: '{"a":1}' }] });
  });

  test('the preliminary count of output tokens at the start of a Messages stream is not reported', () => {
    const completion = streamed(messages, [
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '80' } },
      { type: 'message_stop' },
    ]);
    expect(completion?.usage).toMatchObject({ input_tokens: 5, output_tokens: null });
  });

  test('a count of 0 in a later event of Messages does not replace a known one', () => {
    const completion = streamed(messages, [
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: 0, output_tokens: 3 },
      },
    ]);
    expect(completion?.usage).toMatchObject({ input_tokens: 5, output_tokens: 3 });
  });

  test('deltas of Messages without an index are added to the block that began last', () => {
    const completion = streamed(messages, [
      { type: 'message_start' },
      { type: 'content_block_start', content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: '80' } },
      { type: 'content_block_start', content_block: { type: 'tool_use', name: 'f', input: {} } },
      { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ]);
    expect(completion).toMatchObject({ text: '80', finishReason: 'tool' });
    expect(completion?.toolCalls).toMatchObject([
      { id: expect.stringMatching(/./), name: 'f', arguments: '{"a":1}' },
    ]);
  });

  test.each([
    'error',
    'insufficient_system_resource',
  ])('a stream that ends with %s is not accepted as a completion', (stop_reason) => {
    const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Half of' } };
    expect(streamed(messages, [start, { type: 'message_delta', delta: { stop_reason } }])).toBeUndefined();
  });
});
