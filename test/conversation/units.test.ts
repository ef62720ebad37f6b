import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Turn } from '../../src/contract/history.js';
import { callsOf, readUnits, turnsOf } from '../../src/conversation/units.js';

const user = (content: string): Turn => ({ role: 'user', content });
const call = (name: string, id?: string, content = ''): Turn => ({
  role: 'assistant',
  content,
  toolCall: { name, parameters: {}, ...(id && { id }) },
});
const observation = (content: string, toolCallId?: string): Turn => ({
  role: 'tool_observation',
  content,
  ...(toolCallId && { toolCallId }),
});

const observed = (history: Turn[]) =>
  callsOf(readUnits(history)).map(({ name, id, observation: seen }) => [name, id, seen?.text]);

test('readUnits pairs an observation with the call of its id (rule: pairing)', () => {
  const history = [
    call('a', 'x', 'first'),
    call('b', 'y', 'second'),
    observation('of b', 'y'),
    observation('of a', 'x'),
  ];
  expect(observed(history)).toEqual([
    ['a', 'x', 'of a'],
    ['b', 'y', 'of b'],
  ]);
});

test('readUnits pairs an observation without a known id with the oldest open call (rule: pairing)', () => {
  const history = [
    call('a', 'x', 'first'),
    call('b', 'y', 'second'),
    observation('1'),
    observation('2', 'unknown'),
  ];
  expect(observed(history)).toEqual([
    ['a', 'x', '1'],
    ['b', 'y', '2'],
  ]);
});

test('readUnits gives each call without an id a number, counted from the start, and never repeats an id (rule: call-ids)', () => {
  const history = [
    call('a', undefined, 't'),
    call('b', 'call_3', 't'),
    call('c', undefined, 't'),
    call('d', undefined, 't'),
  ];
  expect(observed(history).map(([, id]) => id)).toEqual(['call_1', 'call_3', 'call_4', 'call_5']);
});

test('readUnits replaces a repeated call id, so that every call has its own (rule: call-ids)', () => {
  expect(
    observed([call('a', 'x', 't'), observation('1', 'x'), call('b', 'x', 't')]).map(([, id]) => id),
  ).toEqual(['x', 'call_2']);
});

test.each([
  ['a call without an id', [call('a'), call('b', 'call_1')]],
  [
    'a call with a repeated id',
    [call('z', 'x'), observation('of z', 'x'), call('a', 'x'), call('b', 'call_2')],
  ],
])('readUnits pairs an observation with the call that was sent with its id, not with one that the service gave the same id: %s (rule: pairing)', (_case, calls) => {
  const id = calls.find(({ toolCall }) => toolCall?.name === 'b')?.toolCall?.id;
  const seen = observed([...calls, observation('of b', id), observation('of a')]);
  expect(seen.find(([name]) => name === 'b')?.[2]).toBe('of b');
  expect(seen.find(([name]) => name === 'a')?.[2]).toBe('of a');
});

test('readUnits pairs an observation with the call that was given its id, once no open call was sent with it (rule: pairing)', () => {
  const history = [
    call('a'),
    call('b', 'call_1'),
    observation('of b', 'call_1'),
    observation('of a', 'call_1'),
  ];
  expect(observed(history).map(([name, , text]) => [name, text])).toEqual([
    ['a', 'of a'],
    ['b', 'of b'],
  ]);
});

test('readUnits groups the actions of one step into one unit (rule: units)', () => {
  const history = [
    call('a', '1', 'why'),
    call('b', '2'),
    observation('x', '1'),
    observation('y', '2'),
    call('c', '3'),
  ];
  expect(readUnits(history).map(turnsOf)).toEqual([[0, 1, 2, 3], [4]]);
});

test('readUnits makes an observation without any call a unit of its own (rule: pairing)', () => {
  expect(readUnits([observation('lost')])).toMatchObject([
    { type: 'stray_observation', observation: { text: 'lost' } },
  ]);
});

test('an observation of readUnits has its content, else its result as JSON, else its error (rule: observation-text)', () => {
  const texts = [
    { content: 'seen', toolResult: { success: true, result: 'ignored' } },
    { content: '', toolResult: { success: true, result: { a: [1] } } },
    { content: '', toolResult: { success: true, result: 'text' } },
    { content: '', toolResult: { success: false, error: 'gone' } },
    { content: '', toolResult: { success: true, result: null, error: null } },
  ].map((turn) => readUnits([{ role: 'tool_observation', ...turn } as Turn]));
  expect(texts.map(([unit]) => unit?.type === 'stray_observation' && unit.observation.text)).toEqual([
    'seen',
    '{"a":[1]}',
    'text',
    'gone',
    '',
  ]);
});

test('readUnits marks a query as a task, but not a notice (rule: task-turn)', () => {
  const units = readUnits([{ ...user('careful'), kind: 'notice' }, user('do it')]);
  expect(units.map((unit) => unit.type === 'user' && unit.isTask)).toEqual([false, true]);
});

test('readUnits puts every non-empty turn of any history into exactly one unit', () => {
  const turn = fc.oneof(
    fc
      .string()
      .filter((text) => text.trim() !== '')
      .map(user),
    fc
      .record({
        name: fc.constantFrom('a', 'b'),
        id: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
        thought: fc.constantFrom('', 't'),
      })
      .map(({ name, id, thought }) => call(name, id, thought)),
    fc
      .record({ id: fc.option(fc.constantFrom('1', '2', '9'), { nil: undefined }) })
      .map(({ id }) => observation('seen', id)),
    fc.constant<Turn>({ role: 'assistant', content: 'answer' }),
  );
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 40 }), (history) => {
      const indexes = readUnits(history)
        .flatMap(turnsOf)
        .sort((a, b) => a - b);
      expect(indexes).toEqual(history.map((_, index) => index));
    }),
  );
});
