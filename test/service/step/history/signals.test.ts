import { expect, test } from '@jest/globals';
import { advise, countSignals } from '../../../../src/service/step/history/signals.js';
import type { SignalCall } from '../../../../src/service/step/types.js';

const call = (name: string, parameters: Record<string, unknown> = {}): SignalCall => ({ name, parameters });
const result = (name: string, flags: { isError?: boolean; isDenied?: boolean } = {}): SignalCall => ({
  ...call(name),
  observation: { isError: false, isDenied: false, ...flags },
});

test('repeated calls of a tool with the same arguments are counted, whatever the order of the keys (rule: signals)', () => {
  const calls = [
    call('x'),
    call('read', { a: 1, b: { c: 2, d: 3 } }),
    call('read', { b: { d: 3, c: 2 }, a: 1 }),
  ];
  expect(countSignals(calls, []).repeated_action).toBe(2);
  expect(countSignals([...calls, call('read', { a: 2 })], []).repeated_action).toBe(0);
});

test('repeated cycles of two and of three calls are counted (rule: signals)', () => {
  const two = ['a', 'b', 'a', 'b', 'a', 'b'].map((name) => call(name));
  const three = ['x', 'a', 'b', 'c', 'a', 'b', 'c'].map((name) => call(name));
  expect(countSignals(two, []).repeated_cycle).toBe(3);
  expect(countSignals(three, []).repeated_cycle).toBe(2);
  expect(countSignals([call('a'), call('a'), call('a'), call('a')], []).repeated_cycle).toBe(0);
});

test('consecutive read-only calls are recognised by the tool’s annotation, otherwise by its name (rule: signals)', () => {
  const calls = ['write_file', 'read_file', 'code_search', 'fs.list', 'viewer', 'showPage'].map((name) =>
    call(name),
  );
  expect(countSignals(calls, []).consecutive_read_only).toBe(1);
  const tools = [{ name: 'viewer', inputSchema: {}, annotations: { readOnlyHint: true } }];
  expect(countSignals(calls, tools).consecutive_read_only).toBe(5);
});

test('denied calls neither count as consecutive errors nor end the sequence (rule: signals)', () => {
  const calls = [
    result('a'),
    result('b', { isError: true }),
    result('c', { isError: true, isDenied: true }),
    result('d', { isError: true }),
  ];
  expect(countSignals(calls, []).consecutive_errors).toBe(2);
  expect(countSignals([...calls, result('e')], []).consecutive_errors).toBe(0);
});

test('advice is given at three repeats, three cycles, three errors and every fifth read, and not otherwise (rule: advice)', () => {
  const quiet = { repeated_action: 0, repeated_cycle: 0, consecutive_read_only: 0, consecutive_errors: 0 };
  expect(advise(quiet)).toBeUndefined();
  expect(advise({ ...quiet, repeated_action: 2 })).toBeUndefined();
  expect(advise({ ...quiet, repeated_action: 3 })).toMatch(/same call was made 3 times/);
  expect(advise({ ...quiet, repeated_cycle: 2 })).toBeUndefined();
  expect(advise({ ...quiet, repeated_cycle: 3 })).toMatch(/in turn 3 times/);
  expect(advise({ ...quiet, consecutive_errors: 2 })).toBeUndefined();
  expect(advise({ ...quiet, consecutive_errors: 3 })).toMatch(/3 calls failed/);
  expect(
    [4, 5, 6, 10].map((reads) => advise({ ...quiet, consecutive_read_only: reads }) !== undefined),
  ).toEqual([false, true, false, true]);
});
