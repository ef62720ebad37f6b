import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutAround } from '../../../../src/service/context/cutting/cut-around.js';
import { cutLines } from '../../../../src/service/context/cutting/cut-lines.js';
import { countWords, wordCounter } from '../../../support/word-counter.js';

const numbered = (lines: number) =>
  Array.from({ length: lines }, (_, index) => (index % 5 === 2 ? '' : `line ${index + 1} of the file`)).join(
    '\n',
  );

describe('cutting by lines (rule: cut-by-lines)', () => {
  test('a text that fits its limit is not cut', async () => {
    const text = 'a\n\nb\n';
    expect(await cutLines({ text }, { tokens: 100, counter: wordCounter })).toMatchObject({
      text,
      cut: false,
      lines: [{ first: 1, last: 3 }],
    });
  });

  test('a cut keeps blank lines, and its marker line states which lines are missing and how to request them', async () => {
    const text = numbered(200);
    const source = { text, howToAsk: (lines: string) => `ask for src/a.ts:${lines}` };
    const cut = await cutLines(source, { tokens: 200, counter: wordCounter });
    const [head, tail] = cut?.wholeLines ?? [];
    const cutLinesOfText = cut?.text.split('\n') ?? [];
    const lines = text.split('\n');
    expect(cutLinesOfText.slice(0, head?.last)).toEqual(lines.slice(0, head?.last));
    expect(cutLinesOfText.slice((head?.last ?? 0) + 1)).toEqual(lines.slice((tail?.first ?? 0) - 1));
    const missing = `${(head?.last ?? 0) + 1}-${(tail?.first ?? 0) - 1}`;
    expect(cutLinesOfText[head?.last ?? 0]).toBe(
      `[lines ${missing} of 200 left out; ask for src/a.ts:${missing}]`,
    );
    expect(cut?.tokens).toBeGreaterThan(180);
  });

  test('the marker in a cut excerpt of a file uses the line numbers of the whole file', async () => {
    const cut = await cutLines(
      { text: numbered(50), firstLine: 101, totalLines: 400 },
      { tokens: 90, counter: wordCounter },
    );
    expect(cut?.text).toMatch(/\[lines 1\d\d-1\d\d of 400 left out\]/);
    expect(cut?.wholeLines.at(0)?.first).toBe(101);
    expect(cut?.wholeLines.at(-1)?.last).toBe(150);
  });

  test('a text of one giant line is cut between code points', async () => {
    const text = '😀'.repeat(5_000);
    const cut = await cutLines({ text }, { tokens: 300, counter: wordCounter });
    expect(cut?.text).toMatch(/^(😀)+\n\[\d+ characters of line 1 of 1 left out\]\n(😀)+$/u);
    expect(cut?.wholeLines).toEqual([]);
    expect(cut?.lines).toEqual([{ first: 1, last: 1 }]);
  });

  test('short lines around a giant line are kept', async () => {
    const text = `short 1\nshort 2\n${'x '.repeat(20_000)}\nlast\n`;
    const cut = await cutLines({ text }, { tokens: 200, counter: wordCounter });
    expect(cut?.text).toMatch(/^short 1\nshort 2\nx x /);
    expect(cut?.text).toMatch(/\nlast\n$/);
    expect(cut?.lines).toEqual([{ first: 1, last: 4 }]);
    expect(cut?.wholeLines).toEqual([
      { first: 1, last: 2 },
      { first: 4, last: 4 },
    ]);
  });

  test('cutLines returns undefined if not even the marker fits', async () => {
    expect(await cutLines({ text: numbered(100) }, { tokens: 3, counter: wordCounter })).toBeUndefined();
  });

  test('a cut of any text stays within any limit and consists of a head and a tail of the text', async () => {
    const line = fc.oneof(
      fc.constant(''),
      fc.string({ maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 30 }),
    );
    const text = fc.array(line, { maxLength: 80 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 0, max: 300 }), async (source, limit) => {
        const cut = await cutLines({ text: source }, { tokens: limit, counter: wordCounter });
        if (!cut) return;
        expect(cut.tokens).toBe(countWords(cut.rendered));
        expect(cut.tokens).toBeLessThanOrEqual(limit);
        if (!cut.cut) return expect(cut.text).toBe(source);
        const [, head = '', tail = ''] =
          /^(.*?)\[(?:\d+ characters of )?lines? [\d-]+ of \d+ left out\]\n(.*)$/s.exec(cut.text) ?? [];
        expect(source.startsWith(head) || source.startsWith(head.slice(0, -1))).toBe(true);
        expect(source.endsWith(tail)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('cutting a text counts tokens at most 15 times, and a second counter of the same encoding gives the same result', async () => {
    const text = numbered(20_000);
    let counts = 0;
    const counting = {
      ...wordCounter,
      fits: async (...args: Parameters<typeof wordCounter.fits>) => {
        counts += 1;
        return wordCounter.fits(...args);
      },
    };
    const first = await cutLines({ text }, { tokens: 5_000, counter: counting });
    expect(counts).toBeLessThanOrEqual(15);
    expect(await cutLines({ text }, { tokens: 5_000, counter: wordCounter })).toEqual(first);
  });
});

describe('cutting around a selection (rule: tail)', () => {
  test('a cut around a selection keeps it and lines on both sides', async () => {
    const cut = await cutAround(
      { text: numbered(300) },
      { first: 150, last: 155 },
      { tokens: 300, counter: wordCounter },
    );
    const [selected] = cut?.lines ?? [];
    expect(selected?.first).toBeLessThan(148);
    expect(selected?.last).toBeGreaterThan(157);
    expect(cut?.text).toMatch(
      /^\[lines 1-\d+ of 300 left out\]\n.*line 151 of the file.*\n\[lines \d+-300 of 300 left out\]\n$/s,
    );
    expect(cut?.tokens).toBeLessThanOrEqual(300);
  });

  test('a cut around a selection at the end of the file keeps lines before it', async () => {
    const cut = await cutAround(
      { text: numbered(300) },
      { first: 299, last: 300 },
      { tokens: 100, counter: wordCounter },
    );
    expect(cut?.lines[0]?.last).toBe(300);
    expect(cut?.lines[0]?.first).toBeLessThan(297);
  });

  test('a selection that is itself too long is cut like any other text', async () => {
    const cut = await cutAround(
      { text: numbered(300) },
      { first: 20, last: 280 },
      { tokens: 100, counter: wordCounter },
    );
    expect(cut?.lines.at(0)?.first).toBe(20);
    expect(cut?.lines.at(-1)?.last).toBe(280);
    expect(cut?.tokens).toBeLessThanOrEqual(100);
  });
});
