import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LastState } from '../../src/tools/run/last-state.js';

/** Returns the text that a terminal would show in the end for an output that arrives in these chunks. */
function lastState(...chunks: readonly string[]): string {
  const screen = new LastState();
  return chunks.map((chunk) => screen.add(chunk)).join('') + screen.end();
}

/** Cuts a text at every position in turn, so that each sequence is split everywhere. */
const cuts = (text: string) => [...text].map((_, at) => [text.slice(0, at), text.slice(at)] as const);

describe('output as a terminal would finally show it (rule: command-output)', () => {
  test.each([
    ['a progress bar', 'at 1%\rat 20%\rat 100%\n', 'at 100%\n'],
    ['a shorter text over a longer one', 'downloading\rdone\n', 'doneloading\n'],
    ['a text erased by spaces', 'downloading\r           \rdone\n', 'done\n'],
    ['a text erased to the end of the line', 'downloading\rdone\u001b[K\n', 'done\n'],
    ['an erased line', 'downloading\u001b[2K\rdone\n', 'done\n'],
    ['an erased beginning', 'abc def\u001b[4D\u001b[1K\rxy\n', 'xy  def\n'],
    ['backspaces', '10%\b\b\b20%\b\b\b30%\n', '30%\n'],
    ['a spinner', '|\b/\b-\b\\\bok\n', 'ok\n'],
    ['more backspaces than characters', 'a\b\b\b\bxy\n', 'xy\n'],
    ['a cursor sent to a column', 'aaaa\u001b[2Gb\u001b[4Gc\n', 'abac\n'],
    ['a cursor moved to the left and right', 'abcd\u001b[3DX\u001b[1CY\n', 'aXcY\n'],
    ['removed characters', 'abcd\r\u001b[2P\n', 'cd\n'],
    ['two bars redrawn together', 'a 1\nb 1\n\u001b[2A\ra 2\nb 2\n', 'a 2\nb 2\n'],
    ['rows erased below the cursor', 'a\nb\nc\n\u001b[3A\u001b[Jdone\n', 'done\n'],
    ['Windows line ends', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['characters of two units', '😀😀\rab\n', 'ab\n'],
    ['no line break at the end', 'at 1%\rat 2%', 'at 2%'],
    ['NUL, which separates names', 'a\0b\0', 'a\0b\0'],
    ['tabs and empty lines', '\ta\n\n\nb\n', '\ta\n\n\nb\n'],
  ])('only the final text is kept where output overwrites itself: %s', (_, output, expected) => {
    expect(lastState(output)).toBe(expected);
    for (const chunks of cuts(output)) expect(lastState(...chunks)).toBe(expected);
  });

  test.each([
    ['colours', '\u001b[31mred\u001b[0m \u001b[1;38;5;200mbold\u001b[m\n', 'red bold\n'],
    ['colours with colons', '\u001b[38:2::1:2:3mred\u001b[0m\n', 'red\n'],
    ['a window title that ends with BEL', '\u001b]0;title\u0007text\n', 'text\n'],
    ['a link that ends with ST', '\u001b]8;;https://a.example\u001b\\text\u001b]8;;\u001b\\\n', 'text\n'],
    ['a device string', '\u001bPq#0;2;0\u001b\\text\n', 'text\n'],
    ['control sequences of one character', '\u009b31mred\u009b0m \u009d0;title\u009ctext\n', 'red text\n'],
    [
      'character sets, saved cursors, modes',
      '\u001b(B\u001b7\u001b[?25ltext\u001b8\u001b[?25h\u001b=\n',
      'text\n',
    ],
    ['a bell', 'text\u0007\n', 'text\n'],
    ['a title without end', '\u001b]0;title\ntext\n', '0;title\ntext\n'],
    ['a sequence without end', 'text\u001b[3', 'text'],
  ])('escape sequences are removed from the output: %s', (_, output, expected) => {
    expect(lastState(output)).toBe(expected);
    for (const chunks of cuts(output)) expect(lastState(...chunks)).toBe(expected);
  });

  test('output without control characters is unchanged, in chunks of any size', () => {
    const chunk = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constantFrom('\n', '\t', '\0'));
    fc.assert(
      fc.property(fc.array(chunk), (chunks) => {
        expect(lastState(...chunks)).toBe(chunks.join(''));
      }),
    );
  });

  test('the result contains no escape, carriage return or backspace, and is the same in chunks of any size', () => {
    const parts = fc.constantFrom(
      'a',
      'bc',
      '\r',
      '\b',
      '\n',
      '\u001b[',
      '\u001b]',
      '2K',
      'A',
      '\u0007',
      '\u001b\\',
      '\u009b',
      ';',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), fc.nat(), (all, seed) => {
        const output = all.join('');
        const at = seed % (output.length + 1);
        const result = lastState(output);
        for (const control of ['\u001b', '\r', '\b', '\u009b', '\u0007'])
          expect(result).not.toContain(control);
        const isPair = /[\ud800-\udbff]$/.test(output.slice(0, at));
        if (!isPair) expect(lastState(output.slice(0, at), output.slice(at))).toBe(result);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['two million frames', '\rframe', 2_000_000],
    ['a long line with backspaces', 'x\b', 2_000_000],
    ['unfinished titles', '\u001b]', 1_000_000],
    ['unfinished titles of one character', '\u009dx', 1_000_000],
    ['cursor movements', '\u001b[A\u001b[99999999C\u001b[99999999B', 100_000],
    ['colours', '\u001b[31mx\u001b[0m', 500_000],
  ])('a hostile output takes linear time and bounded memory: %s', (_, part, count) => {
    const screen = new LastState();
    const chunk = part.repeat(1_000);
    const began = performance.now();
    for (let sent = 0; sent < count; sent += 1_000) screen.add(chunk);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(screen.end().length).toBeLessThan(1_000_000);
  });
});
