import { describe, expect, test } from '@jest/globals';
import { describeTools } from '../../../src/cli/mcp/describe-server.js';

const linesOf = (inputSchema: Readonly<Record<string, unknown>>): readonly string[] =>
  describeTools([
    {
      ...{ name: 'raw__add', toolName: 'add', title: undefined, description: 'Adds.' },
      ...{ inputSchema, isDestructive: false, fingerprint: '' },
    },
  ]);

describe('what a person is shown of tools (rule: mcp-agreement)', () => {
  test('a plain schema is the signature and the descriptions', () => {
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
    ['a name far down', { properties: { a: { properties: { ORDER: { type: 'string' } } } } }, 'a.ORDER'],
    ['a name of nothing', { ORDER: {} }, 'ORDER'],
    ['a definition', { $defs: { ORDER: { type: 'string' } } }, '$defs.ORDER'],
    ['a required name', { properties: { a: {} }, required: ['a', 'ORDER'] }, 'required: ["a","ORDER"]'],
    ['a word of nobody', { 'x-note': { deep: [{ er: 'ORDER' }] } }, 'x-note.deep.er: ORDER'],
    ['a description that is a list', { description: ['ORDER'] }, 'description: ["ORDER"]'],
  ])('an order in %s is shown, for the model reads it too', (_, schema, line) => {
    expect(linesOf({ type: 'object', ...schema })).toContain(`    ${line}`);
  });
});
