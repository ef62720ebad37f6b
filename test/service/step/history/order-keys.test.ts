import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Turn } from '../../../../src/contract/history.js';
import { sameValue } from '../../../../src/service/step/history/json-values.js';
import { orderTools, orderTurns } from '../../../../src/service/step/history/order-keys.js';

const called = (parameters: Record<string, unknown>): Turn => ({
  role: 'assistant',
  content: '',
  toolCall: { name: 'f', parameters },
});

test('tools and turns that are already in order are returned unchanged, without a copy (rule: stable-prompt)', async () => {
  const tool = { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: {} } } };
  const turn = called({ a: 1, b: { c: [{ d: 1, e: 2 }] } });
  expect((await orderTools([tool], undefined))[0]).toBe(tool);
  expect((await orderTurns([turn], [], undefined))[0]).toBe(turn);
});

test('arguments are written in the order of the tool’s signature, and undeclared ones after them by name (rule: call-rendering)', async () => {
  const offered = [{ name: 'f', parameters: ['path', 'content'] }];
  const [turn] = await orderTurns(
    [called({ b: 1, content: 'x', a: { z: 1, y: 2 }, path: 'p' })],
    offered,
    undefined,
  );
  expect(JSON.stringify(turn?.toolCall?.parameters)).toBe(
    '{"path":"p","content":"x","a":{"y":2,"z":1},"b":1}',
  );
});

test('a result without content is written as text with keys sorted by name; existing content stays (rule: observation-text)', async () => {
  const observed = (content: string): Turn => ({
    role: 'tool_observation',
    content,
    toolResult: { success: true, result: { b: 1, a: 2 } },
  });
  const turns = await orderTurns([observed(''), observed('own text')], [], undefined);
  expect(turns.map(({ content }) => content)).toEqual(['{"a":2,"b":1}', 'own text']);
});

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, reversed(each)]);
  return Object.fromEntries(entries.reverse());
};

test('two values count as equal if and only if they differ at most in the order of keys (rule: signals)', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(sameValue(one, reversed(one))).toBe(true);
      expect(sameValue(one, JSON.parse(JSON.stringify(one)))).toBe(true);
      if (sameValue(one, other))
        expect(JSON.parse(JSON.stringify(one))).toEqual(JSON.parse(JSON.stringify(other)));
    }),
  );
});
