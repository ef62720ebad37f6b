import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderCall } from '../../src/conversation/call-text.js';
import { observationText, resultText } from '../../src/conversation/observation-text.js';
import { oneLine, renderTasks, taskLegend } from '../../src/conversation/task-list.js';
import { readUnits } from '../../src/conversation/units.js';

test('observationText returns the content, else the result, else the error (rule: observation-text)', () => {
  const toolResult = { success: true, result: { rows: 2 }, error: 'late' };
  expect(observationText({ content: 'two rows', toolResult })).toBe('two rows');
  expect(observationText({ content: '', toolResult })).toBe('{"rows":2}');
  expect(observationText({ content: '', toolResult: { ...toolResult, result: 'two' } })).toBe('two');
  expect(observationText({ content: '', toolResult: { ...toolResult, result: null } })).toBe('late');
  expect(observationText({ content: '' })).toBe('');
});

test('resultText returns a text for cycles, big integers and values that JSON lacks (rule: observation-text)', () => {
  const shared = { deep: 1n };
  const cycle: Record<string, unknown> = { first: shared, second: shared };
  cycle['self'] = cycle;
  expect(resultText(cycle)).toBe(
    '{"first":{"deep":"1"},"second":{"deep":"1"},"self":"(the same object again)"}',
  );
  expect(resultText([9n])).toBe('["9"]');
  expect(resultText(Symbol.for('x'))).toBe('Symbol(x)');
});

test('readUnits treats null in a turn like an absent field (rule: null-is-absent)', () => {
  const [unit] = readUnits([{ role: 'user', content: 'Go', kind: null }]);
  expect(unit).toMatchObject({ type: 'user', isTask: true });
});

test('renderTasks writes each task on one line with a status mark that taskLegend explains (rule: client-tools)', () => {
  const tasks = [
    { id: 1, content: 'read\n the file', status: 'completed' as const },
    { id: 2, content: 'mend it', status: 'in_progress' as const },
    { id: 3, content: 'tell', status: 'todo' as const },
  ];
  expect(renderTasks(tasks)).toBe('[x] 1. read the file\n[-] 2. mend it\n[ ] 3. tell');
  expect(taskLegend).toBe('[ ] to do, [-] in progress, [x] completed');
  expect(renderTasks([])).toBe('');
});

test('oneLine replaces each run of white space in a text by one space (rule: client-tools)', () => {
  const characters = fc.constantFrom('a', ' ', '\n', '\t', '\r', '\u00a0');
  fc.assert(
    fc.property(fc.string({ unit: characters }), (text) => {
      expect(oneLine(text)).toBe(text.replaceAll(/\s+/g, ' '));
    }),
  );
});

test('renderCall writes a call as the prompt teaches it and quotes keys that are not identifiers (rule: call-rendering)', () => {
  expect(renderCall('read_file', { path: 'a "b"', 'max-lines': 3, none: undefined })).toBe(
    'read_file(path="a \\"b\\"", "max-lines"=3, none=null)',
  );
});
