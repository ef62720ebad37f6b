import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTokenCounter } from '../../src/tokens/token-counter.js';
import { encodings, referenceCount } from '../support/tokens/reference-tokenizer.js';
import { anyText } from '../support/tokens/texts.js';

const asTexts = (texts: readonly string[]) => texts.map((text) => ({ text }));

const pieces = fc.array(anyText, { maxLength: 6 });

/** Turns of the event loop while the count is on its way. */
async function turnsDuring(count: Promise<unknown>): Promise<number> {
  let turns = 0;
  let counting = true;
  const turn = (): void => {
    turns++;
    if (counting) setImmediate(turn);
  };
  setImmediate(turn);
  await count;
  counting = false;
  return turns;
}

/** Letters without any pattern, from a linear congruential generator: no two runs of the tests differ. */
function letters(length: number, seed = 1): string {
  const codes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    codes[at] = 0x61 + ((state >>> 16) % 26);
  }
  return Buffer.from(codes).toString('latin1');
}

/** Lines that differ, so that no part of the text has been counted with another. */
function lines(count: number, text: string): string {
  return Array.from({ length: count }, (_, index) => `${text} ${index}\n`).join('');
}

function sourceFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
}

describe.each(encodings)('%s', (encoding) => {
  const counter = createTokenCounter(encoding);

  test('the count is the reference’s, on texts over all of Unicode (rule: counting)', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(await counter.count(text)).toBe(referenceCount(encoding, text));
      }),
      { numRuns: 3000 },
    );
  });

  test('the count is the reference’s, on this project’s code and on long locale files', async () => {
    const files = [
      ...sourceFiles('src'),
      ...sourceFiles('test'),
      ...sourceFiles('node_modules/zod/src/v4/locales'),
    ];
    for (const text of files) expect(await counter.count(text)).toBe(referenceCount(encoding, text));
  });

  test.each([
    ['a letter', 'a'],
    ['spaces', ' '],
    ['spaces before a word', ' ', 'x'],
    ['line breaks', '\n'],
    ['line breaks before spaces', '\n', '   x'],
    ['an operator', '='],
    ['slashes', '/'],
    ['capitals', 'A'],
    ['capitals before a small letter', 'A', 'b'],
    ['digits', '7'],
    ['CJK', '語'],
    ['combining marks', '\u0301'],
    ['emoji', '😀'],
    ['apostrophes', "'"],
    ['U+0085', '\u0085'],
    ['lone surrogates', '\udc00'],
  ])('runs of %s count as in the reference, whatever their length', async (_name, unit, end = '') => {
    for (const times of [1, 2, 3, 42, 43, 127, 128, 129, 256, 700]) {
      const text = unit.repeat(times) + end;
      expect(await counter.count(text)).toBe(referenceCount(encoding, text));
    }
  });

  test('letters in no order count as in the reference, below and above the length of a long piece', async () => {
    for (const length of [2, 10, 100, 127, 128, 129, 300, 1500]) {
      const text = letters(length, length);
      expect(await counter.count(text)).toBe(referenceCount(encoding, text));
    }
  });

  test('a special token in a text is ordinary text', async () => {
    const text = 'before <|endoftext|> after <|endofprompt|>';
    expect(await counter.count(text)).toBe(referenceCount(encoding, text));
    expect(await counter.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('lone surrogates count as the replacement characters they are sent as', async () => {
    expect(await counter.count('a\ud800b\udc00')).toBe(await counter.count('a\ufffdb\ufffd'));
  });

  test('pieces count as the string they make, wherever the seams fall', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        expect(await counter.countJoined(asTexts(parts))).toBe(await counter.count(parts.join('')));
      }),
      { numRuns: 1000 },
    );
  });

  test('long pieces count as the string they make, and are not joined where they have safe seams', async () => {
    const filler = fc.constantFrom(' word', 'x = 1;\n', '\n\n', '东京', "'s", '/');
    const longPiece = fc
      .tuple(anyText, filler, fc.integer({ min: 1, max: 700 }), anyText)
      .map(([before, filled, times, after]) => before + filled.repeat(times) + after);
    await fc.assert(
      fc.asyncProperty(fc.array(longPiece, { maxLength: 4 }), async (parts) => {
        expect(await counter.countJoined(asTexts(parts))).toBe(await counter.count(parts.join('')));
      }),
      { numRuns: 300 },
    );
  });

  test('a text cut anywhere counts as a whole when its halves are joined', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.nat(), async (text, at) => {
        const cut = at % (text.length + 1);
        const joined = await counter.countJoined(asTexts([text.slice(0, cut), text.slice(cut)]));
        expect(joined).toBe(await counter.count(text));
      }),
      { numRuns: 1000 },
    );
  });

  test('a count within a limit is the count, or undefined exactly when that is above the limit', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: -1, max: 60 }), async (text, limit) => {
        const tokens = await counter.count(text);
        expect(await counter.countWithin({ text }, limit)).toBe(tokens <= limit ? tokens : undefined);
      }),
      { numRuns: 1000 },
    );
  });

  test('texts of many segments count as the sum the reference gives', async () => {
    const code = sourceFiles('src').join('\n');
    const text = code.repeat(Math.ceil(100_000 / code.length));
    expect(await counter.count(text)).toBe(referenceCount(encoding, text));
    expect(await counter.countWithin({ text }, referenceCount(encoding, text))).toBe(
      referenceCount(encoding, text),
    );
  });
});

describe('the event loop', () => {
  const counter = createTokenCounter('o200k_base');

  test('goes on turning while one long run is counted (rule: loop-share)', async () => {
    expect(await turnsDuring(counter.count(letters(200_000)))).toBeGreaterThan(20);
  });

  test('goes on turning while ordinary text is counted (rule: loop-share)', async () => {
    expect(await turnsDuring(counter.count(lines(60_000, 'let x = 1;')))).toBeGreaterThan(20);
  });

  test('is shared out: many counts at once take as many turns as one after the other', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `${index} of many\n`.repeat(1600));
    expect(await turnsDuring(Promise.all(texts.map((text) => counter.count(text))))).toBeGreaterThan(20);
  });

  test('a short count does not wait for a long one to end', async () => {
    const order: string[] = [];
    await Promise.all([
      counter.count(letters(60_000, 2)).then(() => order.push('long')),
      counter.count('short').then(() => order.push('short')),
    ]);
    expect(order).toEqual(['short', 'long']);
  });

  test('huge pieces at once give the counts they give alone', async () => {
    const texts = [letters(20_000, 3), letters(30_000, 4), letters(40_000, 5)];
    const together = await Promise.all(texts.map((text) => counter.count(` ${text}`)));
    const alone: number[] = [];
    for (const text of texts) alone.push(await counter.count(`\t${text}`));
    expect(together).toEqual(alone);
  });
});

describe('work is saved', () => {
  const counter = createTokenCounter('o200k_base');

  test('counting stops at the limit', async () => {
    const text = lines(40_000, 'one two three four');
    expect(await turnsDuring(counter.count(text))).toBeGreaterThan(20);
    expect(await turnsDuring(counter.countWithin({ text: `${text}.` }, 8_000))).toBeLessThan(10);
  });

  test('a text too long for its limit in the longest tokens is not counted at all', async () => {
    expect(await turnsDuring(counter.countWithin({ text: ' '.repeat(1_000_000) }, 5_000))).toBeLessThan(5);
  });

  test('a text counted before overtakes one of its size that is new', async () => {
    const known = lines(20_000, 'counted once and for all');
    const tokens = await counter.count(known);
    const order: string[] = [];
    await Promise.all([
      counter.count(lines(20_000, 'not counted before this one')).then(() => order.push('new')),
      counter.count(known).then((again) => order.push(`known: ${again === tokens}`)),
    ]);
    expect(order).toEqual(['known: true', 'new']);
  });
});

describe('a count that nobody waits for ends (rule: one-deadline)', () => {
  const gone = new Error('the caller left');

  test.each([
    ['text with seams', lines(80_000, 'one two three four five')],
    ['one endless piece', 'a'.repeat(1_000_000)],
  ])('%s: within a few turns of the event loop', async (_name, text) => {
    const leaving = new AbortController();
    const counter = createTokenCounter('o200k_base', { signal: leaving.signal });
    const counted = counter.count(text).catch((error: unknown) => error);
    setImmediate(() => leaving.abort(gone));
    const turns = turnsDuring(counted);
    expect(await counted).toBe(gone);
    expect(await turns).toBeLessThan(10);
  });

  test('also while it waits for the huge piece of another', async () => {
    const leaving = new AbortController();
    const first = createTokenCounter('o200k_base').count(letters(200_000, 6));
    const waiting = createTokenCounter('o200k_base', { signal: leaving.signal }).count(letters(200_000, 7));
    setTimeout(() => leaving.abort(gone), 20);
    const settled = [first.then(() => 'counted'), waiting.catch((error: unknown) => error)];
    expect(await Promise.race(settled)).toBe(gone);
    expect(await first).toBeGreaterThan(0);
  });

  test('and leaves the counts of others alone', async () => {
    const text = `${letters(30_000, 8)} and more`;
    const signal = AbortSignal.abort(gone);
    await expect(createTokenCounter('o200k_base', { signal }).count(text)).rejects.toBe(gone);
    expect(await createTokenCounter('o200k_base').count(text)).toBeGreaterThan(0);
  });
});

describe('estimates (rule: counting)', () => {
  const exact = createTokenCounter('o200k_base');
  const estimate = createTokenCounter('o200k_base', { margin: 1.5 });

  test('say that they are estimates', () => {
    expect([exact.counting, estimate.counting]).toEqual(['exact', 'estimated']);
  });

  test('are the count times the margin, rounded up once', async () => {
    expect(await exact.count('one two three')).toBe(3);
    expect(await estimate.count('one two three')).toBe(5);
    expect(await estimate.countJoined(asTexts(['one', ' two', ' three']))).toBe(5);
    expect(await estimate.count('')).toBe(0);
  });

  test('keep to a limit with the margin included', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 0, max: 60 }), async (text, limit) => {
        const tokens = await estimate.count(text);
        expect(await estimate.countWithin({ text }, limit)).toBe(tokens <= limit ? tokens : undefined);
      }),
      { numRuns: 500 },
    );
  });
});

test('(rule: loop-share) an aborted signal ends a count that would take seconds, and one that waits for it', async () => {
  const leaving = new AbortController();
  const counter = createTokenCounter('o200k_base', { signal: leaving.signal });
  const counts = [counter.count('a'.repeat(3_900_000)), counter.count('b'.repeat(3_900_000))];
  await new Promise((resolve) => setTimeout(resolve, 50));
  leaving.abort(new Error('left'));
  expect(await Promise.allSettled(counts)).toEqual(
    counts.map(() => ({ status: 'rejected', reason: new Error('left') })),
  );
});
