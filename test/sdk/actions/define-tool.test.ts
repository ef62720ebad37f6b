import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { defineTool, type Tool } from '../../../src/sdk/actions/define-tool.js';
import { findArgumentProblem } from '../../../src/sdk/actions/find-argument-problem.js';
import { randomId } from '../../../src/sdk/base/random-id.js';
import type { StandardSchema } from '../../../src/sdk/base/standard-schema.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';

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

/** A valid tool, to which each test adds one thing. */
const bare = { name: 'f', description: '', inputSchema: {}, execute: () => '' };

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
  expect(tool.execute({ path: 'a', lines: 3 }, context)).toEqual(['a', 3, undefined, undefined]);
});

const context = { signal: new AbortController().signal, callId: 'c' };

test('defineTool infers, checks and transforms arguments with a schema of Zod (rule: tool-definitions)', async () => {
  const tool = defineTool({
    name: 'book',
    description: '',
    inputSchema: z.object({
      seats: z.number().int().max(4),
      day: z.string().transform((text) => new Date(text)),
      note: z.string().default('none'),
    }),
    execute: ({ seats, day, note }) => {
      const count: number = seats;
      const at: Date = day;
      const text: string = note;
      return `${count} on ${at.getFullYear()}, ${text}`;
    },
    preview: async ({ day }) => String(day.getFullYear()),
  });
  expect(tool.inputSchema).toMatchObject({
    type: 'object',
    properties: { seats: { type: 'integer' }, day: { type: 'string' } },
    required: ['seats', 'day'],
  });
  await expect(tool.execute({ seats: 2, day: '2026-11-28' }, context)).resolves.toBe('2 on 2026, none');
  const preview = tool.preview?.({ seats: 2, day: '2026-11-28' }, { ...context, earlierCallIds: [] });
  await expect(preview).resolves.toBe('2026');
  await expect(tool.execute({ seats: 9, day: '2026-11-28' }, context)).rejects.toThrow(
    /^The arguments do not fit: `seats`: .*4/,
  );
});

test('defineTool takes any Standard Schema beside its JSON Schema, and types the arguments by it', async () => {
  type Input = { readonly city: string };
  const schema: StandardSchema<Input> = {
    '~standard': {
      version: 1,
      vendor: 'own',
      validate: (value) =>
        Object(value).city === 'Rome'
          ? { value: { city: 'Roma' } }
          : { issues: [{ message: 'no such city' }] },
    },
  };
  const jsonSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const tool = defineTool({
    name: 'weather',
    description: '',
    inputSchema: { schema, jsonSchema },
    execute: ({ city }) => city.toUpperCase(),
  });
  expect(tool.inputSchema).toBe(jsonSchema);
  await expect(tool.execute({ city: 'Rome' }, context)).resolves.toBe('ROMA');
  await expect(tool.execute({ city: 'Oslo' }, context)).rejects.toThrow(
    'The arguments do not fit: no such city.',
  );
  const alone = () =>
    defineTool({ name: 'weather', description: '', inputSchema: schema, execute: () => '' });
  expect(alone).toThrow(
    new TypeError(
      'inputSchema: a schema of own does not write JSON Schema. Pass { schema, jsonSchema } instead.',
    ),
  );
});

test.each([
  [{ type: 'function', function: { name: 'f' } }, /^defineTool: this tool has OpenAI's shape\. Write/],
  [{ name: 'f', input_schema: {} }, /^defineTool: this tool has Anthropic's shape\. Write/],
  [
    { name: 'f', description: '', execute: () => '' },
    /^defineTool \("f"\)\.inputSchema: expected a schema of Zod/,
  ],
  [{ name: 'f', description: '', inputSchema: {} }, /^defineTool \("f"\)\.execute: expected a function\.$/],
  [
    { name: 'f', description: '', parameters: {}, execute: () => '' },
    /^defineTool \("f"\)\.inputSchema: expected a schema .*, under the name inputSchema\.$/,
  ],
  [
    { ...bare, inputSchema: z.string() },
    /^defineTool \("f"\)\.inputSchema: expected the schema of an object, whose fields are the arguments\.$/,
  ],
  [
    { ...bare, inputSchema: { type: 'array' } },
    /^defineTool \("f"\)\.inputSchema: expected the schema of an obj/,
  ],
  [
    { ...bare, needsApproval: true },
    /^defineTool \("f"\)\.needsApproval: write this as requiresApproval in annotations\.$/,
  ],
  [
    { ...bare, requiresApproval: false },
    /^defineTool \("f"\)\.requiresApproval: write this as requiresApproval in annotations\.$/,
  ],
  [
    { ...bare, annotations: { needsApproval: true } },
    /^defineTool \("f"\)\.annotations\.needsApproval: write this as requiresApproval in annotations\.$/,
  ],
  [
    { ...bare, annotations: { requiresApproval: 'yes' } },
    /\.annotations\.requiresApproval: expected true or false\.$/,
  ],
  [{ ...bare, annotations: true }, /^defineTool \("f"\)\.annotations: expected an object\.$/],
])('defineTool throws a TypeError that says what is wrong with %j', (given, message) => {
  const define = defineTool as (specification: unknown) => unknown;
  expect(() => define(given)).toThrow(TypeError);
  expect(() => define(given)).toThrow(message);
});

test('a tool may have the annotations of MCP and of a vendor; only its own two reach the service (rule: tool-definitions)', () => {
  const annotations = { title: 'F', destructiveHint: false, 'vendor/cost': 3, readOnlyHint: true };
  const define = defineTool as (specification: unknown) => Tool;
  const tool = define({ ...bare, title: 'F', needsApproval: undefined, annotations });
  expect(tool.annotations).toEqual({ readOnlyHint: true, requiresApproval: undefined });
  const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:9' });
  const given = { ...tool, annotations };
  expect(() => client.run('', { llmConfig: { modelName: 'm' }, tools: [given] })).not.toThrow();
});

test('TypeScript reports an approval hint outside the annotations', () => {
  // @ts-expect-error The hint belongs into `annotations`.
  expect(() => defineTool({ ...bare, requiresApproval: true })).toThrow(TypeError);
  // @ts-expect-error This is the option of other SDKs.
  expect(() => defineTool({ ...bare, needsApproval: true })).toThrow(TypeError);
  // @ts-expect-error The hint is `requiresApproval`.
  expect(() => defineTool({ ...bare, annotations: { needsApproval: true } })).toThrow(TypeError);
});

test.each([
  [{}],
  [{ type: ['object', 'null'] }],
  [{ anyOf: [{ type: 'object' }] }],
  [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
])('defineTool accepts the schema %j, which an object may fit', (schema) => {
  expect(() => defineTool({ ...bare, inputSchema: schema })).not.toThrow();
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
  ])('findArgumentProblem finds the first problem, if there is one, in the arguments %j', (args, problem) =>
    expect(findArgumentProblem(args, inputSchema)).toBe(problem));

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
