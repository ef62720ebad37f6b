import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OfferedTool, ParseDelta, ParseOptions } from '../../../../src/parsing/index.js';
import {
  ObjectReplyReader,
  type ReaderOptions,
} from '../../../../src/parsing/structured/reading/object-reply-reader.js';
import { countLooks } from '../../../support/parsing/count-looks.js';

const tools: OfferedTool[] = [
  {
    name: 'read_file',
    parameters: ['path'],
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, end: { type: 'integer' } },
      required: ['path'],
    },
  },
];

const readerFor = (phase?: ReaderOptions['phase']) =>
  new ObjectReplyReader({ tools, phase, restoreArguments: (_, value) => value });

/** Reads a whole reply in chunks of the given lengths; the last length repeats. */
function read(
  text: string,
  options: ParseOptions & { phase?: ReaderOptions['phase']; cuts?: number[] } = {},
) {
  const reader = readerFor(options.phase);
  const deltas: ParseDelta[] = [];
  const cuts = options.cuts ?? [text.length];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const end = at + Math.max(1, cuts[turn % cuts.length] ?? 1);
    deltas.push(...reader.push(text.slice(at, end)));
    at = end;
  }
  const ended = reader.end(options);
  return { ...ended, deltas: [...deltas, ...ended.deltas], shown: joined([...deltas, ...ended.deltas]) };
}

function joined(deltas: readonly ParseDelta[]) {
  const sums: Partial<Record<ParseDelta['type'], string>> = {};
  for (const { type, delta } of deltas) sums[type] = (sums[type] ?? '') + delta;
  return sums;
}

const action = '{"thought": "Look first.", "action": {"tool": "read_file", "args": {"path": "a.ts"}}}';
const answer = '{"thought": "I saw it.", "final_answer": "Line 3.\\nThen \\"b\\" 😀"}';

test('a JSON object reply is read as an action or an answer (rule: object-reply)', () => {
  expect(read(action).completion).toMatchObject({
    outcome: 'action',
    thought: 'Look first.',
    action: {
      toolName: 'read_file',
      toolArgs: { path: 'a.ts' },
      raw: '{"tool": "read_file", "args": {"path": "a.ts"}}',
    },
    confidence: 'exact',
    discarded: [],
  });
  expect(read(answer)).toMatchObject({
    completion: {
      outcome: 'answer',
      thought: 'I saw it.',
      answer: 'Line 3.\nThen "b" 😀',
      answerLabelled: true,
    },
    isWhole: true,
    shown: { thought: 'I saw it.', answer: 'Line 3.\nThen "b" 😀' },
  });
});

test('an answer under `action` is read as the answer, for vendors without a union at the root', () => {
  const wrapped = '{"thought": "I saw it.", "action": {"final_answer": "Line 3."}}';
  expect(read(wrapped)).toMatchObject({
    completion: { outcome: 'answer', answer: 'Line 3.' },
    shown: { answer: 'Line 3.' },
  });
});

test('deltas of an object reply contain no JSON, and its thought is streamed while it arrives', () => {
  const reader = readerFor();
  expect(reader.push('{"thought": "Lo')).toEqual([{ type: 'thought', delta: 'Lo' }]);
  expect(reader.push('ok", "action": {"tool": "read_file", "args": {"path": "')).toEqual([
    { type: 'thought', delta: 'ok' },
  ]);
  expect(reader.push('a.ts"}}}')).toEqual([]);
});

test('escapes and surrogate pairs that are split between chunks are decoded', () => {
  const reader = readerFor();
  const pieces = ['{"final_answer": "a\\', 'nb \\ud8', '3d', '\\ude', '00 \ud83d', '\ude00', '"}'];
  const deltas = pieces.flatMap((piece) => reader.push(piece));
  expect(deltas.map(({ delta }) => delta).join('')).toBe('a\nb 😀 😀');
  expect(deltas.every(({ delta }) => delta.isWellFormed())).toBe(true);
});

test.each([
  ['prose before the object', `Sure.\n${action}`, { thought: 'Sure.\nLook first.' }],
  ['a fence around the object', `\`\`\`json\n${action}\n\`\`\``, { thought: 'Look first.' }],
  [
    'prose and a fence around the object',
    `Sure.\n\`\`\`json\n${action}\n\`\`\`\n`,
    { thought: 'Sure.\nLook first.' },
  ],
  [
    'reasoning before the object',
    `<think>{"thought": "no"}\n{"action": 1}</think>${action}`,
    { thought: 'Look first.', reasoning: '{"thought": "no"}\n{"action": 1}' },
  ],
  ['a chat token before the object', `<|im_start|>${action}`, { thought: 'Look first.' }],
  [
    'a turn of the user that the model made up',
    `${action}<|im_end|>\n<|im_start|>user\nThanks, and now?`,
    { thought: 'Look first.', discarded: [{ kind: 'stop', chars: 43 }] },
  ],
  [
    'a result after the object that the model made up',
    `${action}\nObservation: 12 lines\nSo that is it.`,
    { thought: 'Look first.' },
  ],
  ['another object after the action', `${action}\n${answer}`, { thought: 'Look first.' }],
])('the action of an object reply is found despite other text in the reply: %s', (_, text, expected) => {
  const { completion, isWhole } = read(text);
  expect(completion).toMatchObject({ outcome: 'action', ...expected });
  expect(isWhole).toBe(false);
});

test.each([
  ['reasoning that is never closed', `<think>\n${action}`],
  [
    'an observation that the model repeats',
    `<observation tool="x" mark="6023d895cda4a54a">\n${action}\n</observation 6023d895cda4a54a>`,
  ],
  [
    'a file that the model repeats after prose',
    `Here:\n<file path="a" mark="6023d895cda4a54a">\n${action}\n</file 6023d895cda4a54a>\nThat is it.`,
  ],
  ['a block quote', `> ${action}`],
  ['a list', `- ${action}`],
  ['a line of prose', `I could say ${action}`],
])('an action object inside %s does not run (rule: echoed-fence)', (_, text) => {
  for (const cuts of [[1], [7], [text.length]]) expect(read(text, { cuts }).completion.action).toBeNull();
});

test.each([
  ['a fence in prose', `I could run\n\`\`\`json\n${action}\n\`\`\`\nbut that is wrong, so I will not.`],
  ['a fence after which prose goes on', `\`\`\`json\n${action}\n\`\`\`\n\nThat explains it.`],
  ['a line of its own', `# Docs\n${action}\n\nis what config.md line 3 says.`],
  ['the same line', `${action} is what the file holds.`],
  ['several objects', `${action}\n${action}\nare two examples.`],
  ['another dialect', '{"action": "read_file", "action_input": {"path": "a"}}\nis what it takes.'],
])('an action object that is followed by prose does not run: %s (rule: closing-fence)', (_, text) => {
  for (const cuts of [[1], [7], [text.length]]) {
    const { completion, isWhole } = read(text, { cuts });
    expect(completion).toMatchObject({
      outcome: 'answer',
      action: null,
      answer: text,
      thought: null,
      answerLabelled: false,
      problem: expect.stringMatching(/^if you meant to act/),
    });
    expect(isWhole).toBe(false);
  }
});

test('a labelled call or answer after an example object is the outcome of the reply (rule: deltas-join)', () => {
  const text = `I could run\n\`\`\`json\n${action}\n\`\`\`\nbut not now.\nFinal Answer: no`;
  expect(read(text)).toMatchObject({
    completion: {
      outcome: 'answer',
      answer: 'no',
      thought: 'I could run\nLook first.\nbut not now.',
      discarded: [{ kind: 'action', chars: action.length }],
    },
    shown: { draft: 'I could run', thought: '\nLook first.\nbut not now.', answer: 'no' },
  });
});

test('arguments that cannot be converted back by the reply schema are used as written', () => {
  const text = JSON.stringify({ thought: 't', action: { tool: 'read_file', args: { path: '42' } } });
  const reader = new ObjectReplyReader({ tools, phase: undefined, restoreArguments: () => undefined });
  reader.push(text);
  expect(reader.end()).toMatchObject({
    completion: { action: { toolArgs: { path: '42' } }, confidence: 'exact' },
    isWhole: false,
  });
});

test('the first of action and answer wins in an object reply, and the other is reported', () => {
  const both =
    '{"thought": "t", "final_answer": "Done.", "action": {"tool": "read_file", "args": {"path": "a"}}}';
  expect(read(both)).toMatchObject({
    completion: {
      outcome: 'answer',
      answer: 'Done.',
      repairs: ['second_outcome'],
      confidence: 'repaired',
      discarded: [{ kind: 'action' }],
    },
  });
  const other =
    '{"thought": "t", "action": {"tool": "read_file", "args": {"path": "a"}}, "final_answer": "Done."}';
  expect(read(other)).toMatchObject({
    completion: { outcome: 'action', discarded: [{ kind: 'answer', chars: 7 }] },
    shown: { thought: 't' },
  });
});

const call = '{"tool": "read_file", "args": {"path": "a"}}';
test.each([
  ['a word for none', '"action": "none", "final_answer": "hello"'],
  ['an abbreviation', '"action": "N/A", "final_answer": "hello"'],
  ['no text', '"action": "", "final_answer": "hello"'],
  ['false', '"action": false, "final_answer": "hello"'],
  ['an empty list', '"action": [ ], "final_answer": "hello"'],
  ['an empty object', '"action": {}, "final_answer": "hello"'],
  ['a tool called none', '"action": {"tool": "none", "args": {}}, "final_answer": "hello"'],
  ['a null for the tool', '"action": {"tool": null}, "final_answer": "hello"'],
  ['no text for the tool', '"action": {"tool": "", "args": {}}, "final_answer": "hello"'],
])('an empty action beside an answer is ignored: %s (rule: object-reply)', (_, fields) => {
  for (const cuts of [[1], [99]])
    expect(read(`{"thought": "t", ${fields}}`, { cuts })).toMatchObject({
      completion: { outcome: 'answer', answer: 'hello', thought: 't', repairs: [] },
      shown: { thought: 't', answer: 'hello' },
      isWhole: false,
    });
});

test.each(['[]', '{}', 'false', '" "'])('an empty answer beside an action is ignored: %s', (answer) => {
  expect(read(`{"thought": "t", "final_answer": ${answer}, "action": ${call}}`)).toMatchObject({
    completion: { outcome: 'action', repairs: [] },
    shown: { thought: 't' },
  });
});

test('an offered tool with a name such as "none" can be called', () => {
  const reader = new ObjectReplyReader({
    tools: [{ name: 'none', parameters: [], inputSchema: { type: 'object' } }],
    phase: undefined,
    restoreArguments: (__, value) => value,
  });
  reader.push('{"thought": "t", "action": {"tool": "none", "args": {}}, "final_answer": "x"}');
  expect(reader.end().completion.outcome).toBe('action');
});

test('the first of an answer and a tool under `action` wins, and the other is reported', () => {
  const tool = call.slice(1, -1);
  for (const cuts of [[1], [99]]) {
    expect(read(`{"thought": "t", "action": {"final_answer": "hi", ${tool}}}`, { cuts })).toMatchObject({
      completion: { outcome: 'answer', answer: 'hi', repairs: ['second_outcome'] },
      shown: { answer: 'hi' },
      isWhole: false,
    });
    const acting = read(`{"thought": "t", "action": {${tool}, "final_answer": "hi"}}`, { cuts });
    expect(acting).toMatchObject({
      completion: { outcome: 'action', repairs: ['second_outcome'], action: { toolArgs: { path: 'a' } } },
      isWhole: false,
    });
    expect(acting.shown).toEqual({ thought: 't' });
  }
});

test.each([
  '{"tool": "read_file", "tool": "rm", "args": {"path": "a"}}',
  '{"tool": "read_file", "args": {"path": "a"}, "args": {"path": "b"}}',
  '{"tool": "read_file", "args": {"path": "a", "path": "b"}}',
])('an action with a duplicate key is malformed: %s', (action) => {
  expect(read(`{"thought": "t", "action": ${action}}`).completion).toMatchObject({
    outcome: 'malformed_action',
    action: null,
    problem: 'the action holds a key twice: write each key once',
  });
});

test.each([
  '{',
  '{"tho',
  '```json\n{"',
  'Sure.\n{"act',
])('a reply that the output limit cut before its object was certain is truncated: %s (rule: billed-outcomes)', (text) => {
  const { completion, shown } = read(text, { finishReason: 'length', cuts: [2] });
  expect(completion).toMatchObject({ outcome: 'truncated', answer: text, reasoning: null });
  expect(shown.answer).toBeUndefined();
  expect(read(text).completion.outcome).toBe('answer');
});

test('the thought beside an action in another form is kept, and further fields are reported', () => {
  expect(read(`{"thought": "T", "action": [${call}]}`)).toMatchObject({
    completion: { outcome: 'action', thought: 'T' },
    shown: { thought: 'T' },
  });
  expect(read(`{"reasoning": "R", "thought": "T", "action": ${call}}`)).toMatchObject({
    completion: { outcome: 'action', thought: 'T', discarded: [{ kind: 'text', chars: 3 }] },
    isWhole: false,
  });
});

test.each([
  `Sure! ${action}`,
  `\`\`\`json ${action}\`\`\``,
  `{${action}}`,
  `assistant: ${action}`,
  `<|channel|>final ${answer}`,
])('an object inside a line of other text never runs as an action, and the model gets advice: %s (rule: closing-fence)', (text) => {
  for (const cuts of [[1], [99]]) {
    const { completion } = read(text, { cuts });
    if (completion.outcome === 'answer') expect(completion.problem).toMatch(/^if you meant|holds neither/);
    else expect(completion.outcome).toBe('malformed_action');
  }
});

test('an action that is written as JSON text is decoded', () => {
  const text = JSON.stringify({ thought: 't', action: call });
  expect(read(text)).toMatchObject({
    completion: { outcome: 'action', thought: 't', action: { toolArgs: { path: 'a' } } },
    isWhole: false,
  });
});

test('the streamed thought of a refused reply is not repeated as the answer', () => {
  expect(read('{"thought": "I must', { finishReason: 'refusal' }).shown).toEqual({ thought: 'I must' });
});

test('an answer before `should_continue: false` is sent once that key arrives, in chunks of any size', () => {
  const observed = '{"thought": "t", "final_answer": "Line 3.", "should_continue": false}';
  for (const text of [observed, observed.replace('false', 'true')]) {
    const whole = read(text, { phase: 'observe' });
    expect(whole.shown).toEqual(text === observed ? { thought: 't', answer: 'Line 3.' } : { thought: 't' });
    expect(read(text, { phase: 'observe', cuts: [1] }).shown).toEqual(whole.shown);
  }
  expect(read(answer, { phase: 'observe' })).toMatchObject({
    completion: { answerLabelled: true },
    shown: { answer: 'Line 3.\nThen "b" 😀' },
  });
});

test.each([
  ['He said "hi" and left.', 'He said "hi" and left.'],
  ['He said "hi", and left.', 'He said "hi", and left.'],
  ['""b""', '""b""'],
  [`"a" ${'x'.repeat(300)} "b"!`, `"a" ${'x'.repeat(300)} "b"!`],
])('unescaped quotes in an answer lose no text: %s (rule: repairs)', (written, said) => {
  const text = `{"thought": "It was "so".", "final_answer": "${written}"}`;
  for (const cuts of [[1], [3], [99]])
    expect(read(text, { cuts })).toMatchObject({
      completion: { outcome: 'answer', thought: 'It was "so".', answer: said, repairs: ['inner_quotes'] },
      shown: { thought: 'It was "so".', answer: said },
      isWhole: false,
    });
});

test('null counts as absent in an object reply, and so does an empty answer beside an action', () => {
  expect(read('{"thought": "t", "action": null, "final_answer": "Done."}').completion).toMatchObject({
    outcome: 'answer',
    confidence: 'exact',
  });
  expect(
    read('{"thought": "t", "final_answer": "", "action": {"tool": "read_file", "args": {"path": "a"}}}')
      .completion,
  ).toMatchObject({ outcome: 'action', repairs: [] });
});

test('the first of two fields with the same key counts, and the duplicate is reported', () => {
  expect(read('{"thought": "a", "thought": "b", "final_answer": "x", "final_answer": "y"}')).toMatchObject({
    completion: { thought: 'a', answer: 'x', repairs: ['duplicate_key', 'second_outcome'] },
    shown: { thought: 'a', answer: 'x' },
  });
});

test('an answer cut by the output limit is returned in part; a cut action gives `truncated` and keeps the thought', () => {
  expect(read('{"thought": "t", "final_answer": "It is at \\u00', { finishReason: 'length' })).toMatchObject({
    completion: { outcome: 'answer', answer: 'It is at', thought: 't' },
    isWhole: false,
  });
  expect(
    read('{"thought": "t", "action": {"tool": "read_file", "args": {"pa', { finishReason: 'length' })
      .completion,
  ).toMatchObject({ outcome: 'truncated', thought: 't' });
  expect(read('{"thought": "I th', { finishReason: 'length' }).completion).toMatchObject({
    outcome: 'truncated',
    thought: 'I th',
  });
});

test('an incomplete action is malformed, but a complete action in an unclosed object runs', () => {
  expect(read('{"thought": "t", "action": {"tool": "read_file", "args": {"path"').completion).toMatchObject({
    outcome: 'malformed_action',
    thought: null,
  });
  expect(read(action.slice(0, -1)).completion).toMatchObject({
    outcome: 'action',
    repairs: ['missing_close'],
  });
});

test('an unknown tool and wrong arguments in an object reply are described for the model', () => {
  expect(read('{"thought": "t", "action": {"tool": "serch", "args": {}}}').completion).toMatchObject({
    outcome: 'unknown_tool',
    problem: expect.stringContaining('read_file'),
  });
  expect(read('{"thought": "t", "action": {"tool": "read_file", "args": {}}}').completion).toMatchObject({
    outcome: 'malformed_action',
    problem: expect.stringContaining('path'),
  });
});

test('an object with only a thought is read as an unlabelled answer, with advice about the missing keys', () => {
  expect(read('{"thought": "It is line 3."}').completion).toMatchObject({
    outcome: 'answer',
    answer: 'It is line 3.',
    thought: null,
    problem: 'the object holds neither "action" nor "final_answer"',
  });
});

test('an object with a thought and text under the key "answer" is read as that answer (rule: object-reply)', () => {
  const { completion, deltas } = read('{"thought": "It is simple.", "answer": "42"}');
  expect(completion).toMatchObject({
    outcome: 'answer',
    answer: '42',
    thought: 'It is simple.',
    problem: null,
  });
  expect(deltas).toEqual([
    { type: 'thought', delta: 'It is simple.' },
    { type: 'answer', delta: '42' },
  ]);
});

test('text under the key "answer" counts beside an empty `final_answer`, and the first of two counts (rule: object-reply)', () => {
  expect(read('{"thought": "x", "final_answer": "", "answer": "One."}')).toMatchObject({
    completion: { outcome: 'answer', thought: 'x', answer: 'One.', discarded: [], problem: null },
    shown: { answer: 'One.' },
  });
  expect(read('{"thought": "x", "answer": "One.", "answer": "Two."}').completion).toMatchObject({
    outcome: 'answer',
    answer: 'One.',
    repairs: ['unlabelled_answer', 'duplicate_key'],
    discarded: [{ kind: 'text', chars: 6 }],
  });
});

test('a thought that is no text is reported as discarded (rule: object-reply)', () => {
  expect(
    read(`{"thought": {"text": "x"}, ${action.slice(action.indexOf('"action"'))}`).completion,
  ).toMatchObject({
    outcome: 'action',
    thought: null,
    discarded: [{ kind: 'thought', chars: 13 }],
  });
});

test.each([
  '{"action": null}',
  '{"final_answer": null}',
  '{"thought": ["x"]}',
])('an object without an action, an answer or a thought costs a correction: %s (rule: object-reply)', (text) => {
  expect(read(text).completion).toMatchObject({
    outcome: 'answer',
    answer: text,
    problem: 'the object holds neither "action" nor "final_answer"',
  });
});

test.each([
  ['in typographic quotes', action.replaceAll('"', '”')],
  ['as the text of its JSON', JSON.stringify(action)],
])('an object %s is an answer with a correction (rule: object-reply)', (_, text) => {
  expect(read(text).completion).toMatchObject({
    outcome: 'answer',
    problem: expect.stringContaining('by itself'),
  });
});

test('an answer that equals its thought is streamed too', () => {
  expect(read('{"thought": "42", "answer": "42"}').shown).toEqual({ thought: '42', answer: '42' });
});

test.each([
  '{"thought": "It is simple.", "result": "42"}',
  '{"thought": "It is simple.", "answer": {"value": 42}}',
  '{"thought": "It is simple.", "answer": "42", "sources": ["a"]}',
])('an object with a thought and keys of its own is the answer as a whole, with advice: %s', (text) => {
  expect(read(text).completion).toMatchObject({
    outcome: 'answer',
    answer: text,
    thought: 'It is simple.',
    problem: 'the object holds neither "action" nor "final_answer"',
  });
});

test.each([
  ['Thought: t\nAction: read_file(path="a")', 'action'],
  ['Final Answer: {"thought": "x", "final_answer": "y"}', 'answer'],
  ['{"action": "Final Answer", "action_input": "Done."}', 'answer'],
  ['{"action": "read_file", "action_input": {"path": "a"}}', 'action'],
  ['Just words.', 'answer'],
  ['', 'empty'],
])('text that is not an object reply is parsed as any other reply: %s', (text, outcome) => {
  expect(read(text).completion.outcome).toBe(outcome);
});

test('a control object that ends a phase is returned to the phase unparsed, and its thought is streamed', () => {
  const text =
    '{"thought": "Nearly.", "observation": "o", "should_continue": false, "final_answer": "Line 3."}';
  expect(read(text, { phase: 'observe' })).toMatchObject({
    completion: { outcome: 'answer', answer: text },
    shown: { thought: 'Nearly.', answer: 'Line 3.' },
  });
  const on = text.replace('false', 'true');
  expect(read(on, { phase: 'observe' }).shown).toEqual({ thought: 'Nearly.' });
});

test('a control object cut by the output limit gives the outcome `truncated`, unless it has a partial answer (rule: billed-outcomes)', () => {
  const finishReason = 'length';
  expect(
    read('{"thought": "I plan.", "plan": "first re', { phase: 'reason', finishReason }).completion,
  ).toMatchObject({ outcome: 'truncated', thought: 'I plan.' });
  const answering =
    '{"thought": "Nearly.", "observation": "o", "should_continue": false, "final_answer": "Line 3, and';
  expect(read(answering, { phase: 'observe', finishReason })).toMatchObject({
    completion: { outcome: 'answer', answer: 'Line 3, and', thought: 'Nearly.', answerLabelled: true },
    shown: { thought: 'Nearly.', answer: 'Line 3, and' },
  });
  expect(
    read(answering.replace('false', 'true'), { phase: 'observe', finishReason }).completion,
  ).toMatchObject({ outcome: 'truncated', thought: 'Nearly.' });
});

test('at most half a million characters before an object, or after an example, are read at once (rule: object-reply)', () => {
  const readsObject = (text: string): boolean => {
    const reader = readerFor();
    reader.push(text);
    return reader.readsObject;
  };
  const half = 'Look.\n'.repeat(2 ** 19 / 6);
  expect(readsObject(`${half}\n${action}`)).toBe(true);
  expect(readsObject(`${half}more\n${action}`)).toBe(false);
  const late = `${half}more\n${action}`;
  expect(read(late).completion).toMatchObject({
    outcome: 'answer',
    answer: late,
    problem: expect.any(String),
  });
  const call = '\nAction: read_file(path="b.ts")';
  expect(read(`${action}\n${half.slice(call.length)}${call}`).completion.action?.toolArgs).toEqual({
    path: 'b.ts',
  });
  const long = `${action}\n${half}more${call}`;
  expect(read(long).completion).toMatchObject({ outcome: 'answer', answer: long, action: null });
});

test.each([
  ['fields', (n: number) => `{${'"plan":1,'.repeat(n)}"final_answer": "${'x'.repeat(n)}"}`],
  ['nesting', (n: number) => `{"thought": ${'['.repeat(n)}${'"a",'.repeat(n)}`],
  ['object starts', (n: number) => '{"thought":\n{"thought":\n'.repeat(n)],
])('work on a long object reply of %s is linear, whether the reply is read whole or streamed (rule: linear-work)', (_, write) => {
  const looksAt = (n: number, cut: number): number => countLooks(() => read(write(n), { cuts: [cut] }));
  for (const cut of [2 ** 20, 64]) expect(looksAt(8_000, cut)).toBeLessThan(5 * looksAt(2_000, cut));
  const text = write(8_000);
  expect(read(text, { cuts: [64] }).completion.outcome).toBe(read(text).completion.outcome);
});

const word = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.constantFrom('{"thought":', 'Action: f(', '</think>', '😀', '\\', '"', '\n'),
);
const fieldText = fc.record({
  key: fc.constantFrom('thought', 'final_answer', 'action', 'plan', 'should_continue', 'step'),
  value: fc.oneof(
    word,
    fc.constant(null),
    fc.record({ tool: fc.constantFrom('read_file', 'x'), args: fc.record({ path: word }) }),
    fc.record({ final_answer: word }),
    fc.record({ final_answer: word, tool: fc.constantFrom('read_file', 'none') }),
    fc.constantFrom<unknown>('none', '', [], {}, false, 0, ['a'], { tool: null }, { tool: 'No tool' }),
  ),
});
const replyText = fc
  .record({
    before: fc.constantFrom(
      '',
      '',
      'Sure.\n',
      '```json\n',
      '<think>x</think>',
      ' \n',
      'a > b\n',
      'Thought: x\n',
      '<p>x</p>\n',
      'x:\n```\na\n```\n',
      '```\na\n```\n\n',
      '{"a": 1}\n',
      '\u200b',
    ),
    fields: fc.array(fieldText, { maxLength: 4 }),
    after: fc.constantFrom(
      '',
      '',
      '\n```',
      ' bye',
      '}',
      '\n---',
      `\n${answer}`,
      '\nbye\nFinal Answer: 1',
      '\nObservation: x',
    ),
    cut: fc.option(fc.nat(80)),
    isCareless: fc.boolean(),
  })
  .map(({ before, fields, after, cut, isCareless }) => {
    const object = `{${fields.map(({ key, value }) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(', ')}}`;
    const text = before + (isCareless ? object.replaceAll('\\"', '"') : object) + after;
    return cut === null ? text : text.slice(0, cut);
  });

test('an object reply in chunks of any size has the same deltas and result', () => {
  fc.assert(
    fc.property(
      replyText,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('stop', 'length'),
      fc.option(fc.constantFrom('reason', 'observe'), { nil: undefined }),
      (text, cuts, finishReason, phase) => {
        const whole = read(text, { finishReason, phase });
        const pieces = read(text, { finishReason, phase, cuts });
        expect(pieces.completion).toEqual(whole.completion);
        expect(pieces.shown).toEqual(whole.shown);
      },
    ),
    { numRuns: 1500 },
  );
});

test('the deltas of an object reply equal its result, except if it turns out to be text or unreadable (rule: deltas-join)', () => {
  fc.assert(
    fc.property(
      replyText,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('stop', 'length'),
      (text, cuts, finishReason) => {
        const { completion, shown } = read(text, { cuts, finishReason });
        const { outcome, thought, answer, answerLabelled } = completion;
        const said = (shown.draft ?? '') + (shown.thought ?? '');
        if (outcome === 'action' || answerLabelled || outcome === 'truncated' || outcome === 'empty') {
          expect(said).toBe(thought ?? '');
          expect(shown.answer ?? '').toBe(outcome === 'truncated' ? '' : (answer ?? ''));
        }
      },
    ),
    { numRuns: 1500 },
  );
});

test.each([
  ['prose before the object', (n: number) => `${'word word word\n'.repeat(n)}${action}`],
  [
    'objects that only look like the start of the reply',
    (n: number) => `${`${'word\n'.repeat(n)}<think>\n{"thought": 1}\n</think>\n`.repeat(3)}${action}`,
  ],
  ['objects before it', (n: number) => `${'{"a": 1}\n'.repeat(n)}${action}`],
  ['objects after it', (n: number) => action + '\n{}'.repeat(n)],
  ['chat tokens after it', (n: number) => action + '</s>'.repeat(n)],
  ['lines after it', (n: number) => `${action}\nObservation: x${'\nab'.repeat(n)}`],
  ['fields', (n: number) => `{${'"k": 1, '.repeat(n)}"final_answer": "x"}`],
])('work on a long object reply is linear: %s (rule: linear-work)', (_, write) => {
  const looksAt = (n: number, size: number) =>
    countLooks(() => {
      const reader = readerFor();
      const text = write(n);
      for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
      reader.end();
      expect(reader.readsObject).toBe(true);
    });
  for (const size of [2 ** 20, 64]) expect(looksAt(8_000, size)).toBeLessThan(5 * looksAt(2_000, size));
});

test('only the first 64 action and answer fields of an object are read, and empty ones are not reported as discarded', () => {
  const after = (silent: number) =>
    read(`{${'"action": {}, '.repeat(silent)}"final_answer": "x"}`).completion;
  expect(after(63)).toMatchObject({ outcome: 'answer', answer: 'x', discarded: [] });
  expect(after(64).answer).not.toBe('x');
  expect(after(64).discarded).toContainEqual({ kind: 'answer', chars: 3 });
});

test('a long answer in chunks of seven characters keeps all text, white space included', () => {
  const said = `${'ab  cd \n'.repeat(30_000)}end`;
  const { completion, shown } = read(JSON.stringify({ thought: 't', final_answer: said }), { cuts: [7] });
  expect(completion.answer === said && shown.answer === said).toBe(true);
});

test('a missing comma before a reply key is repaired, in chunks of any size (rule: repairs)', () => {
  for (const cuts of [[1], [3], [99]]) {
    expect(read(`{"thought": "t"\n"action": ${call} "final_answer": ""}`, { cuts })).toMatchObject({
      completion: { outcome: 'action', thought: 't', repairs: ['missing_comma'] },
      isWhole: false,
    });
    expect(read('{"thought": "t" "final_answer": "x"}', { cuts })).toMatchObject({
      completion: { outcome: 'answer', answer: 'x' },
      shown: { thought: 't', answer: 'x' },
    });
  }
});

test.each([
  ['a phrase with "no action"', '"action": "No action needed.", "final_answer": "hello"'],
  ['a phrase with "nothing"', '"action": "Nothing to do", "final_answer": "hello"'],
  ['a number', '"action": 0, "final_answer": "hello"'],
  ['a list that holds only null', '"action": [null], "final_answer": "hello"'],
  ['arguments without a tool', '"action": {"args": {}}, "final_answer": "hello"'],
  ['the tool name "No tool"', '"action": {"tool": "No tool", "args": {}}, "final_answer": "hello"'],
])('an action that names no offered tool is ignored beside an answer: %s (rule: object-reply)', (_, fields) => {
  for (const cuts of [[1], [99]])
    expect(read(`{"thought": "t", ${fields}}`, { cuts })).toMatchObject({
      completion: { outcome: 'answer', answer: 'hello', thought: 't' },
      shown: { thought: 't', answer: 'hello' },
    });
});

test.each([
  '"final_answer": ["a", "b"]',
  '"action": {"final_answer": ["a", "b"]}',
])('a list under an answer key becomes the answer as JSON text: %s', (field) => {
  const { completion, shown } = read(`{"thought": "t", ${field}}`, { cuts: [1] });
  expect(completion).toMatchObject({ outcome: 'answer', thought: 't', answerLabelled: true });
  expect(JSON.parse(completion.answer ?? '')).toEqual(['a', 'b']);
  expect(shown.answer).toBe(completion.answer);
});

test('an answer under `action` that the output limit cut off is returned as far as it was written', () => {
  const text = '{"should_continue": false, "action": {"final_answer": "rea';
  for (const cuts of [[1], [99]])
    expect(read(text, { phase: 'observe', finishReason: 'length', cuts })).toMatchObject({
      completion: { outcome: 'answer', answer: 'rea' },
      shown: { answer: 'rea' },
    });
});

test('a second `action` with a tool does not replace a first one without, so the answer counts (rule: object-reply)', () => {
  const text = `{"thought": "t", "action": {"tool": null}, "final_answer": "a", "action": ${call}}`;
  for (const cuts of [[1], [99]])
    expect(read(text, { cuts })).toMatchObject({ completion: { answer: 'a' }, shown: { answer: 'a' } });
});

test('an answer under `action` counts if `should_continue` is false, and is not streamed if it is true (rule: phase-control)', () => {
  const text = '{"thought": "x", "action": {"final_answer": "real"}, "should_continue": false}';
  for (const cuts of [[1], [99]]) {
    expect(read(text, { phase: 'observe', cuts })).toMatchObject({
      completion: { outcome: 'answer', answer: 'real', thought: 'x', answerLabelled: true },
      shown: { thought: 'x', answer: 'real' },
    });
    const on = read(text.replace('false', 'true'), { phase: 'observe', cuts });
    expect(on.shown).toEqual({ thought: 'x' });
  }
});

test.each([
  ['no thought', '{"final_answer": "x"}'],
  ['a thought that is a number', '{"thought": 42, "final_answer": "x"}'],
  ['an answer that is a number', '{"thought": "t", "final_answer": 42}'],
  ['an action without arguments', '{"thought": "t", "action": {"tool": "read_file"}}'],
  ['a comma at the end', '{"thought": "t", "final_answer": "x",}'],
  ['quotes of another language', `{"thought": "t", "action": {"tool": "read_file", "args": {'path': 'a'}}}`],
])('a reply that violates the schema is reported as not constrained by it: %s (rule: constrained-confidence)', (_, text) => {
  expect(read(text).isWhole).toBe(false);
});

test('an answer is reported as constrained by the schema only under the key that the schema uses', () => {
  const nested = '{"thought": "t", "action": {"final_answer": "x"}}';
  const isWhole = (text: string, answerKey: ReaderOptions['answerKey']) => {
    const reader = new ObjectReplyReader({
      tools,
      phase: undefined,
      answerKey,
      restoreArguments: (__, value) => value,
    });
    reader.push(text);
    return reader.end().isWhole;
  };
  expect([isWhole(answer, 'action'), isWhole(answer, 'final_answer')]).toEqual([false, true]);
  expect([isWhole(nested, 'action'), isWhole(nested, 'final_answer')]).toEqual([true, false]);
});

test.each([
  ['JSON', '{"note": "x"}\n'],
  ['fenced text', '```\nls -l\n```\n'],
])('text before the object of a reply is streamed as the thought: %s (rule: deltas-join)', (_, before) => {
  for (const cuts of [[1], [99]]) {
    const { completion, shown } = read(`${before}{"thought": "b", "final_answer": "c"}`, { cuts });
    expect((shown.draft ?? '') + (shown.thought ?? '')).toBe(completion.thought);
    expect(completion).toMatchObject({ outcome: 'answer', answer: 'c' });
  }
});

test.each([
  '}',
  ';',
  '\n---',
  '\n</tool_call>',
  '\u200b',
  '\n```\n}',
])('stray punctuation or a stray tag after an action does not count as prose: %j', (mark) => {
  expect(read(action + mark).completion.outcome).toBe('action');
});

test('an action between prose and an object with an answer does not run', () => {
  for (const cuts of [[1], [99]])
    expect(read(`An example:\n${action}\n\n${answer}`, { cuts }).completion).toMatchObject({
      outcome: 'answer',
      action: null,
      answer: 'Line 3.\nThen "b" 😀',
      discarded: [{ kind: 'action' }],
    });
});

const plain = '{"thought":"b","final_answer":"c"}';
test.each([
  ['a line that ends in a tag', '<p>Hello</p>\n\n'],
  ['a tag in a line', 'I set <b>x</b>\n'],
  ['a thought in a tag', '<thought>hm</thought>\n'],
  ['no tag at all', 'if a<b and c>\n'],
  ['chat tokens', '<|channel|>final<|message|>\n'],
  ['a file that the model repeats', '<file path="log" mark="ab12cd34">\nx\n</file ab12cd34>\n'],
  ['a fence that is closed', 'The file says:\n```\nx = 1\n```\n'],
  ['a fence that is closed, and an empty line', 'The file says:\n```python\nx = 1\n```\n\n'],
  ['an object of another kind', 'Config:\n{"a": {"b": 1}}\n'],
  ['an invisible character', '\u200b'],
])('the object of a reply is found after %s (rule: object-reply)', (_, before) => {
  for (const cuts of [[1], [7], [999]]) {
    const { completion, shown } = read(before + plain, { cuts });
    expect(completion).toMatchObject({ outcome: 'answer', answer: 'c', answerLabelled: true });
    expect(completion.thought).toMatch(/b$/);
    expect((shown.draft ?? '') + (shown.thought ?? '')).toBe(completion.thought);
  }
});

test.each([
  '{"step": 1, "thought": "b", "final_answer": "c"}',
  '{"analysis": {"thought": "no"}, "thought": "b", "final_answer": "c"}',
  '```json\n{"status": ["done"], "thought": "b", "final_answer": "c"}\n```',
  '{"Thought": "b", "Final_Answer": "c"}',
  '{"thought": "b", "Final Answer": "c"}',
])('an object with a reply key anywhere at its top level is read as the reply: %s (rule: object-reply)', (text) => {
  for (const cuts of [[1], [7], [999]])
    expect(read(text, { cuts })).toMatchObject({
      completion: { outcome: 'answer', thought: 'b', answer: 'c' },
      shown: { thought: 'b', answer: 'c' },
      isWhole: false,
    });
});

test('an object without a reply key is read as text, and so is an object inside an open quotation', () => {
  const other = '{"name": "x", "plan": {"thought": 1}}';
  expect(read(other, { cuts: [1] })).toMatchObject({ completion: { outcome: 'answer', answer: other } });
  const open = `<file path="a" mark="ab12cd34">\n${plain}`;
  expect(read(open).completion).toMatchObject({ answerLabelled: false, problem: null });
});
