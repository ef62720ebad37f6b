import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defineTool } from '../../../src/sdk/actions/define-tool.js';
import { findArgumentProblem } from '../../../src/sdk/actions/find-argument-problem.js';
import { randomId } from '../../../src/sdk/base/random-id.js';

const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    lines: { type: 'integer' },
    mode: { type: 'string', enum: ['fast', 'slow'] },
    tags: { type: 'array', items: { type: 'string' } },
    deep: { type: 'object' },
    flag: { type: 'boolean' },
  },
  required: ['path'],
} as const;

test('defineTool infers the types of the arguments from the schema (rule: tool-definitions)', async () => {
  const tool = defineTool({
    name: 'typed',
    description: '',
    inputSchema,
    execute: ({ path, lines, mode, tags }) => {
      const text: string = path;
      const count: number | undefined = lines;
      const speed: 'fast' | 'slow' | undefined = mode;
      const list: readonly string[] | undefined = tags;
      return [text, count, speed, list];
    },
  });
  const context = { signal: new AbortController().signal, callId: 'c' };
  expect(tool.execute({ path: 'a', lines: 3 }, context)).toEqual(['a', 3, undefined, undefined]);
});

describe('findArgumentProblem describes the first wrong argument in a sentence', () => {
  test.each([
    [{}, 'The argument "path" is missing.'],
    [{ path: 1 }, 'The argument "path" must be of type string.'],
    [{ path: 'a', lines: 1.5 }, 'The argument "lines" must be of type integer.'],
    [{ path: 'a', mode: 'medium' }, 'The argument "mode" must be one of ["fast","slow"].'],
    [{ path: 'a', tags: ['x', 2] }, 'The argument "tags" has an item that must be of type string.'],
    [{ path: 'a', tags: 'x' }, 'The argument "tags" must be of type array.'],
    [{ path: 'a', deep: [] }, 'The argument "deep" must be of type object.'],
    [{ path: 'a', deep: null }, 'The argument "deep" must be of type object.'],
    [{ path: 'a', flag: 0 }, 'The argument "flag" must be of type boolean.'],
    [{ path: 'a', lines: 2, mode: 'fast', tags: [], deep: {}, flag: true, unknown: 1 }, undefined],
    [{ path: 'a', lines: undefined }, undefined],
  ])('%j', (args, problem) => expect(findArgumentProblem(args, inputSchema)).toBe(problem));

  test('findArgumentProblem treats inherited names such as constructor like any other name', () => {
    expect(findArgumentProblem({ constructor: 1, toString: 2 }, { properties: {} })).toBeUndefined();
    expect(findArgumentProblem({}, { required: ['constructor'] })).toBe(
      'The argument "constructor" is missing.',
    );
    expect(findArgumentProblem({ a: 1 }, { properties: { a: { type: 'constructor' } } })).toBeUndefined();
    expect(findArgumentProblem({ a: 1 }, { properties: { a: { type: 'isPrototypeOf' } } })).toBeUndefined();
  });

  test('findArgumentProblem accepts schemas with several types, without types, and with unknown types', () => {
    expect(
      findArgumentProblem({ a: null }, { properties: { a: { type: ['string', 'null'] } } }),
    ).toBeUndefined();
    expect(findArgumentProblem({ a: 1 }, { properties: { a: {} } })).toBeUndefined();
    expect(findArgumentProblem({ a: 1 }, {})).toBeUndefined();
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (args, schema) => {
          expect(['string', 'undefined']).toContain(typeof findArgumentProblem(args, schema));
        },
      ),
    );
  });
});

test('randomId returns different UUIDs of version 4 (RFC 9562)', () => {
  const ids = Array.from({ length: 200 }, randomId);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(200);
});
