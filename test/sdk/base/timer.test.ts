import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { startTimer } from '../../../src/sdk/base/timer.js';
import { done, finish, lookUp, lookUpCall } from '../../support/run-harness.js';

describe('time limits (rule: run-options)', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test.each([
    5,
    2 ** 31 - 1,
    2 ** 31,
    3 * 2 ** 31,
  ])('startTimer fires after %d ms, even if setTimeout does not support that delay', (milliseconds) => {
    jest.useFakeTimers();
    const ring = jest.fn();
    startTimer(milliseconds, ring);
    jest.advanceTimersByTime(milliseconds - 1);
    expect(ring).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  test('a cancelled timer never fires, and a limit of Infinity starts no timer', () => {
    jest.useFakeTimers();
    const ring = jest.fn();
    const clear = startTimer(2 ** 32, ring);
    jest.advanceTimersByTime(2 ** 31);
    clear();
    startTimer(Infinity, ring);
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(2 ** 32);
    expect(ring).not.toHaveBeenCalled();
  });

  const later = <Value>(value: Value) => new Promise<Value>((resolve) => setTimeout(resolve, 30, value));

  test.each([
    2 ** 31,
    Infinity,
  ])('a time limit of %d ms for tools and questions does not end them early', async (limit) => {
    const question = { call: { name: 'request_input', args: { question: 'Which shop?' } } };
    const { result, types } = await finish([lookUpCall(), question, done], {
      tools: [{ ...lookUp, execute: () => later('slow but there') }],
      onInputRequest: () => later('The first.'),
      toolTimeoutMs: limit,
      inputTimeoutMs: limit,
    });
    const observations = result.history.filter(({ role }) => role === 'tool_observation');
    expect(observations.map(({ content }) => content)).toEqual(['slow but there', 'The first.']);
    expect(types).not.toContain('agent_request_input_timeout');
    expect(result.stopReason).toBe('answered');
  });

  test.each([
    NaN,
    -1,
  ])('a tool with the time limit %d fails with an error and does not run', async (timeoutMs) => {
    const { result } = await finish([lookUpCall(), done], { tools: [{ ...lookUp, timeoutMs }] });
    expect(result.history.find(({ role }) => role === 'tool_observation')?.content).toBe(
      `A time limit must be a number of milliseconds (0 or more, or Infinity for no limit), not ${timeoutMs}.`,
    );
  });
});
