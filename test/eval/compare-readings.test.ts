import { expect, test } from '@jest/globals';
import { type Comparisons, compareReadings } from '../../src/eval/compare-readings.js';
import type { Reading } from '../../src/eval/eval-report.js';

const action: Reading = {
  outcome: 'action',
  calls: [{ tool: 'read', args: { path: 'a', line: 1 } }],
  thought: null,
  answer: null,
  value: null,
  promptTokens: 1_000,
  inputTokens: null,
  outputTokens: null,
  leftOut: [],
};
const answer: Reading = { ...action, outcome: 'answer', calls: [], answer: 'In  a.ts, line 3.' };
const all: Comparisons = {
  outcome: 'same',
  tool: 'same',
  arguments: 'same',
  answer: 'exact',
  tokens: 0.1,
  leftOut: 'same',
};
const answered = (rule: Comparisons['answer'], now: Partial<Reading>, recorded: Reading = answer) =>
  compareReadings(recorded, { ...answer, ...now }, { ...all, answer: rule });

test.each<[string, Reading, Partial<Reading>, readonly string[]]>([
  ['another outcome hides the rest', action, answer, ['outcome']],
  ['another tool hides its arguments', action, { calls: [{ tool: 'list', args: {} }] }, ['tool']],
  ['another argument', action, { calls: [{ tool: 'read', args: { path: 'b', line: 1 } }] }, ['arguments']],
  [
    'another order of arguments is the same',
    action,
    { calls: [{ tool: 'read', args: { line: 1, path: 'a' } }] },
    [],
  ],
  ['a further call', action, { calls: [...action.calls, ...action.calls] }, ['tool']],
  ['a prompt within the tolerance', action, { promptTokens: 1_100 }, []],
  ['a prompt beyond the tolerance', action, { promptTokens: 1_101 }, ['tokens']],
  ['a smaller prompt', action, { promptTokens: 1 }, []],
  ['another item is left out', action, { leftOut: ['turn 1 dropped'] }, ['leftOut']],
])('the fields in which a step differs from the recorded one are found: %s (rule: compared-fields)', (_name, recorded, now, differs) => {
  expect(compareReadings(recorded, { ...recorded, ...now }, all)).toEqual(differs);
});

test('ignored fields never differ (rule: compared-fields)', () => {
  const ignored: Comparisons = {
    outcome: 'ignore',
    tool: 'ignore',
    arguments: 'ignore',
    answer: 'ignore',
    tokens: 'ignore',
    leftOut: 'ignore',
  };
  const now = { ...answer, promptTokens: 9_999, leftOut: ['x'] };
  expect(compareReadings(action, now, ignored)).toEqual([]);
});

test('answers are compared exactly, by a contained text, or by a schema (rule: compared-fields)', () => {
  expect(answered('exact', { answer: ' In  a.ts, line 3.\n' })).toEqual([]);
  expect(answered('exact', { answer: 'In a.ts' })).toEqual(['answer']);
  expect(answered('contains', { answer: 'It is in A.ts, line 3. Good.' })).toEqual([]);
  expect(answered('contains', { answer: 'It is in b.ts.' })).toEqual(['answer']);
  expect(answered({ contains: ['a.ts', '3'] }, { answer: 'Line 3 of a.ts' })).toEqual([]);
  expect(answered({ contains: ['a.ts', '4'] }, { answer: 'Line 3 of a.ts' })).toEqual(['answer']);
  const schema = { type: 'object', required: ['line'] };
  expect(answered({ schema }, { answer: '{"line": 3}' })).toEqual([]);
  expect(answered({ schema }, { answer: '{"lines": 3}' })).toEqual(['answer']);
  expect(answered({ schema }, { answer: 'line 3' })).toEqual(['answer']);
});

test('typed answers are compared as JSON, and null does not fit the schema of the step (rule: compared-fields)', () => {
  const typed = { ...answer, value: { a: 1, b: 2 } };
  expect(answered('exact', { answer: 'other words', value: { b: 2, a: 1 } }, typed)).toEqual([]);
  expect(answered('exact', { value: { a: 1 } }, typed)).toEqual(['answer']);
  expect(answered('schema', { value: { a: 7 } }, typed)).toEqual([]);
  expect(answered('schema', { value: null }, typed)).toEqual(['answer']);
});
