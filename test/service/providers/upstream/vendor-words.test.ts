import { createServer } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FaultName } from '../../../../src/offline/wire/reply.js';
import { cleanVendorWords } from '../../../../src/service/providers/upstream/vendor-words.js';
import { ProviderError } from '../../../../src/service/step/provider.js';
import { listen } from '../../../support/listen.js';
import {
  ask,
  canary,
  connect,
  directoryAt,
  failureOf,
  fakeProvider,
  secretOf,
  type Way,
  ways,
} from '../../../support/providers/requests.js';

const clean = (message: string, key = canary) =>
  cleanVendorWords({ message, parameter: undefined }, secretOf(key));

const anyKey = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 60,
});
const anyWords = fc.string({ unit: 'binary', maxLength: 40 });

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const percents = (text: string): string =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** Each character by its number. */
const codes =
  (write: (code: number) => string, separator = '') =>
  (text: string) =>
    [...text].map((character) => write(character.charCodeAt(0))).join(separator);
const hex = (code: number): string => code.toString(16).padStart(2, '0');
const octal = (code: number): string => code.toString(8).padStart(3, '0');

/** What may become of a text on its way into an error. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  'JSON-escaped': (text) => JSON.stringify(text).slice(1, -1),
  'JSON-escaped twice': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'JSON-escaped to the last letter': (text) =>
    [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'percent-encoded': encodeURIComponent,
  'percent-encoded to the last letter': percents,
  'for HTML': (text) => text.replace(/["'<>&]/g, (each) => `&#${each.charCodeAt(0)};`),
  'in base64': base64,
  'in base64 after one byte': (text) => base64(`x${text}y`),
  'in base64 after two bytes': (text) => base64(`xx${text}yy`),
  'in base64 for URLs': (text) => Buffer.from(text, 'latin1').toString('base64url'),
  'in hexadecimal': (text) => Buffer.from(text, 'latin1').toString('hex'),
  'in base64, percent-encoded': (text) => percents(base64(text)),
  'in capitals': (text) => text.toUpperCase(),
  'with zero-width marks between': (text) => [...text].join('\u200b'),
  'with spaces between': (text) => [...text].join(' '),
  'one character a line': (text) => [...text].join('\r\n'),
  'in fullwidth letters': codes((code) => String.fromCharCode(code + 0xfee0)),
  'in hexadecimal escapes': codes((code) => `\\x${hex(code)}`),
  'in hexadecimal escapes, escaped again': codes((code) => `\\\\x${hex(code).toUpperCase()}`),
  'in code points': codes((code) => `\\u{${hex(code)}}`),
  'in Unicode numbers': codes((code) => `U+00${hex(code).toUpperCase()}`, ' '),
  'in quoted-printable': codes((code) => `=${hex(code).toUpperCase()}`),
  'in hexadecimal numbers': codes((code) => `0x${hex(code)}`, ', '),
  'in bytes with colons': codes(hex, ':'),
  'in octal escapes': codes((code) => `\\${octal(code)}`),
  'in octal numbers': codes((code) => `0o${octal(code)}`, ' '),
  'in decimal escapes': codes((code) => `\\${code}`),
  'in a list of decimal numbers': (text) => JSON.stringify([...Buffer.from(text, 'latin1')]),
  'in decimal entities with zeros': codes((code) => `&#0${code};`),
  'in hexadecimal entities': codes((code) => `&#x00${hex(code)};`),
  'in a list of decimal numbers, percent-encoded': (text) => percents(codes(String, ' ')(text)),
};

describe('six characters of the key take the words with them (rule: vendor-words)', () => {
  test.each(Object.entries(encodings))('%s', (_, encode) => {
    fc.assert(
      fc.property(anyKey, fc.nat(), anyWords, anyWords, (key, at, before, after) => {
        const start = at % (key.length - 5);
        const hint = encode(key.slice(start, start + 6));
        // A space: what is beside an encoded run must not become a part of it.
        expect(clean(`${before} ${hint} ${after}`, key)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  test.each(['-', '.', '*', ' | ', '", "'])('letters and digits with %j between', (separator) => {
    for (const hint of ['anary4', '456789']) expect(clean(`no ${[...hint].join(separator)} ok`)).toBeNull();
  });

  test.each([
    'Requested 115 tokens (107 in the messages, 45 in the functions): at most 99 of 97, 110, 98 allowed.',
    'Invalid type for tools[0].function.parameters: expected an object, but got an array instead.',
    "max_tokens: 8192 > 4096, which is the maximum for claude-3-haiku-20240307 (code 0x5a, 'é').",
  ])('numbers and names are ordinary text: %s', (message) => {
    expect(clean(message)).toBe(message);
  });

  test('five of them, or none, are ordinary text', () => {
    expect(clean(`The value ${canary.slice(5, 10)} is not valid.`)).toBe(
      `The value ${canary.slice(5, 10)} is not valid.`,
    );
    expect(cleanVendorWords({ message: 'No key was sent.', parameter: undefined }, undefined)).toBe(
      'No key was sent.',
    );
  });
});

describe('what is shown of a vendor’s words (rule: vendor-words)', () => {
  test.each([
    ['line\nbreaks\tand\u0000 bells\u0007', 'line breaks and bells'],
    ['turned \u202eback\u202c and hid\u200bden', 'turned back and hidden'],
    ['\u001b[31mred\u001b[0m', '[31mred [0m'],
    ['see https://api.example.com/v1/x?y=z, or www.example.org.', 'see [removed] or [removed]'],
    [
      'Rate limit in organization org-a1b2c3d4e5f6 on project proj_9f8e7d6c5b4a.',
      'Rate limit in organization [removed] on project [removed].',
    ],
    ['workspace 123e4567-e89b-12d3-a456-426614174000', 'workspace [removed]'],
    ['the key sk-proj-abc***************xyz is old', 'the key [removed] is old'],
    ['lone \ud800 half', 'lone \ufffd half'],
    [' \n ', null],
  ])('%j becomes %j', (said, shown) => {
    expect(clean(said)).toBe(shown);
  });

  test('at most 500 characters, no pair of surrogates cut', () => {
    for (const length of [499, 500, 501, 5_000, 1_000_000]) {
      const shown = clean('😀'.repeat(length)) ?? '';
      expect(shown.length).toBeLessThanOrEqual(500);
      expect(shown.isWellFormed()).toBe(true);
    }
    expect(clean('x'.repeat(500))).toBe('x'.repeat(500));
  });

  test('the parameter, if the message does not name it', () => {
    const words = (message: string) => cleanVendorWords({ message, parameter: 'tools[0].name' }, undefined);
    expect(words('Invalid value.')).toBe('Invalid value. (tools[0].name)');
    expect(words("Invalid 'tools[0].name'.")).toBe("Invalid 'tools[0].name'.");
  });
});

describe.each(ways)('$title', (way) => {
  const wordsOf = async (script: Parameters<typeof fakeProvider>[0], { model }: Way = way) => {
    const fake = await fakeProvider(script);
    const failure = await failureOf(ask(connect(directoryAt(fake.url), model), way));
    if (!(failure instanceof ProviderError)) throw failure;
    return failure.vendorWords;
  };

  test.each<[FaultName, string]>([
    ['bad-request', 'Invalid request.'],
    ['context-overflow', 'tokens'],
    ['not-found', 'model'],
    ['too-large', 'size'],
  ])('the words of %s are the caller’s (rule: vendor-words)', async (fault, word) => {
    const expected = fault === 'too-large' && way.name === 'openai' ? 'too large' : word;
    expect(await wordsOf({ fault })).toContain(expected);
  });

  test.each<FaultName>([
    'unauthorized',
    'echoed-key',
    'payment-required',
    'forbidden',
    'quota-exhausted',
    'conflict',
    'server-error',
    'overloaded',
    'html-502',
  ])('those of %s are not', async (fault) => {
    expect(await wordsOf({ fault, retryAfter: '0' })).toBeNull();
  });

  test('a refusal that is about money by its wording alone has none', async () => {
    const poor = () => {
      throw new Error('Your credit balance is too low.');
    };
    expect(await wordsOf(poor)).toBeNull();
  });

  test('a refusal that repeats the key has none', async () => {
    const echo = ({ headers }: { headers: Readonly<Record<string, string>> }) => {
      throw new Error(`What is ${headers['authorization']}?`);
    };
    expect(await wordsOf(echo)).toBeNull();
  });
});

test.each([
  ['{"error": "model \\"any\\" not found"}', 'model "any" not found'],
  ['{"error": {"message": "no such model", "param": 7}}', 'no such model'],
  ['{"error": {"message": {"deep": "words"}}}', null],
  ['{"message": "no error object"}', null],
  ['not found', null],
])('a compatible server that answers 404 %s is quoted as %j', async (body, words) => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(body);
  });
  const url = await listen(server);
  const provider = connect(directoryAt(url), 'any', 'local');
  const failure = await failureOf(ask(provider, { model: 'any', streamed: false }));
  server.close();
  expect(failure).toMatchObject({ failure: 'model_not_found', vendorWords: words });
});
