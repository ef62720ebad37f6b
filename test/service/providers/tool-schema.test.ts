import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toVendorSchema } from '../../../src/service/providers/tool-schema.js';
import { ask, connect, directoryAt, fakeProvider, toolOf, ways } from '../../support/providers/requests.js';

const text = { type: 'string' };
const refused = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'];

describe('schemas of tools for the vendors (rule: native-calling)', () => {
  test.each([
    [
      'alternatives of required parameters',
      { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { type: 'object', properties: { a: text, b: text } },
    ],
    [
      'alternatives with parameters of their own',
      {
        oneOf: [
          { properties: { a: text, b: text }, required: ['a', 'b'] },
          { properties: { a: text }, required: ['a'] },
        ],
      },
      { type: 'object', properties: { a: text, b: text }, required: ['a'] },
    ],
    [
      'parts that all apply',
      {
        type: 'object',
        required: ['a'],
        allOf: [{ properties: { a: text } }, { properties: { b: text }, required: ['b'] }],
      },
      { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'] },
    ],
    [
      'references to definitions',
      { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: { properties: { a: text }, required: ['a'] } } },
      {
        type: 'object',
        properties: { a: text },
        required: ['a'],
        $defs: { A: { properties: { a: text }, required: ['a'] } },
      },
    ],
    [
      'conditions',
      {
        properties: { a: text },
        if: { required: ['a'] },
        else: { properties: { b: text } },
        not: { required: ['c'] },
      },
      { type: 'object', properties: { a: text, b: text } },
    ],
    [
      'a type that also allows null',
      { type: ['object', 'null'], properties: { a: text } },
      { type: 'object', properties: { a: text } },
    ],
    [
      'alternatives below the top level, which the vendors accept',
      { type: 'object', properties: { a: { anyOf: [text, { type: 'null' }] } } },
      { type: 'object', properties: { a: { anyOf: [text, { type: 'null' }] } } },
    ],
  ])('toVendorSchema accepts %s', (_, schema, expected) => {
    expect(toVendorSchema(schema)).toEqual(expected);
  });

  test('a schema that refers to itself many times is converted within a second', () => {
    const self = {
      anyOf: Array.from({ length: 200 }, () => ({ $ref: '#/$defs/A' })),
      properties: { a: text },
    };
    const began = performance.now();
    expect(toVendorSchema({ ...self, $defs: { A: self } })).toMatchObject({ properties: { a: text } });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  const name = fc.constantFrom('a', 'b', 'c');
  const plain = { properties: fc.dictionary(name, fc.constant(text)), required: fc.uniqueArray(name) };
  type AnySchema = fc.Arbitrary<Record<string, unknown>>;
  const combined = (part: AnySchema): AnySchema => {
    const parts = fc.array(part, { minLength: 1, maxLength: 2 });
    const keywords = { anyOf: parts, oneOf: parts, allOf: parts, not: part, enum: fc.constant([{}]) };
    return fc.record({ ...plain, ...keywords }, { requiredKeys: [] });
  };
  const anySchema = combined(combined(fc.record(plain, { requiredKeys: [] })));

  test('a converted schema has the type object, and at its top level no keyword that a vendor refuses', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const converted = toVendorSchema(schema);
        expect(converted.type).toBe('object');
        expect(Object.keys(converted).filter((key) => refused.includes(key))).toEqual([]);
      }),
    );
  });
});

test.each(
  ways,
)('a tool schema with alternatives at its top level, such as anyOf, is sent without them (rule: native-calling): $title', async (way) => {
  const fake = await fakeProvider({ toolCalls: [{ name: 'look_up', arguments: {} }] });
  const inputSchema = { type: 'object', properties: { a: text }, anyOf: [{ required: ['a'] }] };
  const nativeTools = { definitions: [{ ...toolOf('look_up'), inputSchema }], choice: 'auto' as const };
  await ask(connect(directoryAt(fake.url), way.model), way, undefined, { nativeTools });
  const sent = JSON.stringify(fake.requests.at(-1)?.body);
  expect(sent).toContain('look_up');
  expect(sent).not.toContain('anyOf');
});
