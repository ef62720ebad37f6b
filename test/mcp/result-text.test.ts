import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { secretsOf } from '../../src/mcp/mcp-server.js';
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
  ['a text block without text', [{ type: 'text' }], '[a part that cannot be read]'],
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

test.each([
  ['each item in a block of its own', ['a', 'b'], { result: ['a', 'b'] }],
  ['objects in blocks of their own', ['{"a":1}', '{"b":2}'], { result: [{ a: 1 }, { b: 2 }] }],
  ['a number', ['5'], { result: 5 }],
  ['null as structured content', ['a'], null],
])('textOfResult does not repeat what a Python server writes twice: %s (rule: mcp-results)', (_, texts, structuredContent) => {
  const content = texts.map((text) => ({ type: 'text', text }));
  expect(textOfResult({ content, structuredContent }).text).toBe(texts.join('\n\n'));
});

test('textOfResult returns an empty list of structured content (rule: mcp-results)', () => {
  expect(textOfResult({ content: [], structuredContent: { result: [] } }).text).toBe('{"result":[]}');
});

test.each([
  ['a string', 'plain text', 'plain text'],
  ['a single block', { type: 'text', text: 'one block' }, 'one block'],
])('textOfResult reads content that is no list but %s (rule: mcp-results)', (_, content, text) => {
  expect(textOfResult({ content }).text).toBe(text);
});

test('textOfResult describes images of a failed call as not shown, and says that a failure has no text (rule: mcp-results)', () => {
  const image = { type: 'image', mimeType: 'image/png', data };
  expect(textOfResult({ content: [image], isError: true })).toEqual({
    text: '[image, image/png, 10 bytes: not shown]',
    isError: true,
  });
  expect(textOfResult({ isError: true }).text).toBe('The tool failed and returned no text.');
});

test('textOfResult redacts a secret where a long text is cut, and one that JSON escapes (rule: mcp-servers)', () => {
  const env = { TOKEN: 'canary-0123456789', PASSWORD: 'canary"\\456789', KEY: 'canary-0123456789-and-more' };
  const secrets = secretsOf({ command: 'server', env });
  const around = `${'x'.repeat(14_990)}${env.TOKEN}${'y'.repeat(40_000)}`;
  const structuredContent = { password: env.PASSWORD, key: env.KEY };
  const { text } = textOfResult({ content: [{ type: 'text', text: around }], structuredContent }, secrets);
  expect(text).not.toContain('canary');
  expect(text).toContain('{"password":"[redacted]","key":"[redacted]"}');
});

test.each([
  [['--api-key', 'canary-0123456789']],
  [['--token=canary-0123456789']],
  [['-e', 'SERVICE_TOKEN=canary-0123456789']],
  [['--header', 'Authorization: Bearer canary-0123456789']],
  [['--header=X-Key:canary-0123456789']],
  [['https://me:canary-0123456789@server.test/mcp']],
  [['https://server.test/mcp?token=canary-0123456789&page=5']],
])('textOfResult redacts the secret in the arguments %j of a server (rule: mcp-servers)', (args) => {
  const secrets = secretsOf({ command: 'server', args });
  const content = [{ type: 'text', text: 'Refused: canary-0123456789' }];
  expect(textOfResult({ content }, secrets).text).toBe('Refused: [redacted]');
});

test('arguments without a telling name stay readable in the results of a server (rule: mcp-servers)', () => {
  const args = ['-y', '@auth/server-files', '--root=/home/me/token-project', 'https://auth.test/long/path'];
  expect(secretsOf({ command: 'npx', args })).toEqual([]);
});

test('textOfResult replaces halves of surrogate pairs, also where a long text is cut (rule: mcp-results)', () => {
  const { text } = textOfResult({ content: [{ type: 'text', text: `\ud800${'🦄'.repeat(40_000)}` }] });
  expect(text.isWellFormed()).toBe(true);
  expect(text.startsWith('\ufffd🦄')).toBe(true);
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
