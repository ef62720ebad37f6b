import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { textOfResult } from '../../src/mcp/result-text.js';

const textOf = (...content: unknown[]) => textOfResult({ content }).text;
const data = Buffer.from('0123456789').toString('base64');

test.each([
  [
    'text',
    [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
    'one\n\ntwo',
  ],
  ['an image', [{ type: 'image', mimeType: 'image/png', data }], '[image, image/png, 10 bytes]'],
  [
    'an image that no model takes',
    [{ type: 'image', mimeType: 'image/svg+xml', data }],
    '[image, image/svg+xml, 10 bytes: not shown]',
  ],
  [
    'an image whose data is no base64',
    [{ type: 'image', mimeType: 'image/png', data: 'a b' }],
    '[image, image/png, 2 bytes: not shown]',
  ],
  ['sound', [{ type: 'audio', mimeType: 'audio/wav', data }], '[audio, audio/wav, 10 bytes: not shown]'],
  ['a link', [{ type: 'resource_link', uri: 'file:///a', name: 'A' }], '[a link to file:///a (A): not read]'],
  ['the text of a resource', [{ type: 'resource', resource: { uri: 'x:1', text: 'said' } }], '[x:1]\nsaid'],
  [
    'the bytes of a resource',
    [{ type: 'resource', resource: { uri: 'x:1', mimeType: 'application/zip', blob: data } }],
    '[x:1, application/zip, 10 bytes: not shown]',
  ],
  ['a block of an unknown type', [{ type: 'hologram' }], '[a part of the type hologram: not shown]'],
  ['an invalid block', [7, null], '[a part that cannot be read]\n\n[a part that cannot be read]'],
  ['an empty result', [], 'Done; the tool returned no text.'],
])('textOfResult converts %s to text for the model (rule: mcp-results)', (_, content, text) => {
  expect(textOf(...content)).toBe(text);
});

test('textOfResult returns the images of a result as attachments, and no such field if there are none (rule: mcp-results)', () => {
  const image = { type: 'image', mimeType: 'image/png', data };
  expect(textOfResult({ content: [image, { ...image, mimeType: 'image/svg+xml' }] }).attachments).toEqual([
    { media_type: 'image/png', data },
  ]);
  expect(textOfResult({ content: [] })).not.toHaveProperty('attachments');
});

test('textOfResult appends structured content unless the text already contains it (rule: mcp-results)', () => {
  const structuredContent = { degrees: 33 };
  const textWith = (text: string) =>
    textOfResult({ content: [{ type: 'text', text }], structuredContent }).text;
  expect(textWith('{ "degrees": 33 }')).toBe('{ "degrees": 33 }');
  expect(textWith('It is hot.')).toBe('It is hot.\n\n{"degrees":33}');
  const wrapped = { content: [{ type: 'text', text: 'a\nb' }], structuredContent: { content: 'a\nb' } };
  expect(textOfResult(wrapped).text).toBe('a\nb');
});

test('textOfResult converts any value to a non-empty text of less than 31,000 characters (rule: mcp-results)', () => {
  const block = fc.record(
    { type: fc.constantFrom('text', 'image', 'resource', 'resource_link', 'other'), text: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const result = fc.oneof(
    fc.jsonValue(),
    fc.record({
      content: fc.array(fc.oneof(block, fc.jsonValue())),
      structuredContent: fc.jsonValue(),
      isError: fc.jsonValue(),
    }),
  );
  fc.assert(
    fc.property(result, (given) => {
      const { text } = textOfResult(given);
      expect(text).not.toBe('');
      expect(text.length).toBeLessThan(31_000);
    }),
  );
});
