import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { stepPath, streamPath } from './test-service.js';
import { stepRequest } from './whole-service.js';

/**
 * A request in which one part is as large as the body limit allows, with the model's reply to it (by default that of
 * the offline model).
 */
export interface GrownRequest {
  readonly name: string;
  readonly path?: string;
  /** Returns the whole body as JSON. It is built on demand, because each body has megabytes. */
  body(): string;
  readonly reply?: ScriptedReply;
}

/** A little less than the service's default limit of 4 MiB. */
const LIMIT = 4 * 2 ** 20 - 4_096;
const previewPath = '/api/agent/context_preview';
const compactPath = '/api/agent/compact_history';

const config = { modelName: 'offline', tokenLimit: 2_000_000, reservedOutputTokens: 1_000 };
const tight = { ...config, tokenLimit: 8_000 };
const scripted = { ...config, provider: 'local', modelName: 'any' };

const bodyOf = (changes: Record<string, unknown>): string =>
  JSON.stringify({ ...stepRequest(), user_api_keys: undefined, llm_config: config, ...changes });

/** Repeats a text as often as it fits into `bytes` of JSON. */
const long = (unit: string, bytes = LIMIT): string =>
  unit.repeat(Math.max(1, Math.floor(bytes / (Buffer.byteLength(JSON.stringify(unit)) - 2))));

/** Returns as many items as fit into `bytes` of JSON, at most `max`. */
function many<Item>(item: (index: number) => Item, max = Number.POSITIVE_INFINITY, bytes = LIMIT): Item[] {
  const size = Buffer.byteLength(JSON.stringify(item(999_999))) + 1;
  return Array.from({ length: Math.min(max, Math.floor(bytes / size)) }, (_, index) => item(index));
}

const keyed = (count: number, value: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value(index)]));

function nested(depth: number, around: (inner: unknown) => unknown, core: unknown): unknown {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = around(value);
  return value;
}

const step = (
  name: string,
  changes: () => Record<string, unknown>,
  more: Partial<GrownRequest> = {},
): GrownRequest => ({ name, body: () => bodyOf(changes()), ...more });

const raw = (name: string, body: () => string): GrownRequest => ({ name: `body: ${name}`, body });

const history = (name: string, turns: () => unknown[], more: Partial<GrownRequest> = {}): GrownRequest =>
  step(`history: ${name}`, () => ({ user_query: '', conversation_history: [task, ...turns()] }), more);

const task = { role: 'user', content: 'Where is the total computed?' };
const call = (id: string, parameters: unknown = { path: 'a.ts' }) => ({
  role: 'assistant',
  content: 'I look.',
  toolCall: { name: 'read_file', parameters, id },
});
const observation = (toolCallId: string, content: string) => ({
  role: 'tool_observation',
  content,
  toolCallId,
});
const observed = (text: () => string) => () => [call('call_1'), observation('call_1', text())];

/** The smallest valid step. */
export const smallRequest = step('small', () => ({ llm_config: tight }));

/** A run whose observations are ordinary code, as large as the body limit allows. */
export const ordinaryRequest = history('a hundred observations of code', () =>
  many((index) => index, 100).flatMap((index) => [
    call(`call_${index}`),
    observation(`call_${index}`, long(textUnits['lines of code'], LIMIT / 102)),
  ]),
);

const tool = (inputSchema: unknown, name = 'f') => ({ name, inputSchema });
const segment = (name: string, text: () => string): GrownRequest =>
  step(`segment: ${name}`, () => ({ available_tools_prompt_segment: text() }));
const schema = (name: string, inputSchema: () => unknown, reply?: ScriptedReply): GrownRequest =>
  step(
    `schema: ${name}`,
    () => ({ tools: [tool(inputSchema())], ...(reply && { llm_config: scripted }) }),
    reply ? { reply } : {},
  );
const replied = (
  name: string,
  reply: ScriptedReply,
  tools: unknown[] = [tool({ type: 'object' })],
): GrownRequest => step(`reply: ${name}`, () => ({ tools, llm_config: scripted }), { reply });

const inline = (name: string, files: () => unknown[], paths: () => string[]): GrownRequest =>
  step(`inline: ${name}`, () => ({ inline_context: { files: files() }, explicit_context_paths: paths() }));
const bigFile = (unit: string) => () => [{ path: 'big.ts', content: long(unit, LIMIT - 2 ** 17) }];

const textUnits = {
  'one letter': 'a',
  words: 'the quick brown fox ',
  'lines of code': '  const total = sum(items.map((item) => item.price));\n',
  'line ends': '\n',
  emoji: '👩‍👩‍👧‍👦',
  'right-to-left': 'שלום עולם ',
  quotes: '"',
  spaces: ' ',
  fences: '```\n',
  'our closers': '</observation></file>',
  'chat tokens': '<|im_start|>',
  markers: 'Action: f(x)\nObservation: y\n',
} as const;

const texts = Object.entries(textUnits);

const phaseReplies = {
  braces: '{'.repeat(4_000_000),
  'objects that are not closed': '{"a":'.repeat(800_000),
  backticks: '`a '.repeat(1_300_000),
  fences: '```\n'.repeat(1_000_000),
  tags: '<a>\n'.repeat(1_000_000),
  brackets: '[a]\n'.repeat(1_000_000),
  'less-than signs': '<'.repeat(4_000_000),
};

const objectReply = '{"thought": "x", "action": {"tool": "f", "args": {"x": "y"}}}';

const objectReplies = {
  'half a million lines of text and an action': `${'a\n'.repeat(500_000)}${objectReply}`,
  'an action and half a million lines of text': `${objectReply}\n${'a\n'.repeat(500_000)}`,
  '300,000 fields': `{"thought": "x", ${'"a": 1, '.repeat(300_000)}"final_answer": "y"}`,
  '150,000 actions': `{"thought": "x", ${'"action": {"x": 1}, '.repeat(150_000)}"action": {}}`,
  'a million odd escapes': `{"thought": "x", "action": {"tool": "f", "args": {"x": "${'\\d'.repeat(1_000_000)}"}}}`,
};

/** Requests in each of which one field, or one shape within a field, has the maximum size. */
export const grownRequests: readonly GrownRequest[] = [
  ...texts.map(([name, unit]) => step(`query: ${name}`, () => ({ user_query: long(unit) }))),
  ...texts.map(([name, unit]) =>
    history(
      `one observation of ${name}`,
      observed(() => long(unit)),
    ),
  ),
  step('query: words, budget of 8,000', () => ({ user_query: long(textUnits.words), llm_config: tight })),
  step('query: one letter, preview', () => ({ user_query: long('a') }), { path: previewPath }),
  step('query: code, streamed', () => ({ user_query: long(textUnits['lines of code']) }), {
    path: streamPath,
  }),

  history('10,000 turns of the user', () => many(() => ({ role: 'user', content: 'x' }), 9_999)),
  history('10,000 calls and observations', () =>
    many((index) => index, 9_998).flatMap((index) =>
      index % 2 ? [] : [call(`c${index}`), observation(`c${index}`, 'text '.repeat(50))],
    ),
  ),
  step('history: 10,000 calls, budget of 8,000', () => ({
    llm_config: tight,
    user_query: '',
    conversation_history: [
      task,
      ...many((index) => index, 4_999).flatMap((index) => [
        call(`c${index}`),
        observation(`c${index}`, 'text '.repeat(50)),
      ]),
    ],
  })),
  history('5,000 calls, then their observations in turn', () => [
    ...many((index) => call(`c${index}`), 4_900, LIMIT / 2),
    ...many((index) => observation(`c${index}`, 'text'), 4_900, LIMIT / 2),
  ]),
  history('9,999 calls of one id', () => many(() => call('same'), 9_999)),
  history('9,999 observations of no call', () => many((index) => observation(`x${index}`, 'y'), 9_999)),
  history('9,999 failed observations', () =>
    many(() => ({ ...observation('x', ''), toolResult: { success: false, error: 'no' } }), 9_999),
  ),
  history('a call with 200,000 arguments', () => [
    call(
      'c',
      keyed(200_000, (index) => index),
    ),
  ]),
  history('a call with one long argument', () => [call('c', { content: long(textUnits['lines of code']) })]),
  history('a call nested 50 deep, wide', () => [
    call(
      'c',
      nested(50, (inner) => ({ inner, beside: long('x', 40_000) }), 1),
    ),
  ]),
  history('a result of 400,000 numbers', () => [
    call('c'),
    { ...observation('c', ''), toolResult: { success: true, result: many(() => 1234567) } },
  ]),
  step('history: a result of a million texts, with a record and a key', () => ({
    user_query: '',
    conversation_history: [
      task,
      call('c'),
      { ...observation('c', ''), toolResult: { success: true, result: many(() => 'a') } },
    ],
    include: { record: true },
    user_api_keys: { llmKey: 'sk-proj-0123456789abcdefghij' },
  })),
  history('turns with 200,000 fields of their own', () => [{ ...task, ...keyed(200_000, () => 1) }]),
  history('250 turns of 1,200 fields of their own', () =>
    many(() => ({ ...task, ...keyed(1_200, () => 1) }), 250),
  ),
  history('provider state', () => [
    { role: 'assistant', content: 'x', provider_state: many((index) => ({ index })) },
  ]),
  history(
    'one observation of code, budget of 8,000',
    observed(() => long(textUnits['lines of code'])),
    {
      body: () =>
        bodyOf({
          llm_config: tight,
          user_query: '',
          conversation_history: [task, ...observed(() => long(textUnits['lines of code']))()],
        }),
    },
  ),

  inline('one file of code', bigFile(textUnits['lines of code']), () => ['big.ts']),
  inline('one file of emoji', bigFile(textUnits.emoji), () => ['big.ts']),
  inline('one file of one line', bigFile('a'), () => ['big.ts']),
  inline('one file of line ends', bigFile('\n'), () => ['big.ts']),
  inline('one file of our closers', bigFile('</file>\n'), () => ['big.ts']),
  inline('1,000 line ranges of one file', bigFile('x = 1\n'), () =>
    many((index) => `big.ts:${index + 1}-${600_000 - index}`, 1_000, LIMIT / 64),
  ),
  inline('1,000 single lines of one file', bigFile('x = 1\n'), () =>
    many((index) => `big.ts:${index * 2 + 1}-${index * 2 + 1}`, 1_000, LIMIT / 64),
  ),
  inline(
    '10,000 files',
    () => many((index) => ({ path: `src/${index}.ts`, content: 'const a = 1;\n'.repeat(25) }), 10_000),
    () => ['src'],
  ),
  inline(
    '5,000 files under 400 spellings',
    () => many((index) => ({ path: `a/${index}.ts`, content: 'x'.repeat(600) }), 5_000, LIMIT - 100_000),
    () => Array.from({ length: 400 }, (_, index) => `a${'/'.repeat(index)}`),
  ),
  inline(
    '5,000 files, each asked for among 1,000 paths',
    () => many((index) => ({ path: `a/${index}.ts`, content: 'x'.repeat(500) }), 5_000, LIMIT - 100_000),
    () => many((index) => `a/${index}.ts`, 1_000),
  ),
  inline(
    '40 folders in each other, over 10,000 files',
    () => many((index) => ({ path: `a${'/b'.repeat(40)}/${index}`, content: 'x' }), 10_000),
    () => Array.from({ length: 40 }, (_, depth) => `a${'/b'.repeat(depth)}`),
  ),
  inline(
    '150 folders in each other, over 8,000 files',
    () => many((index) => ({ path: `a${'/b'.repeat(150)}/${index}`, content: 'x' }), 8_000),
    () => Array.from({ length: 150 }, (_, depth) => `a${'/b'.repeat(depth)}`),
  ),
  inline(
    '1,000 absent paths beside 10,000 files with long ones',
    () => many((index) => ({ path: `a/${'long/'.repeat(50)}${index}`, content: 'x' }), 10_000),
    () => Array.from({ length: 1_000 }, (_, index) => `absent-${index}`),
  ),
  inline(
    'a path of a megabyte',
    () => [{ path: long('a/', LIMIT / 2), content: 'x' }],
    () => [long('a/', LIMIT / 2)],
  ),
  step('focus: the whole file and a selection', () => ({
    inline_context: { files: bigFile('const a = 1;\n')() },
    implicit_context: {
      last_focused_file_path: 'big.ts',
      selection: { start_line: 150_000, end_line: 150_100 },
    },
  })),
  step('pinned: 10,000 items', () => ({
    inline_context: {
      pinned_items: many((index) => ({ id: `p${index}`, content: 'x'.repeat(380) }), 10_000),
    },
    pinned_item_ids_to_include: many((index) => `p${index}`, 1_000, 20_000),
  })),
  step('vector: 1,000 overlapping chunks', () => ({
    vector_search_results_to_include: many(
      (index) => ({
        path: 'a.ts',
        content: 'const a = 1;\n'.repeat(300),
        score: index / 1_000,
        start_line: index + 1,
        end_line: index + 300,
      }),
      1_000,
    ),
  })),
  step('vector: 1,000 chunks without lines, alike but for their ends', () => ({
    vector_search_results_to_include: many(
      (index) => ({ path: 'a', content: 'x'.repeat(3_800) + index }),
      1_000,
    ),
  })),
  step('vector: 1,000 chunks without lines beside a file of that path', () => ({
    vector_search_results_to_include: many(
      (index) => ({ path: 'a', content: `${'x'.repeat(1_900)}\n${index}` }),
      1_000,
    ),
    explicit_context_paths: ['a'],
    inline_context: { files: [{ path: 'a', content: `${'x'.repeat(1_900)}\n`.repeat(900) }] },
  })),
  step('vector: two chunks without lines, alike but for the first letter', () => ({
    vector_search_results_to_include: [
      { path: 'a', content: 'a'.repeat(2_200_000) },
      { path: 'a', content: `b${'a'.repeat(1_900_000)}` },
    ],
  })),
  step('vector: one chunk of line ends between two letters', () => ({
    vector_search_results_to_include: [{ path: 'a', content: `x${long('\n', LIMIT / 2)}x` }],
  })),
  step('vector: a path of quotes and brackets', () => ({
    vector_search_results_to_include: [{ path: long('t"<'), content: 'x' }],
  })),
  step('pinned: a title of quotes and brackets', () => ({
    inline_context: { pinned_items: [{ id: 'p', title: long('t"<'), content: 'x' }] },
    pinned_item_ids_to_include: ['p'],
  })),
  inline(
    'a path of a megabyte of quotes, and a file to be cut',
    () => [{ path: long('t"<', LIMIT / 4), content: long('x = 1\n', LIMIT / 4) }],
    () => [long('t"<', LIMIT / 4)],
  ),
  step('vector: one chunk of one letter', () => ({
    vector_search_results_to_include: [{ path: 'a.ts', content: long('a') }],
  })),

  segment('180,000 bullets under a heading', () => `Tools:\n${long('- do something with it\n')}`),
  segment('numbers on lines', () => long('1\n')),
  segment('signatures', () => many((index) => `tool_${index}(path, start_line): reads\n`).join('')),
  segment('signatures on one line', () => many((index) => `t${index}(a), `).join('')),
  segment('code spans on one line', () => long('`f(a` ')),
  segment('lists in code spans', () => long('`f(')),
  segment('one signature of 350,000 parameters', () => `f(${many((index) => `p${index}`).join(', ')})`),
  segment('opening brackets', () => long('(')),
  segment('names before brackets', () => long('f(')),
  segment('nested signatures', () => long('f(a: list[')),
  segment('JSON definitions', () =>
    JSON.stringify(many((index) => ({ name: `t${index}`, parameters: {} }), 1e6, LIMIT * 0.6)),
  ),
  segment('backticks', () => long('`')),
  segment('open tags', () => long('<tool>')),
  segment('spaces', () => long(' ')),
  segment('one word', () => long('a')),
  segment('dots', () => long('a.')),
  segment('quotes', () => long('f("', LIMIT)),

  step('tools: 1,000 of 4 KB', () => ({
    tools: many(
      (index) => ({ ...tool({ type: 'object' }, `t${index}`), description: 'word '.repeat(800) }),
      1_000,
    ),
  })),
  step('tools: one long description', () => ({ tools: [{ ...tool({}), description: long('word ') }] })),
  step(
    'tools: native, 1,000 of 4 KB',
    () => ({
      protocol: 'native',
      llm_config: scripted,
      tools: many(
        (index) => ({ ...tool({ type: 'object' }, `t${index}`), description: 'word '.repeat(800) }),
        1_000,
      ),
    }),
    { reply: { text: 'done' } },
  ),
  schema('60,000 properties, all required', () => ({
    type: 'object',
    properties: keyed(60_000, () => ({ type: 'string' })),
    required: Object.keys(keyed(60_000, () => 1)),
  })),
  schema(
    '60,000 properties, all required, acted upon',
    () => ({
      type: 'object',
      properties: keyed(60_000, () => ({ type: 'string' })),
      required: Object.keys(keyed(60_000, () => 1)),
    }),
    { text: 'Action: f(key1="a")' },
  ),
  schema('990 references to a long pointer', () => {
    const pointer = 'a'.repeat(2_000);
    return {
      $defs: { [pointer]: { type: 'string', description: long('word ', LIMIT / 4) } },
      type: 'object',
      properties: keyed(990, () => ({ $ref: `#/$defs/${pointer}` })),
    };
  }),
  schema('990 references to one large part', () => ({
    $defs: { large: { type: 'object', properties: keyed(60_000, () => ({ type: 'string' })) } },
    type: 'object',
    properties: keyed(990, () => ({ $ref: '#/$defs/large' })),
  })),
  schema(
    'references that double',
    () => ({
      $defs: Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [
          `d${index}`,
          {
            type: 'object',
            properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } },
          },
        ]),
      ),
      type: 'object',
      properties: { x: { $ref: '#/$defs/d0' } },
    }),
    { text: 'Action: f(x={})' },
  ),
  schema(
    '1,900 × allOf over a long array',
    () => ({
      type: 'object',
      properties: { x: { type: 'array', items: { allOf: many(() => ({ type: 'number' }), 1_900) } } },
    }),
    { text: `Action: f(x=[${'1,'.repeat(20_000)}1])` },
  ),
  schema(
    '200,000 enum values',
    () => ({
      type: 'object',
      properties: { x: { enum: many((index) => `value ${index}`) } },
    }),
    { text: 'Action: f(x="none of them")' },
  ),
  schema(
    'a pattern that backtracks',
    () => ({
      type: 'object',
      properties: { x: { type: 'string', pattern: '^(a+)+$' } },
    }),
    { text: `Action: f(x="${'a'.repeat(50)}!")` },
  ),
  schema('nested 25 deep, wide', () =>
    nested(
      25,
      (inner) => ({ type: 'object', description: long('word ', 100_000), properties: { inner } }),
      {},
    ),
  ),

  step('tasks: 1,000 of 4 KB', () => ({
    tasks: many((id) => ({ id, content: 'word '.repeat(800), status: 'todo' }), 1_000),
  })),
  step('tasks: one letter', () => ({ tasks: [{ id: 1, content: long('a'), status: 'todo' }] })),
  step('instructions: words', () => ({ instructions: long('word ') })),
  step('instructions: one letter', () => ({ instructions: long('a') })),
  step('unknown fields: 200,000', () => ({ ...keyed(200_000, (index) => index) })),
  step('unknown fields: one of 400,000 items', () => ({ own: many(() => 1) })),
  step('unknown fields: in llm_config', () => ({ llm_config: { ...config, ...keyed(200_000, () => 1) } })),
  step('unknown fields: in each of 10,000 files', () => ({
    inline_context: {
      files: many((index) => ({ path: `f${index}`, content: 'x', ...keyed(25, () => 1) }), 10_000),
    },
  })),
  step('wrong items: 10,000 turns', () => ({
    conversation_history: many(() => ({ role: 1, content: 2, toolCall: 3, toolResult: 4, kind: 5 }), 10_000),
  })),
  step('wrong items: 10,000 files', () => ({
    inline_context: { files: many(() => ({ path: 1, content: 2 }), 10_000) },
  })),
  step('wrong items: 1,000 vectors', () => ({
    vector_search_results_to_include: many(
      () => ({ path: [], content: {}, score: 'x', start_line: -1 }),
      1_000,
    ),
  })),
  step('model name: as long as it goes', () => ({ llm_config: { ...config, modelName: long('a') } })),

  raw('opening brackets', () => '['.repeat(LIMIT)),
  raw('opening braces', () => '{"a":'.repeat(LIMIT / 5)),
  raw('numbers', () => `[${'1,'.repeat(LIMIT / 2 - 1)}1]`),
  raw('long numbers', () => `[${'1234567890123456,'.repeat(LIMIT / 17 - 1)}1]`),
  raw('one number', () => '1'.repeat(LIMIT)),
  raw('backslashes', () => `"${'\\\\'.repeat(LIMIT / 2 - 1)}"`),
  raw('quotes', () => '"'.repeat(LIMIT)),
  raw('escaped quotes', () => `"${'\\"'.repeat(LIMIT / 2 - 1)}"`),
  raw('escaped backslashes before u0000', () => `"${'\\\\u0000'.repeat(LIMIT / 7)}"`),
  raw('spaces', () => ' '.repeat(LIMIT)),
  raw('empty objects', () => `[${'{},'.repeat(LIMIT / 3 - 1)}{}]`),
  raw('an object of 250,000 keys', () => JSON.stringify(keyed(250_000, () => 1))),
  raw('a string', () => JSON.stringify('a'.repeat(LIMIT))),

  {
    name: 'compaction: mask 10,000 turns',
    path: compactPath,
    body: () => JSON.stringify({ ...compaction('mask'), conversation_history: manyTurns() }),
  },
  {
    name: 'compaction: mask one observation of one letter',
    path: compactPath,
    body: () =>
      JSON.stringify({
        ...compaction('mask'),
        conversation_history: [task, ...observed(() => long('a'))()],
      }),
  },
  {
    name: 'compaction: summarize 10,000 turns',
    path: compactPath,
    body: () => JSON.stringify({ ...compaction('summarize'), conversation_history: manyTurns() }),
  },

  replied('60,000 native calls', {
    toolCalls: Array.from({ length: 60_000 }, (_, index) => ({ id: `c${index}`, name: 'f', arguments: {} })),
  }),
  {
    ...replied('60,000 native calls, taught natively', {
      toolCalls: Array.from({ length: 60_000 }, (_, index) => ({
        id: `c${index}`,
        name: 'f',
        arguments: {},
      })),
    }),
    body: () => bodyOf({ protocol: 'native', llm_config: scripted, tools: [tool({ type: 'object' })] }),
  },
  {
    ...replied('native arguments 20,000 deep', {
      toolCalls: [{ id: 'c', name: 'f', arguments: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}` }],
    }),
    body: () => bodyOf({ protocol: 'native', llm_config: scripted, tools: [tool({ type: 'object' })] }),
  },
  replied('4 MB of words', { text: 'word '.repeat(800_000) }),
  replied('4 MB of one letter', { text: 'a'.repeat(4_000_000) }),
  replied('opening brackets after a marker', { text: `Action: f(${'['.repeat(2_000_000)}` }),
  replied('a call of a million numbers', { text: `Action: f(x=[${'1,'.repeat(1_000_000)}1])` }),
  replied('a call of 100,000 arguments', {
    text: `Action: f(${Array.from({ length: 100_000 }, (_, index) => `a${index}=1`).join(', ')})`,
  }),
  replied('680,000 half characters', { text: '\ud800'.repeat(680_000) }),
  replied('fences', { text: '```\nAction: f()\n'.repeat(100_000) }),
  replied('thoughts', { text: '<think>\n'.repeat(400_000) }),
  replied('quotes', { text: `Action: f(x="${'\\"'.repeat(1_000_000)}` }),
  replied('JSON, nested 20,000 deep', { text: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}` }),
  replied('markers', { text: 'Thought: x\nAction: \n'.repeat(200_000) }),
  replied('backticks', { text: '`a '.repeat(1_000_000) }),
  replied('chat tokens', { text: '<|im_start|>'.repeat(330_000) }),
  replied('reasoning that closes, over and over', { text: '<think>x</think>\n'.repeat(230_000) }),
  replied('closers of fences that were never opened', { text: '</observation></file>'.repeat(190_000) }),
  replied('a million odd escapes', { text: `Action: f(x="${'\\d'.repeat(1_000_000)}")` }),
  replied('a million strings side by side', { text: `Action: f(x=${"'a' ".repeat(1_000_000)})` }),
  replied('native arguments of 49,000 fields', {
    toolCalls: [{ name: 'f', arguments: keyed(49_000, () => 1) }],
  }),
  replied('native arguments of a million numbers', {
    toolCalls: [{ name: 'f', arguments: { x: Array.from({ length: 1_000_000 }, () => 1) } }],
  }),
  replied('native arguments of a million odd escapes', {
    toolCalls: [{ name: 'f', arguments: `{"x": "${'\\d'.repeat(1_000_000)}"}` }],
  }),
  ...(['reason', 'act', 'observe'] as const).flatMap((phase) =>
    Object.entries(phaseReplies).map(([name, text]) => ({
      ...replied(`${name}, to ${phase}`, { text }),
      body: () => bodyOf({ phase, llm_config: scripted, tools: [tool({ type: 'object' })] }),
    })),
  ),
  ...Object.entries(phaseReplies).map(([name, text]) => ({
    ...replied(`${name}, in place of an object`, { text }),
    body: () => bodyOf({ protocol: 'json', llm_config: scripted, tools: [tool({ type: 'object' })] }),
  })),
  {
    ...replied('tags before a call that the limit cuts', {
      text: `${'<a>\n'.repeat(250_000)}Action: f(x="`,
      finishReason: 'length',
    }),
    body: () => bodyOf({ llm_config: scripted, tools: [tool({ type: 'object' })] }),
  },
  ...Object.entries(objectReplies).map(([name, text]) => ({
    ...replied(`an object reply of ${name}`, { text }),
    body: () => bodyOf({ protocol: 'json', llm_config: scripted, tools: [tool({ type: 'object' })] }),
  })),
  {
    ...replied('an object that acts on 4 MB, streamed', {
      text: JSON.stringify({ thought: 'I act.', action: { tool: 'f', args: { x: '\n'.repeat(1_500_000) } } }),
    }),
    body: () => bodyOf({ protocol: 'json', llm_config: scripted, tools: [tool({ type: 'object' })] }),
    path: streamPath,
  },
  { ...replied('4 MB of words, streamed', { text: 'word '.repeat(100_000) }), path: streamPath },
  {
    ...replied('one streamed argument of 2 MB', {
      chunks: Array.from({ length: 1_000 }, (_, index) => (index ? 'x = 1\\n'.repeat(300) : 'Action: f(x="')),
    }),
    path: streamPath,
  },
];

const compaction = (strategy: 'mask' | 'summarize') => ({
  ...stepRequest(),
  user_api_keys: undefined,
  llm_config: config,
  target_tokens: 1_000,
  strategy,
});

const manyTurns = (): unknown[] => [
  task,
  ...many((index) => index, 4_999).flatMap((index) => [
    call(`c${index}`),
    observation(`c${index}`, 'text '.repeat(40)),
  ]),
];

export const pathOf = ({ path = stepPath }: GrownRequest): string => path;
