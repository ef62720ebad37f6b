import { StringDecoder } from 'node:string_decoder';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyDecoder, type KeyPress } from '../../../src/cli/input/decode-keys.js';

const decode = (...reads: readonly string[]): readonly KeyPress[] => {
  const decoder = new KeyDecoder();
  return [...reads.flatMap((read) => decoder.push(read)), ...decoder.flush()];
};
const names = (...reads: readonly string[]) =>
  decode(...reads).map(({ name, text }) => (text ? `${name}:${text}` : name));

describe('key decoding (rule: terminal)', () => {
  test.each([
    ['a word and Enter', 'hi\r', ['text:hi', 'enter']],
    ['Ctrl-J and Alt-Enter', '\n\u001b\r', ['ctrl-j', 'alt-enter']],
    [
      'arrows of both kinds',
      '\u001b[A\u001bOB\u001b[1;5C\u001b[1;3D',
      ['up', 'down', 'ctrl-right', 'alt-left'],
    ],
    ['word keys', '\u001bb\u001bf\u001b\u007f\u0017', ['alt-b', 'alt-f', 'alt-backspace', 'ctrl-w']],
    ['Home, End and Delete', '\u001b[H\u001b[4~\u001b[3~', ['home', 'end', 'delete']],
    ['Esc twice', '\u001b\u001b', ['escape', 'escape']],
    ['unknown sequences', '\u001b[38;5;9Z\u001b[99~', ['unknown', 'unknown']],
  ])('the key decoder reads %s', (_, read, keys) => {
    expect(names(read)).toEqual(keys);
  });

  test('the key decoder joins an escape sequence that arrives in parts, and reports a lone escape as Esc', () => {
    expect(names('\u001b', '[', '1;5', 'D')).toEqual(['ctrl-left']);
    expect(names('\u001b')).toEqual(['escape']);
  });

  test('the key decoder reports a paste as one key however it is split, with \\n line breaks', () => {
    const whole = 'x\u001b[200~one\r\ntwo\rthree\n\u001b[31mred\u0007\u001b[201~y';
    const keys = ['text:x', 'paste:one\ntwo\nthree\nred', 'text:y'];
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const reads = places.slice(1).map((end, index) => whole.slice(places[index], end));
        expect(names(...reads)).toEqual(keys);
      }),
    );
  });

  test('the key decoder treats a long chunk of input with line breaks as a paste, and a short one as typing', () => {
    const traceback = 'Traceback (most recent call last):\r  File "a.py", line 1\rZeroDivisionError';
    expect(names(traceback)).toEqual([`paste:${traceback.replaceAll('\r', '\n')}`]);
    expect(names(traceback, '\r', 'y\r')).toEqual([`paste:${traceback.replaceAll('\r', '\n')}\ny\n`]);
    expect(names('yes\rno\r')).toEqual(['text:yes', 'enter', 'text:no', 'enter']);
  });

  test.each([
    ['Alt with a bracket', '\u001b[', ['alt-[']],
    ['an invalid sequence', '\u001b[é\r', ['alt-[', 'text:é', 'enter']],
    ['Esc and then Ctrl-C', '\u001b\u0003', ['escape', 'ctrl-c']],
    ['function keys of the Linux console', '\u001b[[Ax', ['unknown', 'text:x']],
    ['the mouse', '\u001b[M !!\u001b[<0;12;7Mx', ['unknown', 'unknown', 'text:x']],
    ['focus events', '\u001b[I\u001b[Ox', ['unknown', 'unknown', 'text:x']],
    [
      'colour reports of a terminal',
      '\u001b]11;rgb:0/0/0\u001b\\\u001bP1$r0m\u0007x',
      ['unknown', 'unknown', 'text:x'],
    ],
    ['a capital letter with Alt', '\u001bPx', ['alt-p', 'text:x']],
  ])('the key decoder reads %s', (_, read, keys) => {
    expect(names(read)).toEqual(keys);
  });

  /** Valid and invalid terminal input as bytes. */
  const bytes = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '\u001b',
          '[',
          'O',
          '2',
          ';',
          'M',
          '~',
          '\u001b[200~',
          '\u001b[201~',
          '\u001b]',
          '\u001b\\',
          '\u0007',
        ),
        fc.constantFrom('a', 'é', '界', '🙂', '\r', '\t', '\0', '\u0003', '\u009b'),
        fc.constantFrom(0xc3, 0xe7, 0xf0, 0x80, 0xff),
      ),
      { maxLength: 12 },
    )
    .map((pieces) =>
      Buffer.concat(pieces.map((piece) => Buffer.from(typeof piece === 'number' ? [piece] : piece))),
    );

  /** Returns the decoded keys as one text. Adjacent texts and pastes are joined. */
  const keysOf = (reads: readonly Buffer[]) => {
    const characters = new StringDecoder('utf8');
    const keys = decode(...reads.map((read) => characters.write(read)), characters.end());
    return keys.reduce<string>(
      (reported, { name, text }) =>
        name === 'text' && reported.endsWith('"')
          ? reported.slice(0, -1) + JSON.stringify(text).slice(1)
          : `${reported} ${name} ${JSON.stringify(text)}`,
      '',
    );
  };

  test('the key decoder gives the same keys however the bytes are split', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(60)), (whole, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
        const reads = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        const single = [...whole].map((byte) => Buffer.from([byte]));
        expect(keysOf(reads)).toBe(keysOf([whole]));
        expect(keysOf(single)).toBe(keysOf([whole]));
      }),
      { numRuns: 2_000 },
    );
  });

  test('the key decoder loses no character of input without escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const read = text.replaceAll('\u001b', '');
        const keys = decode(read);
        const typed = keys.map((key) => key.text).join('');
        expect(typed).toBe(read.replace(/\p{Cc}/gu, ''));
        expect(keys.filter(({ name }) => name !== 'text')).toHaveLength(read.match(/\p{Cc}/gu)?.length ?? 0);
      }),
    );
  });

  describe('pastes without an end sequence', () => {
    const overdue = () => {
      const decoder = new KeyDecoder();
      decoder.push('\u001b[200~one\rtwo');
      return { decoder, reported: decoder.flush() };
    };

    test('an unfinished paste is reported after a pause, and the next key is not part of the paste', () => {
      const { decoder, reported } = overdue();
      expect(reported).toEqual([{ name: 'paste', text: 'one\ntwo' }]);
      expect(decoder.flushAfterMs).toBeUndefined();
      expect(decoder.push('\u0003')).toEqual([{ name: 'ctrl-c', text: '' }]);
      expect(decoder.push('x\r').map(({ name }) => name)).toEqual(['text', 'enter']);
    });

    test('an end sequence that arrives late still ends the paste, and line breaks before it are not Enter', () => {
      const { decoder } = overdue();
      expect(decoder.push('\rthree\r')).toEqual([]);
      expect(decoder.push('four\u001b[201~x').map(({ name, text }) => [name, text])).toEqual([
        ['paste', '\nthree\nfour'],
        ['text', 'x'],
      ]);
    });

    test('a key sequence or an end sequence ends an unfinished paste, and later characters are typed text', () => {
      expect(overdue().decoder.push('\u001b[A')).toEqual([{ name: 'up', text: '' }]);
      const { decoder } = overdue();
      expect(decoder.push('\u001b[201~')).toEqual([{ name: 'paste', text: '' }]);
      expect(decoder.push('y')).toEqual([{ name: 'text', text: 'y' }]);
    });
  });
});
