import { expect, test } from '@jest/globals';
import { CountsUnderWay } from '../../src/tokens/counts-under-way.js';
import { createTokenCounter } from '../../src/tokens/token-counter.js';
import { referenceCount } from '../support/tokens/reference-tokenizer.js';

const encoding = 'o200k_base';
const longText = (name: string): string => `const ${name} = [1, 2, 3];\n`.repeat(4_000);

test('who asks for a count that is under way waits for its end, however it ends', async () => {
  const counts = new CountsUnderWay();
  const ended: string[] = [];
  let end = (_tokens: number): void => undefined;
  let fail = (_reason: Error): void => undefined;
  const one = counts.add('one', new Promise((resolve) => (end = resolve)));
  const other = counts.add('other', new Promise((_, reject) => (fail = reject)));
  const waits = [
    counts.end('one', undefined).then(() => ended.push('one')),
    counts.end('other', undefined).then(() => ended.push('other')),
    counts.end('none', undefined).then(() => ended.push('none')),
  ];
  await waits[2];
  expect(ended).toEqual(['none']);
  fail(new Error('given up'));
  await expect(other).rejects.toThrow('given up');
  await waits[1];
  expect(ended).toEqual(['none', 'other']);
  end(7);
  await expect(one).resolves.toBe(7);
  await Promise.all(waits);
  await counts.end('one', undefined);
});

test('who waits leaves at once when its own step ends', async () => {
  const counts = new CountsUnderWay();
  counts.add('one', new Promise(() => undefined));
  const step = new AbortController();
  const waiting = counts.end('one', step.signal);
  step.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('one text counted by many steps at once has one count, though the step that began it ends', async () => {
  const text = longText('shared');
  const first = new AbortController();
  const steps = [first.signal, undefined, undefined, undefined].map((signal) =>
    createTokenCounter(encoding, signal && { signal }).count(text),
  );
  first.abort(new Error('left'));
  const [left, ...others] = await Promise.allSettled(steps);
  expect(left).toMatchObject({ status: 'rejected', reason: { message: 'left' } });
  const tokens = referenceCount(encoding, text);
  for (const other of others) expect(other).toEqual({ status: 'fulfilled', value: tokens });
});
