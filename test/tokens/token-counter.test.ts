import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTokenCounter } from '../../src/tokens/token-counter.js';
import { Vocabulary } from '../../src/tokens/vocabulary.js';
import { encodings, referenceCount } from '../support/tokens/reference-tokenizer.js';
import { anyText } from '../support/tokens/texts.js';

/**
 * Returns the processor time of this process so far, in milliseconds. It does not depend on what else the
 * machine does.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Returns the number of turns of the event loop during a count, and the most processor time between two of them. */
async function turnsDuring(count: Promise<unknown>): Promise<{ turns: number; longestCpuMs: number }> {
  let turns = 0;
  let longestCpuMs = 0;
  let last = cpuMs();
  let counting = true;
  const turn = (): void => {
    const now = cpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - last);
    last = now;
    turns++;
    if (counting) setImmediate(turn);
  };
  setImmediate(turn);
  await count;
  counting = false;
  return { turns, longestCpuMs };
}

/** Returns the number of vocabulary lookups of a count, which does not depend on the machine. */
async function lookupsDuring(count: () => Promise<unknown>): Promise<number> {
  const { rankOf } = Vocabulary.prototype;
  let lookups = 0;
  Vocabulary.prototype.rankOf = function (...range) {
    lookups++;
    return rankOf.apply(this, range);
  };
  try {
    await count();
  } finally {
    Vocabulary.prototype.rankOf = rankOf;
  }
  return lookups;
}

/** Returns pseudo-random letters, the same in each run, from a linear congruential generator. */
function letters(length: number, seed = 1): string {
  const codes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    codes[at] = 0x61 + ((state >>> 16) % 26);
  }
  return Buffer.from(codes).toString('latin1');
}

/** Returns numbered lines, so that no two chunks of the text are equal. */
function lines(count: number, text: string): string {
  return Array.from({ length: count }, (_, index) => `${text} ${index}\n`).join('');
}

function sourceFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
}

describe.each(encodings)('counting by encoding %s', (encoding) => {
  const counter = createTokenCounter(encoding);

  test('the token counter counts texts over all of Unicode as the reference does (rule: counting)', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(await counter.count(text)).toBe(referenceCount(encoding, text));
      }),
      { numRuns: 3000 },
    );
  });

  test('the token counter counts this project’s code and long locale files as the reference does', async () => {
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
  ])('the token counter counts runs of %s of any length as the reference does', async (_name, unit, end = '') => {
    for (const times of [1, 2, 3, 42, 43, 127, 128, 129, 256, 700]) {
      const text = unit.repeat(times) + end;
      expect(await counter.count(text)).toBe(referenceCount(encoding, text));
    }
  });

  test('the token counter agrees with the reference on random letters, shorter and longer than the threshold for long pieces', async () => {
    for (const length of [2, 10, 100, 127, 128, 129, 300, 1500]) {
      const text = letters(length, length);
      expect(await counter.count(text)).toBe(referenceCount(encoding, text));
    }
  });

  test('the token counter counts a special token as ordinary text', async () => {
    const text = 'before <|endoftext|> after <|endofprompt|>';
    expect(await counter.count(text)).toBe(referenceCount(encoding, text));
    expect(await counter.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('the token counter counts a lone surrogate as the replacement character that is sent', async () => {
    expect(await counter.count('a\ud800b\udc00')).toBe(await counter.count('a\ufffdb\ufffd'));
  });

  test('the token counter counts texts of several chunks as the reference does', async () => {
    const filler = fc.constantFrom(' word', 'x = 1;\n', '\n\n', '东京', "'s", '/');
    const part = fc
      .tuple(anyText, filler, fc.integer({ min: 1, max: 500 }), anyText)
      .map(([before, filled, times, after]) => before + filled.repeat(times) + after);
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
        const text = parts.join('');
        expect(await counter.count(text)).toBe(referenceCount(encoding, text));
      }),
      { numRuns: 300 },
    );
  });

  test('the token counter counts a text that shares chunks with a cached one as the reference does', async () => {
    const code = sourceFiles('src/tokens').join('\n');
    await counter.count(code);
    await fc.assert(
      fc.asyncProperty(fc.nat(code.length), fc.nat(code.length), anyText, async (start, end, inserted) => {
        const text = code.slice(0, start) + inserted + code.slice(end);
        expect(await counter.count(text)).toBe(referenceCount(encoding, text));
      }),
      { numRuns: 100 },
    );
  });

  test('fits returns the count, or undefined exactly if the count exceeds the limit', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: -1, max: 60 }), async (text, limit) => {
        const tokens = await counter.count(text);
        expect(await counter.fits(text, limit)).toBe(tokens <= limit ? tokens : undefined);
      }),
      { numRuns: 1000 },
    );
  });

  test('fits is exact to one token for a text of many chunks', async () => {
    const text = sourceFiles('src/tokens').join('\n');
    const tokens = referenceCount(encoding, text);
    expect(await counter.fits(text, tokens - 1)).toBeUndefined();
    expect(await counter.fits(text, tokens)).toBe(tokens);
  });

  test('countMessages returns the tokens of all texts, each with its segments joined, plus the framing tokens', async () => {
    const segments = fc.array(anyText, { maxLength: 4 });
    const texts = fc.array(segments, { maxLength: 3 });
    const messages = fc.array(fc.record({ texts, framing: fc.nat(12) }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(messages, async (given) => {
        const counts = given.flatMap((message) =>
          message.texts.map((text) => referenceCount(encoding, text.join(''))),
        );
        const framing = given.map((message) => message.framing);
        const sum = [...counts, ...framing].reduce((total, tokens) => total + tokens, 0);
        expect(await counter.countMessages(given)).toBe(sum);
      }),
    );
  });
});

describe('the event loop during a count', () => {
  const counter = createTokenCounter('o200k_base');

  test.each([
    ['one letter', () => 'a'.repeat(1_000_000)],
    ['random letters', () => letters(1_000_000, 9)],
    ['spaces', () => ' '.repeat(1_000_000)],
    ['CJK without line breaks', () => '東京'.repeat(500_000)],
    ['lines of code', () => lines(90_000, 'let x = 1;')],
  ])('the event loop keeps turning while a megabyte of %s is counted (rule: loop-share)', async (_name, text) => {
    const { turns, longestCpuMs } = await turnsDuring(counter.count(text()));
    expect(turns).toBeGreaterThan(3);
    expect(longestCpuMs).toBeLessThan(200);
  });

  test('the event loop keeps turning while many texts are counted concurrently', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => lines(2_000, `${index} of many`));
    const { turns, longestCpuMs } = await turnsDuring(Promise.all(texts.map((text) => counter.count(text))));
    expect(turns).toBeGreaterThan(3);
    expect(longestCpuMs).toBeLessThan(200);
  });

  test('the event loop keeps turning while many short messages are counted', async () => {
    const messages = Array.from({ length: 100_000 }, () => ({ texts: [['short']], framing: 4 }));
    expect((await turnsDuring(counter.countMessages(messages))).longestCpuMs).toBeLessThan(200);
  });

  test('a short count does not wait for a long one', async () => {
    const order: string[] = [];
    await Promise.all([
      counter.count(letters(1_000_000, 2)).then(() => order.push('long')),
      counter.count('short').then(() => order.push('short')),
    ]);
    expect(order).toEqual(['short', 'long']);
  });

  test('long pieces counted concurrently have the same counts as alone', async () => {
    const texts = [letters(20_000, 3), letters(30_000, 4), letters(40_000, 5)];
    const together = await Promise.all(texts.map((text) => counter.count(` ${text}`)));
    const alone: number[] = [];
    for (const text of texts) alone.push(await counter.count(`\t${text}`));
    expect(together).toEqual(alone);
  });
});

describe('work of a count', () => {
  const counter = createTokenCounter('o200k_base');
  const lookupsOf = (text: string): Promise<number> => lookupsDuring(() => counter.count(text));

  test.each([
    'a',
    ' ',
    '\n',
    '=',
    '東',
    '\u0301',
  ])('the work of a count is linear in the length of a run of %j', async (unit) => {
    const once = await lookupsOf(unit.repeat(50_000));
    expect(await lookupsOf(unit.repeat(100_000))).toBeLessThan(2.2 * once);
  });

  test('fits stops counting once its limit is exceeded', async () => {
    const text = lines(40_000, 'one two three four');
    const whole = await lookupsOf(text);
    const fitting = await lookupsDuring(() => counter.fits(`${text.slice(1)}.`, 8_000));
    expect(fitting).toBeLessThan(whole / 10);
  });

  test('fits stops counting inside one long piece once its limit is exceeded', async () => {
    const whole = await lookupsOf(letters(500_000, 10));
    const fitting = await lookupsDuring(() => counter.fits(letters(500_000, 11), 8_000));
    expect(fitting).toBeLessThan(whole / 10);
  });

  test('fits does no work for a text that would exceed the limit even with the longest tokens', async () => {
    for (const text of [' '.repeat(4_000_000), '東'.repeat(1_500_000)])
      expect(await lookupsDuring(() => counter.fits(text, 30_000))).toBe(0);
  });

  test('counting does almost no work for a text that another counter of the encoding has counted before', async () => {
    const text = lines(2_000, 'counted once and for all');
    const tokens = await counter.count(text);
    const estimate = createTokenCounter('o200k_base', { margin: 2 });
    const lookups = await lookupsDuring(async () => {
      expect(await counter.fits(text, tokens)).toBe(tokens);
      expect(await estimate.count(text)).toBe(2 * tokens);
    });
    expect(lookups).toBeLessThan(100); // The last chunk may be too short to be cached.
  });

  test('counting does little work for a text that grew, lost its beginning, or was edited', async () => {
    const text = lines(10_000, 'a text that grows');
    const whole = await lookupsOf(text);
    const versions = [
      `${text}one line more\n`,
      text.slice(777),
      `${text.slice(0, 50_000)}!${text.slice(50_000)}`,
    ];
    for (const version of versions) expect(await lookupsOf(version)).toBeLessThan(whole / 10);
  });
});

describe('aborting a count (rule: one-deadline)', () => {
  const gone = new Error('the caller left');

  test.each([
    ['80,000 lines', lines(80_000, 'one two three four five')],
    ['a million equal letters', 'b'.repeat(1_000_000)],
  ])('aborting a count of %s ends it within a few turns of the event loop', async (_name, text) => {
    const leaving = new AbortController();
    const counter = createTokenCounter('o200k_base', { signal: leaving.signal });
    const counted = counter.count(text).catch((error: unknown) => error);
    setImmediate(() => leaving.abort(gone));
    const turns = turnsDuring(counted);
    expect(await counted).toBe(gone);
    expect((await turns).turns).toBeLessThan(10);
  });

  test('aborting one count does not end another', async () => {
    const leaving = new AbortController();
    const first = createTokenCounter('o200k_base').count(letters(1_000_000, 6));
    const waiting = createTokenCounter('o200k_base', { signal: leaving.signal }).count(letters(1_000_000, 7));
    setTimeout(() => leaving.abort(gone), 20);
    const settled = [first.then(() => 'counted'), waiting.catch((error: unknown) => error)];
    expect(await Promise.race(settled)).toBe(gone);
    expect(await first).toBeGreaterThan(0);
  });

  test('an aborted count does not change later counts of the same text', async () => {
    const text = `${letters(30_000, 8)} and more`;
    const signal = AbortSignal.abort(gone);
    await expect(createTokenCounter('o200k_base', { signal }).count(text)).rejects.toBe(gone);
    expect(await createTokenCounter('o200k_base').count(text)).toBeGreaterThan(0);
  });
});

describe('estimated counts (rule: counting)', () => {
  const exact = createTokenCounter('o200k_base');
  const estimate = createTokenCounter('o200k_base', { margin: 1.5 });

  test('a counter with a margin reports its counts as estimated', () => {
    expect([exact.counting, estimate.counting]).toEqual(['exact', 'estimated']);
  });

  test('an estimate is the count of each text times the margin, rounded up', async () => {
    expect(await exact.count('one two three')).toBe(3);
    expect(await estimate.count('one two three')).toBe(5);
    expect(await estimate.countMessages([{ texts: [['one two', ' three'], ['one']], framing: 3 }])).toBe(
      5 + 2 + 3,
    );
    expect(await estimate.count('')).toBe(0);
  });

  test('fits applies its limit to the estimate with the margin', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 0, max: 60 }), async (text, limit) => {
        const tokens = await estimate.count(text);
        expect(await estimate.fits(text, limit)).toBe(tokens <= limit ? tokens : undefined);
      }),
      { numRuns: 500 },
    );
  });
});

test('aborting ends two counts that would take seconds (rule: loop-share)', async () => {
  const leaving = new AbortController();
  const counter = createTokenCounter('o200k_base', { signal: leaving.signal });
  const counts = [counter.count('a'.repeat(3_900_000)), counter.count('b'.repeat(3_900_000))];
  await new Promise((resolve) => setTimeout(resolve, 50));
  leaving.abort(new Error('left'));
  expect(await Promise.allSettled(counts)).toEqual(
    counts.map(() => ({ status: 'rejected', reason: new Error('left') })),
  );
});
