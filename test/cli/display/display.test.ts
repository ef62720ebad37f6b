import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loadWidths } from '../../../src/cli/display/columns.js';
import { Display } from '../../../src/cli/display/display.js';
import { Emulator } from '../../support/emulator.js';

beforeAll(loadWidths);

function open(columns = 40, rows = 10) {
  const emulator = new Emulator(columns, rows);
  return { emulator, display: new Display(emulator.output, { environment: { LANG: 'C.UTF-8' } }) };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row ${index + 1}`);

describe('live region (rule: terminal)', () => {
  test('the display prints lines above the live region and keeps the parts of the region in order', async () => {
    const { emulator, display } = open();
    display.show('status', ['Thinking']);
    display.show('text', ['half a sentence']);
    display.print('one\ntwo');
    display.print('three');
    expect(await emulator.rows()).toEqual(['one', 'two', 'three', 'half a sentence', 'Thinking']);
    display.show('text', []);
    display.show('status', []);
    display.print('four');
    expect(await emulator.rows()).toEqual(['one', 'two', 'three', 'four']);
  });

  test('the display places the cursor where the person types', async () => {
    const { emulator, display } = open();
    display.show('input', ['› first', '  second'], { row: 0, column: 4 });
    display.show('hint', ['help']);
    display.print('above');
    expect(await emulator.cursor()).toEqual({ row: 1, column: 4 });
    display.show('input', ['› first', '  second'], { row: 1, column: 8 });
    display.flush();
    expect(await emulator.cursor()).toEqual({ row: 2, column: 8 });
    expect(await emulator.rows()).toEqual(['above', '› first', '  second', 'help']);
  });

  test('the display cuts live rows wider than the window and keeps rows of exactly its width whole', async () => {
    const { emulator, display } = open(10);
    display.show('text', ['1234567890', '12345678901234', '日本語日本語日本語']);
    display.show('status', ['end']);
    display.flush();
    expect(await emulator.rows()).toEqual(['1234567890', '1234567890', '日本語日本', 'end']);
  });

  test('a live region taller than the window does not corrupt printed lines', async () => {
    const { emulator, display } = open(40, 5);
    display.print('before');
    display.show('text', numbered(20));
    display.print('after');
    display.show('text', ['small']);
    display.flush();
    expect(await emulator.rows()).toEqual(['before', 'after', 'small']);
  });

  test('the display rewrites only the live rows that changed', () => {
    const { emulator, display } = open();
    display.show('text', numbered(8));
    display.flush();
    const before = emulator.written.length;
    display.show('text', [...numbered(7), 'changed']);
    display.flush();
    const frame = emulator.written.slice(before);
    expect(frame).toContain('changed');
    expect(frame).not.toContain('row');
    display.flush();
    expect(emulator.written).toHaveLength(before + frame.length);
  });

  test('the display writes each frame as one synchronized update', () => {
    const { emulator, display } = open();
    display.show('text', numbered(3));
    display.print('above');
    expect(emulator.writes).toHaveLength(2);
    for (const piece of emulator.writes) {
      expect(piece.startsWith('\u001b[?2026h')).toBe(true);
      expect(piece.indexOf('\u001b[?2026l')).toBe(piece.length - '\u001b[?2026l'.length);
    }
  });

  test.each([
    ['narrower', 20],
    ['much narrower', 7],
    ['wider', 60],
  ])('after the window was made %s, it still shows the printed lines, and the live region once', async (_, columns) => {
    const { emulator, display } = open(40, 12);
    display.print('printed');
    display.show('text', ['x'.repeat(38), 'short', 'y'.repeat(30)]);
    display.show('input', ['› typed'], { row: 0, column: 7 });
    display.flush();
    await emulator.rows();
    emulator.resize(columns, 12);
    const shown = (await emulator.rows()).join('\n');
    expect(shown.match(/› typed/g)).toHaveLength(1);
    expect(shown.match(/short/g)).toHaveLength(1);
    expect(shown).toContain('printed');
  });

  test('clearing the screen moves the live region and cursor to the top', async () => {
    const { emulator, display } = open();
    display.print('printed');
    display.show('input', ['› typed'], { row: 0, column: 7 });
    display.clear();
    expect((await emulator.window())[0]).toBe('› typed');
    expect(await emulator.cursor()).toEqual({ row: 0, column: 7 });
  });

  test('the display hides the live region while another program runs and restores it afterwards', async () => {
    const { emulator, display } = open();
    display.show('status', ['Thinking']);
    await display.without(() => {
      display.show('status', ['still thinking']);
      display.print('something happened');
      emulator.write('an editor\n');
    });
    expect(await emulator.rows()).toEqual(['an editor', 'something happened', 'still thinking']);
  });

  test('the screen always has all printed lines in order, with the live rows below', async () => {
    const row = fc.stringMatching(/^[a-z語é]{0,12}$/);
    const change = fc.oneof(
      fc.record({
        part: fc.constantFrom('text', 'status', 'input' as const),
        rows: fc.array(row, { maxLength: 6 }),
      }),
      fc.record({ line: fc.stringMatching(/^[a-z]{1,12}$/) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const { emulator, display } = open(30, 30);
        const printed: string[] = [];
        const live: Record<'text' | 'status' | 'input', readonly string[]> = {
          text: [],
          status: [],
          input: [],
        };
        for (const made of changes) {
          if ('line' in made) {
            display.print(made.line);
            printed.push(made.line);
          } else {
            display.show(made.part as keyof typeof live, made.rows);
            live[made.part as keyof typeof live] = made.rows;
          }
        }
        display.flush();
        const all = [...printed, ...live.text, ...live.status, ...live.input].join('\n');
        expect((await emulator.rows()).join('\n')).toBe(all.trimEnd());
      }),
      { numRuns: 60 },
    );
  });
});

describe('terminals without cursor movement or UTF-8', () => {
  test('TERM=dumb gets the printed lines without cursor movement', () => {
    const emulator = new Emulator();
    const display = new Display(emulator.output, { environment: { TERM: 'dumb' } });
    display.show('status', ['Thinking']);
    display.print('one');
    expect(emulator.written).toBe('one\n');
  });

  test('a locale without UTF-8 gets ASCII signs and letters without accents', () => {
    const emulator = new Emulator();
    const display = new Display(emulator.output, { environment: { LANG: 'de_DE.ISO-8859-1', TERM: 'dumb' } });
    display.print('╭─ ▰▰▱░ café 日本 “so”…');
    expect(emulator.written).toBe('+- ##-. cafe ?? "so"~\n');
  });
});
