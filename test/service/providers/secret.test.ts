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

describe('a secret (rule: key-redaction)', () => {
  test('is printable ASCII without spaces, 8 to 512 of it', () => {
    const wrong = [
      '',
      'short',
      'has space',
      'tab\tinside',
      'line\nbreak1',
      'nul\0inside',
      'übergross',
      ' leading1',
      'x'.repeat(513),
    ];
    for (const text of wrong) expect(Secret.parse(text)).toBeUndefined();
    for (const text of ['12345678', 'x'.repeat(512), 'sk-"quoted"\\'])
      expect(Secret.parse(text)?.reveal()).toBe(text);
  });

  test('prints as [redacted] wherever it ends up', () => {
    const key = secretOf('sk-very-secret');
    const printed = [
      String(key),
      `${key}`,
      JSON.stringify({ key }),
      inspect(key),
      inspect({ deep: [key] }),
      `${Object.values(key)}`,
    ];
    expect(printed.join()).not.toContain('secret');
    expect(String(key)).toBe('[redacted]');
  });

  test('is redacted in every shape: raw, escaped, encoded at any offset, its ends', () => {
    fc.assert(
      fc.property(anyKey, anyText, anyText, (text, before, after) => {
        const key = secretOf(text);
        const shapes = [
          text,
          JSON.stringify(text).slice(1, -1),
          JSON.stringify(JSON.stringify({ text })),
          encodeURIComponent(text),
          text.slice(0, 8),
          text.slice(-8),
        ];
        for (const shape of shapes.slice(0, 2))
          expect(key.redact(before + shape + after)).not.toContain(text);
        for (const shape of shapes) expect(key.redact(shape)).not.toContain(text.slice(0, 8));
        const encoded = Buffer.from(`${before}${text}${after}`).toString('base64');
        const core = Buffer.from(text).toString('base64').slice(0, -4);
        expect(key.redact(encoded)).not.toContain(core);
      }),
    );
  });

  test('leaves other text alone', () => {
    const text = 'the quick brown fox 12345678';
    expect(secretOf('sk-canary-0001').redact(text)).toBe(text);
  });
});
