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
  cleanVendorWords({ message, parameter: undefined }, [secretOf(key)]);

const anyKey = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 60,
});
const anyWords = fc.string({ unit: 'binary', maxLength: 40 });

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The forms in which a text may appear in an error. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  'JSON-escaped': (text) => JSON.stringify(text).slice(1, -1),
  'percent-encoded': encodeURIComponent,
  'in base64': base64,
  'in base64 after one byte': (text) => base64(`x${text}y`),
  'in base64 after two bytes': (text) => base64(`xx${text}yy`),
  'in base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'in capitals': (text) => text.toUpperCase(),
};

describe.each(Object.entries(forms))('a vendor message with the key %s (rule: vendor-words)', (_, write) => {
  test('a vendor’s message is dropped if it contains 8 consecutive characters of the key', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(), anyWords, anyWords, (key, at, before, after) => {
        const start = at % (key.length - 7);
        const hint = write(key.slice(start, start + 8));
        // The spaces keep encoded text apart from its surroundings.
        expect(clean(`${before} ${hint} ${after}`, key)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});

describe('vendor messages without secrets (rule: vendor-words)', () => {
  test.each([
    'Requested 115 tokens (107 in the messages, 45 in the functions): at most 99 of 97, 110, 98 allowed.',
    'Invalid type for tools[0].function.parameters: expected an object, but got an array instead.',
    "max_tokens: 8192 > 4096, which is the maximum for claude-3-haiku-20240307 (code 0x5a, 'é').",
  ])('a vendor’s message without secrets is returned unchanged: %s', (message) => {
    expect(clean(message)).toBe(message);
  });

  test('a vendor’s message may contain 7 consecutive characters of the key', () => {
    const message = `The value ${canary.slice(5, 12)} is not valid.`;
    expect(clean(message)).toBe(message);
  });

  test('a vendor’s message may contain a word that is part of the key', () => {
    expect(clean('No such model.', 'sk-model-0123456789')).toBe('No such model.');
  });

  test('a vendor’s message is returned if no key was sent', () => {
    const message = { message: 'No key was sent.', parameter: undefined };
    expect(cleanVendorWords(message, [])).toBe('No key was sent.');
  });
});

describe('cleaning vendor messages (rule: vendor-words)', () => {
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
  ])('a vendor’s message is returned on one line without private parts: %j becomes %j', (message, cleaned) => {
    expect(clean(message)).toBe(cleaned);
  });

  test('a vendor’s message is cut at 500 characters without splitting a surrogate pair', () => {
    for (const length of [499, 500, 501, 5_000, 1_000_000]) {
      const shown = clean('😀'.repeat(length)) ?? '';
      expect(shown.length).toBeLessThanOrEqual(500);
      expect(shown.isWellFormed()).toBe(true);
    }
    expect(clean('x'.repeat(500))).toBe('x'.repeat(500));
  });

  test('the name of the parameter is appended to a vendor’s message that does not contain it', () => {
    const words = (message: string) => cleanVendorWords({ message, parameter: 'tools[0].name' }, []);
    expect(words('Invalid value.')).toBe('Invalid value. (tools[0].name)');
    expect(words("Invalid 'tools[0].name'.")).toBe("Invalid 'tools[0].name'.");
  });
});

describe.each(ways)('vendor messages from $title', (way) => {
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
  ])('the caller sees the vendor’s message for the fault %s (rule: vendor-words)', async (fault, word) => {
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
  ])('the caller does not see the vendor’s message for the fault %s (rule: vendor-words)', async (fault) => {
    expect(await wordsOf({ fault, retryAfter: '0' })).toBeNull();
  });

  test('the caller does not see a vendor’s message about billing, even without an error code (rule: vendor-words)', async () => {
    const poor = () => {
      throw new Error('Your credit balance is too low.');
    };
    expect(await wordsOf(poor)).toBeNull();
  });

  test('the caller does not see a vendor’s message that repeats the key (rule: vendor-words)', async () => {
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
  ['{"message": "no error object"}', 'no error object'],
  ['{"detail": "no such model"}', 'no such model'],
  ['{"detail": [{"msg": "no such model"}]}', 'no such model'],
  ['{"errors": ["no such model", {"message": "try another"}]}', 'no such model; try another'],
  ['{"error": [{"message": "no such model"}]}', 'no such model'],
  ['[{"error": {"code": 404, "message": "no such model"}}]', 'no such model'],
  ['{"object": "error", "message": {"detail": [{"msg": "no such model"}]}}', 'no such model'],
  ['not found', null],
])('the 404 body %s of a compatible server is quoted as %j', async (body, words) => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(body);
  });
  const url = await listen(server);
  const provider = connect(directoryAt(url), 'any', 'local');
  const failure = await failureOf(ask(provider, { model: 'any', streamed: false }));
  server.close();
  expect(failure).toMatchObject({ failure: 'model_not_found', vendorWords: words });
});
