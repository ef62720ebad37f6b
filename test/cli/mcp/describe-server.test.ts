import { describe, expect, test } from '@jest/globals';
import { describeTools } from '../../../src/cli/mcp/describe-server.js';

const linesOf = (inputSchema: Readonly<Record<string, unknown>>): readonly string[] =>
  describeTools([
    {
      ...{ name: 'raw__add', toolName: 'add', title: undefined, description: 'Adds.' },
      ...{ inputSchema, isDestructive: false, fingerprint: '' },
    },
  ]);

describe('describeTools (rule: mcp-agreement)', () => {
  test('describeTools renders a plain schema as a signature with the descriptions of the arguments', () => {
    const properties = { a: { type: 'number', description: 'The first.' }, b: { type: ['string', 'null'] } };
    expect(linesOf({ type: 'object', properties, required: ['a'], additionalProperties: false })).toEqual([
      'raw__add(a, b)',
      '  Adds.',
      '    a: The first.',
    ]);
  });

  test.each([
    ['a default', { properties: { a: { type: 'string', default: 'ORDER' } } }, 'a.default: ORDER'],
    ['a choice', { properties: { a: { enum: ['ORDER', 'b'] } } }, 'a.enum: ["ORDER","b"]'],
    ['a pattern', { properties: { a: { items: { pattern: 'ORDER' } } } }, 'a.pattern: ORDER'],
    ['a type', { properties: { a: { type: 'ORDER' } } }, 'a.type: ORDER'],
    ['a nested name', { properties: { a: { properties: { ORDER: { type: 'string' } } } } }, 'a.ORDER'],
    ['an unknown top-level name', { ORDER: {} }, 'ORDER'],
    ['a definition', { $defs: { ORDER: { type: 'string' } } }, '$defs.ORDER'],
    ['a required name', { properties: { a: {} }, required: ['a', 'ORDER'] }, 'required: ["a","ORDER"]'],
    ['an unknown keyword', { 'x-note': { deep: [{ er: 'ORDER' }] } }, 'x-note.deep.er: ORDER'],
    ['a description that is a list', { description: ['ORDER'] }, 'description: ["ORDER"]'],
  ])('describeTools shows an instruction hidden in %s of the schema', (_, schema, line) => {
    expect(linesOf({ type: 'object', ...schema })).toContain(`    ${line}`);
  });
});
