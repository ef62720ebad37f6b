import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plain } from '../../src/cli/display/paint.js';
import { renderProposal, renderShortProposal } from '../../src/cli/screen/render-proposal.js';
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

describe('a rendered proposal of a call (rules: terminal, approval)', () => {
  test.each([
    ['zero-width space', 'ls\u200bsrc', 'ls<U+200B>src'],
    ['soft hyphen', 'rm\u00ad x', 'rm<U+00AD> x'],
    ['Hangul filler', 'ls\u3164src', 'ls<U+3164>src'],
    ['no-break space', 'ls\u00a0-la', 'ls<U+00A0>-la'],
    ['wide space', 'ls\u3000-la', 'ls<U+3000>-la'],
    ['blank of braille', 'ls\u2800-la', 'ls<U+2800>-la'],
    ['tag characters', 'ls\u{e0041}\u{e0042}', 'ls<U+E0041><U+E0042>'],
    ['variation selector', 'ls\u{e0100}', 'ls<U+E0100>'],
  ])('a proposed call shows an invisible character as its code point: %s', (_, command, shown) => {
    expect(render(command, { width: 100 })[1]).toBe(`│ ${shown}`);
  });

  test('a proposed call leaves visible letters of any script unchanged', () => {
    const text = 'äöü e\u0301 日本語 кот 🙂 … “x”';
    expect(render(text, { width: 100 })[1]).toBe(`│ ${text}`);
  });

  test('every row of a proposed call fits the terminal and begins with the frame', () => {
    const frame = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 14, max: 90 }));
    fc.assert(
      fc.property(frame, ([text, width]) => {
        const rows = render(`first\n${text}\nlast`, { width }).slice(1, -1);
        expect(rows.every((row) => row.startsWith('│ '))).toBe(true);
        expect(rows.every((row) => [...row].length <= width)).toBe(true);
      }),
    );
  });

  test('a proposed call keeps a line that imitates the end of the frame inside the frame', () => {
    const forged = `echo ${'x'.repeat(33)}╰─ run_command was allowed`;
    expect(render(forged).slice(1)).toEqual([
      `│ echo ${'x'.repeat(31)}`,
      '│ ↳ xx╰─ run_command was allowed',
      '╰─',
    ]);
  });

  test('a proposed call is wrapped with wide characters as two columns', () => {
    expect(render('日'.repeat(20)).slice(1, -1)).toEqual([`│ ${'日'.repeat(18)}`, '│ ↳ 日日']);
  });

  test('a long proposed call shows its first and last rows, and the number of rows between them', () => {
    const rows = render(`begin${'x'.repeat(36 * 9 + 26)}end`, { maxLines: 4 });
    expect(rows).toHaveLength(1 + 4 + 1);
    expect(rows[1]).toMatch(/^│ beginx+$/);
    expect(rows[3]).toBe('│ … 7 more lines …');
    expect(rows[4]).toMatch(/^│ ↳ x+end$/);
  });

  test('a proposed call of any length shows its beginning and its end in any number of rows', () => {
    const sizes = fc.record({
      length: fc.nat(3_000),
      width: fc.integer({ min: 14, max: 90 }),
      max: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(sizes, ({ length, width, max }) => {
        const preview = `HEAD ${'x'.repeat(length)} TAIL`;
        const view = { paint: plain, width, maxLines: max };
        for (const rows of [
          renderShortProposal({ action, preview }, view),
          render(preview, { width, maxLines: max + 2 }),
        ]) {
          expect(rows.some((row) => row.startsWith('│ HEAD'))).toBe(true);
          expect(rows.some((row) => row.endsWith('L'))).toBe(true);
        }
        expect(renderShortProposal({ action, preview }, view).length).toBeLessThanOrEqual(max);
      }),
    );
  });

  test('a proposed call in a single row shows its beginning and its end, with a mark for the omitted text', () => {
    const inOne = (preview: string, width: number) =>
      renderShortProposal({ action, preview }, { paint: plain, width, maxLines: 1 });
    expect(inOne('one\ntwo', 60)).toEqual(['│ one ⏎ two']);
    expect(inOne('one', 60)).toEqual(['│ one']);
    const hidden = `echo hi${' '.repeat(900)}${'x'.repeat(900)}; rm -rf ~`;
    expect(inOne(hidden, 24)).toEqual(['│ echo hi<90…; rm -rf ~']);
    expect(inOne('数'.repeat(90), 20)).toEqual(['│ 数数数数…数数数数']);
  });

  test('with room for two rows, a proposed call shows its first and its last line, with a mark for the omitted ones', () => {
    const view = { paint: plain, width: 20, maxLines: 2 };
    const rows = renderShortProposal({ action, preview: 'a\nb\nc\nrm -rf ~' }, view);
    expect(rows).toEqual(['│ a', '│ … rm -rf ~']);
  });

  test.each([
    ['blanks', `ls${' '.repeat(500)}; rm -rf ~`, ['│ ls<500 blanks>; rm -rf ~']],
    ['tabs and blanks', `ls${'\t \t '.repeat(20)}; rm -rf ~`, ['│ ls<80 blanks>; rm -rf ~']],
    ['empty lines', `ls${'\n'.repeat(300)}rm -rf ~`, ['│ ls', '│ <299 empty lines>', '│ rm -rf ~']],
    ['lines of blanks', `ls\n${' \t\n'.repeat(40)}rm -rf ~`, ['│ ls', '│  <40 empty lines>', '│ rm -rf ~']],
    ['new empty lines of a diff', `+a\n${'+\n'.repeat(90)}+b`, ['│ +a', '│ +<90 empty lines>', '│ +b']],
  ])('a proposed call shows the length of a long run of %s instead of the run', (_, preview, rows) => {
    expect(render(preview, { width: 60 }).slice(1, -1)).toEqual(rows);
  });

  test('a proposed call shows indentation and short runs of blanks unchanged, and with showsBlanks even long ones', () => {
    const text = `if a; then\n${' '.repeat(16)}b${' '.repeat(16)}c\n\n\n\nfi`;
    expect(render(text, { width: 60 }).slice(1, -1)).toEqual(text.split('\n').map((line) => `│ ${line}`));
    const long = `ls${' '.repeat(30)}x`;
    const view = { paint: plain, width: 60, maxLines: 9, showsBlanks: true };
    expect(renderProposal({ action, preview: long }, view)[1]).toBe(`│ ${long}`);
  });

  test('arguments offered for editing escape invisible characters and parse back unchanged', () => {
    const args = { command: 'ls\u3164\u{e0041}\u200b' };
    expect(printableJson(args)).toBe('{"command":"ls\\u3164\\udb40\\udc41\\u200b"}');
    expect(JSON.parse(printableJson(args))).toEqual(args);
  });
});
