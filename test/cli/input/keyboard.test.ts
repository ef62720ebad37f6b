import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { Keyboard } from '../../../src/cli/input/keyboard.js';
import { until } from '../../support/until.js';

test('waiting for the end of a draft keeps one abort listener, however many keys are typed', async () => {
  const input = new PassThrough() as unknown as NodeJS.ReadStream; // a stream that is no terminal
  const keyboard = new Keyboard(input, { mark: () => undefined });
  const typed: string[] = [];
  const listening = keyboard.listen({
    onKey: ({ text }) => void typed.push(text),
    hasDraft: () => typed.length < 20,
  });
  const { signal } = new AbortController();
  const listeners = () => getEventListeners(signal, 'abort').length;
  const free = keyboard.whenFree(signal);
  for (let count = 1; count < 20; count += 1) {
    input.push('x');
    await until(() => typed.length === count);
    expect(listeners()).toBe(1);
  }
  input.push('x');
  await free;
  expect(listeners()).toBe(0);
  listening.end();
});

test('waiting for the end of a draft ends when its signal fires', async () => {
  const keyboard = new Keyboard(new PassThrough() as unknown as NodeJS.ReadStream, { mark: () => undefined });
  const listening = keyboard.listen({ onKey: () => undefined, hasDraft: () => true });
  const controller = new AbortController();
  const free = keyboard.whenFree(controller.signal);
  controller.abort();
  await expect(free).resolves.toBeUndefined();
  listening.end();
});
