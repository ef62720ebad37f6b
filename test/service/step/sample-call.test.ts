import { describe, expect, test } from '@jest/globals';
import { toOfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import { parseCompletion } from '../../../src/parsing/parse-completion.js';
import { sampleArguments, sampleCall } from '../../../src/service/step/prompt/sample-call.js';

describe('sample calls (rule: worked-example)', () => {
  test.each([
    ['a minimum', { type: 'integer', minimum: 5 }, 5],
    ['an exclusive minimum', { type: 'integer', exclusiveMinimum: 5 }, 6],
    ['a maximum', { type: 'number', maximum: -2 }, -2],
    ['multipleOf', { type: 'integer', minimum: 7, multipleOf: 5 }, 10],
    ['a minimum number of items', { type: 'array', minItems: 1, items: { type: 'integer' } }, [1]],
    ['required keys', { type: 'object', required: ['k'] }, { k: 'some k' }],
    [
      'required keys of their own types',
      { type: 'object', required: ['k'], properties: { k: { type: 'integer', minimum: 2 } } },
      { k: 2 },
    ],
    ['an enumeration', { enum: ['red', 'blue'] }, 'red'],
    ['an alternative', { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }] }, 3],
    ['a reference', { $ref: '#/$defs/count' }, 4],
    ['a maximum length', { type: 'string', maxLength: 3 }, 'som'],
    ['a minimum length', { type: 'string', minLength: 12 }, 'some x......'],
  ])('a sample call passes the check of a real call if the schema has %s', (_, x, value) => {
    const tool = toOfferedTool({
      name: 'run',
      inputSchema: {
        type: 'object',
        properties: { x },
        required: ['x'],
        $defs: { count: { type: 'integer', minimum: 4 } },
      },
    });
    for (const protocol of ['text', 'xml'] as const) {
      const parsed = parseCompletion(sampleCall(tool, protocol), [tool]);
      expect(parsed).toMatchObject({
        outcome: 'action',
        confidence: 'exact',
        action: { toolArgs: { x: value } },
      });
    }
  });

  test('sample arguments contain the given text, within the length limits of the schema', () => {
    const texts = (x: object) =>
      sampleArguments(
        toOfferedTool({ name: 'run', inputSchema: { type: 'object', properties: { x } } }),
        'tea',
      );
    expect(texts({ type: 'string' })).toEqual({ x: 'tea' });
    expect(texts({ type: 'string', minLength: 5 })).toEqual({ x: 'tea..' });
    expect(texts({ enum: ['red'] })).toEqual({ x: 'red' });
    expect(texts({ type: 'object', required: ['k'] })).toEqual({ x: { k: 'tea' } });
    expect(texts({ not: {} })).toBeUndefined();
  });

  test('a tool that needs too many values gets its signature instead of a sample call', () => {
    const twice = (schema: object, count: number) => ({
      type: 'object',
      required: Array<string>(count).fill('a'),
      properties: { a: schema },
    });
    const deep = twice(twice(twice({ type: 'string' }, 100), 100), 100);
    const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
    for (const x of [deep, { type: 'object', required: names }]) {
      const inputSchema = { type: 'object', properties: { x }, required: ['x'] };
      expect(sampleCall(toOfferedTool({ name: 'run', inputSchema }), 'text')).toBe('run(x)');
    }
    const long = 'l'.repeat(2_000);
    const inputSchema = { type: 'object', properties: { [long]: { type: 'integer' } }, required: [long] };
    expect(sampleArguments(toOfferedTool({ name: 'run', inputSchema }))).toBeUndefined();
  });

  test('a tool whose schema no value can satisfy gets its signature instead of a sample call', () => {
    const inputSchema = { type: 'object', properties: { x: { not: {} } }, required: ['x'] };
    expect(sampleCall(toOfferedTool({ name: 'run', inputSchema }), 'text')).toBe('run(x)');
  });
});
