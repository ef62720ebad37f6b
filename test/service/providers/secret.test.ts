import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Secret } from '../../../src/service/providers/secret.js';
import { secretOf } from '../../support/providers/requests.js';

const anyKey = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 512,
});
const anyText = fc.string({ unit: 'binary', maxLength: 40 });

/**
 * A key that has no 8 consecutive characters in common with any of its encoded forms, and whose base64 differs
 * between the standard and the URL alphabet.
 */
const key = 'a"1>?~\\b+2/c"3>?~\\d+4/e"5>?~\\f+6';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');

const literalForms: Readonly<Record<string, string>> = {
  raw: key,
  'JSON-escaped': JSON.stringify(key).slice(1, -1),
  'JSON-escaped with escaped slashes': JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
  'percent-encoded': encodeURIComponent(key),
  'percent-encoded in lower case': encodeURIComponent(key).replace(/%../g, (each) => each.toLowerCase()),
};

/** The key in base64 between other bytes. */
const base64Forms: Readonly<Record<string, string>> = {
  'in base64': base64(`${key}yyy`),
  'in base64 after one byte': base64(`x${key}yyy`),
  'in base64 after two bytes': base64(`xx${key}yyy`),
  'in base64 for URLs': base64url(`${key}yyy`),
  'in base64 for URLs after one byte': base64url(`x${key}yyy`),
  'in base64 for URLs after two bytes': base64url(`xx${key}yyy`),
};

/** Returns the part of a base64 form that adjacent bytes do not affect. */
const core = (form: string): string => form.slice(4, -8);

describe('keys as secrets (rule: key-redaction)', () => {
  test('a key is printable ASCII without spaces, 8 to 8192 characters', () => {
    const wrong = [
      '',
      'short',
      'has space',
      'tab\tinside',
      'line\nbreak1',
      'nul\0inside',
      'übergross',
      ' leading1',
      'x'.repeat(8_193),
    ];
    for (const text of wrong) expect(Secret.parse(text)).toBeUndefined();
    for (const text of ['12345678', 'x'.repeat(8_192), 'sk-"quoted"\\'])
      expect(Secret.parse(text)?.reveal()).toBe(text);
  });

  test('a key prints as [redacted] in strings, JSON and inspect', () => {
    const secret = secretOf('sk-very-secret');
    const printed = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ deep: [secret] }),
      `${Object.values(secret)}`,
    ];
    expect(printed.join()).not.toContain('very');
    expect(String(secret)).toBe('[redacted]');
  });

  test.each(Object.entries(literalForms))('a key is redacted from a text that contains it %s', (_, form) => {
    expect(secretOf(key).redact(`before${form}after`)).toBe('before[redacted]after');
  });

  test.each(Object.entries(base64Forms))('a key is redacted from a text that contains it %s', (_, form) => {
    const redacted = secretOf(key).redact(`before ${form} after`);
    expect(redacted).toMatch(/^before .{0,4}\[redacted\].{0,8} after$/);
    const fragments = Array.from({ length: core(form).length - 3 }, (_, at) => core(form).slice(at, at + 4));
    expect(fragments.filter((fragment) => redacted.includes(fragment))).toEqual([]);
  });

  test('the first 8 and the last 8 characters of a key are each redacted', () => {
    const secret = secretOf('sk-12345-middle-of-it-abcdefgh');
    expect(secret.redact('a key sk-12345… is wrong')).toBe('a key [redacted]… is wrong');
    expect(secret.redact('a key …abcdefgh is wrong')).toBe('a key …[redacted] is wrong');
  });

  test('a key is redacted from any text', () => {
    fc.assert(
      fc.property(anyKey, anyText, anyText, (text, before, after) => {
        const secret = secretOf(text);
        for (const form of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]) {
          expect(secret.redact(before + form + after)).not.toContain(form);
        }
        const encoded = base64(text).slice(0, -4);
        expect(secret.redact(base64(`${before}${text}${after}`))).not.toContain(encoded);
      }),
    );
  });

  test('redacting a key leaves other text unchanged', () => {
    const text = 'the quick brown fox 12345678';
    expect(secretOf('sk-canary-0001').redact(text)).toBe(text);
  });

  test.each(
    Object.entries({ ...literalForms, ...base64Forms }),
  )('8 consecutive characters of a key are detected %s', (_, form) => {
    const middle = Math.floor(form.length / 2);
    expect(secretOf(key).isHintedAtIn(`before ${form.slice(middle - 4, middle + 4)} after`)).toBe(true);
  });

  test('7 consecutive characters of a key are not detected', () => {
    expect(secretOf(key).isHintedAtIn(`before ${key.slice(8, 15)} after`)).toBe(false);
  });
});
