import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { withoutNul } from '../../../src/sdk/base/without-nul.js';

describe('withoutNul (rule: nul-in-histories)', () => {
  test('withoutNul replaces each NUL in every text and name of a JSON value and changes nothing else', () => {
    const unit = fc.constantFrom('a', '\0', '\\', 'u0000', '"', '\uFFFD', '\n');
    const text = fc.string({ unit });
    const json = fc.letrec((tie) => ({
      value: fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      map: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    })).list;
    fc.assert(
      fc.property(json, (value) => {
        const list = value as unknown[];
        const text = JSON.stringify(withoutNul(list));
        expect(hasNul(JSON.parse(text))).toBe(false);
        if (!hasNul(list)) expect(withoutNul(list)).toBe(list);
      }),
    );
  });

  test('withoutNul leaves the written escape sequence of NUL as it is', () => {
    const written = { content: String.raw`\u0000` };
    expect(withoutNul(written)).toEqual(written);
    expect(withoutNul({ content: `${written.content}\0` })).toEqual({ content: `${written.content}\uFFFD` });
  });
});

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => name.includes('\0') || hasNul(member));
}
