import { describe, expect, test } from '@jest/globals';
import { startFakeProvider } from '../../../src/offline/fake-provider.js';
import { checkAnthropicSchema, checkOpenAiSchema } from '../../../src/offline/wire/check-schema.js';
import { anthropicAt, openaiAt } from '../../support/clients.js';

const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = { type: 'string' };
const deep = (levels: number): unknown => (levels === 0 ? text : object({ a: deep(levels - 1) }));
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the check of schemas for OpenAI (rule: reversible-schema)', () => {
  test.each([
    ['a root that is no object', text, 'schema must be a JSON Schema of \'type: "object"\''],
    ['a union at the root', { ...object({}), anyOf: [object({})] }, "'anyOf' at the top level"],
    ['an optional property', object({ a: text }, []), "Missing 'a'"],
    ['an open object', { ...object({ a: text }), additionalProperties: true }, "'additionalProperties'"],
    ['an unknown keyword', object({ a: { ...text, default: 'x' } }), "'default' is not permitted"],
    ['a value without a type', object({ a: {} }), "must have a 'type' key"],
    ['a list without items', object({ a: { type: 'array' } }), 'missing items'],
    [
      'objects that begin alike',
      object({ a: { anyOf: [object({ b: text }), object({ b: text })] } }),
      'identical first keys',
    ],
    ['eleven levels', deep(11), 'depth'],
    [
      '5,001 properties',
      object(Object.fromEntries(range(5_001).map((index) => [`p${index}`, text]))),
      'properties',
    ],
    ['1,001 enum values', object({ a: { type: 'integer', enum: range(1_001) } }), 'enumValues'],
    ['120,001 characters', object({ ['a'.repeat(120_001)]: text }), 'characters'],
  ])('the check for OpenAI refuses a strict schema with %s', (_, schema, problem) => {
    expect(checkOpenAiSchema(schema, 'reply')).toContain(problem);
  });

  test('the check for OpenAI accepts a strict schema that follows all rules', () => {
    const distinguished = (kind: string) => object({ kind: { type: 'string', const: kind } });
    expect(
      checkOpenAiSchema(
        object({ a: { anyOf: [distinguished('b'), distinguished('c')] }, d: deep(9) }),
        'reply',
      ),
    ).toBeNull();
  });
});

describe('the check of schemas for Anthropic (rule: reversible-schema)', () => {
  test.each([
    ['an open object', { type: 'object', properties: {} }, "'additionalProperties'"],
    ['an unknown keyword', object({ a: { type: 'integer', minimum: 1 } }), "'minimum' is not permitted"],
    [
      '25 optional properties',
      object(Object.fromEntries(range(25).map((index) => [`p${index}`, text])), []),
      'optional',
    ],
    [
      '17 unions',
      object(
        Object.fromEntries(range(17).map((index) => [`p${index}`, { anyOf: [text, { type: 'null' }] }])),
      ),
      'unions',
    ],
  ])('the check for Anthropic refuses a schema with %s', (_, schema, problem) => {
    expect(checkAnthropicSchema(schema)).toContain(problem);
  });
});

test('the fake provider refuses an invalid schema with an error that the vendor’s SDK understands', async () => {
  const fake = await startFakeProvider({ text: '{}' });
  const messages = [{ role: 'user' as const, content: 'Reply in JSON.' }];
  const schema = object({ a: text }, []);
  const openai = openaiAt(fake.url).chat.completions.create({
    model: 'gpt-test',
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema } },
  });
  await expect(openai).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("Missing 'a'"),
  });
  const anthropic = anthropicAt(fake.url).messages.create({
    model: 'claude-test',
    max_tokens: 10,
    messages,
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  });
  await expect(anthropic).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('additionalProperties'),
  });
  const plain = openaiAt(fake.url).chat.completions.create({
    model: 'gpt-test',
    messages: [{ role: 'user', content: 'Hello.' }],
    response_format: { type: 'json_object' },
  });
  await expect(plain).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("the word 'json'"),
  });
  await fake.close();
});
