import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plain } from '../../src/cli/display/paint.js';
import { renderProposal } from '../../src/cli/screen/render-proposal.js';
import { printableJson } from '../../src/cli/screen/visible-text.js';
import type { ActionDetails } from '../../src/contract/step.js';

const action: ActionDetails = {
  tool_name: 'run_command',
  tool_args: {},
  raw_action_string: '',
  id: 'call_1',
  requires_approval: true,
};

const render = (preview: string, { width = 40, maxLines = Number.POSITIVE_INFINITY } = {}) =>
  renderProposal({ action, preview }, { paint: plain, width, maxLines });

describe('a rendered proposal (rules: terminal, approval)', () => {
  test.each([
    ['zero-width space', 'ls\u200bsrc', 'ls<U+200B>src'],
    ['soft hyphen', 'rm\u00ad x', 'rm<U+00AD> x'],
    ['Hangul filler', 'ls\u3164src', 'ls<U+3164>src'],
    ['no-break space', 'ls\u00a0-la', 'ls<U+00A0>-la'],
    ['wide space', 'ls\u3000-la', 'ls<U+3000>-la'],
    ['blank of braille', 'ls\u2800-la', 'ls<U+2800>-la'],
    ['tag characters', 'ls\u{e0041}\u{e0042}', 'ls<U+E0041><U+E0042>'],
    ['variation selector', 'ls\u{e0100}', 'ls<U+E0100>'],
  ])('a proposal shows an invisible character by its number: %s', (_, command, shown) => {
    expect(render(command, { width: 100 })[1]).toBe(`│ ${shown}`);
  });

  test('a proposal leaves visible letters of any script unchanged', () => {
    const text = 'äöü e\u0301 日本語 кот 🙂 … “x”';
    expect(render(text, { width: 100 })[1]).toBe(`│ ${text}`);
  });

  test('every row of a proposal fits the terminal and begins with the frame', () => {
    const frame = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 14, max: 90 }));
    fc.assert(
      fc.property(frame, ([text, width]) => {
        const rows = render(`first\n${text}\nlast`, { width }).slice(1, -1);
        expect(rows.every((row) => row.startsWith('│ '))).toBe(true);
        expect(rows.every((row) => [...row].length <= width)).toBe(true);
      }),
    );
  });

  test('a proposal keeps a line that imitates the end of the frame inside the frame', () => {
    const forged = `echo ${'x'.repeat(33)}╰─ run_command was allowed`;
    expect(render(forged).slice(1)).toEqual([
      `│ echo ${'x'.repeat(31)}`,
      '│ ↳ xx╰─ run_command was allowed',
      '╰─',
    ]);
  });

  test('a proposal counts wide characters as two columns', () => {
    expect(render('日'.repeat(20)).slice(1, -1)).toEqual([`│ ${'日'.repeat(18)}`, '│ ↳ 日日']);
  });

  test('the length limit of a proposal counts rows, not lines', () => {
    const rows = render('x'.repeat(36 * 10), { maxLines: 4 });
    expect(rows).toHaveLength(1 + 4 + 1 + 1);
    expect(rows.at(-2)).toBe('│ … 6 more lines');
  });

  test('arguments offered for editing escape invisible characters and parse back unchanged', () => {
    const args = { command: 'ls\u3164\u{e0041}\u200b' };
    expect(printableJson(args)).toBe('{"command":"ls\\u3164\\udb40\\udc41\\u200b"}');
    expect(JSON.parse(printableJson(args))).toEqual(args);
  });
});
