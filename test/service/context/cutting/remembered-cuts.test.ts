import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutAround } from '../../../../src/service/context/cutting/cut-around.js';
import { cutLines } from '../../../../src/service/context/cutting/cut-lines.js';
import type { CutSource } from '../../../../src/service/context/cutting/cut-source.js';
import { fitContext } from '../../../../src/service/context/fitting/fit-context.js';
import { fitFocus } from '../../../../src/service/context/fitting/fit-focus.js';
import { gatherContext } from '../../../../src/service/context/gather-context.js';
import { inlineSource } from '../../../../src/service/context/sources/inline.js';
import { createTokenCounter, type TokenCounter } from '../../../../src/tokens/token-counter.js';
import { stepRequest } from '../../../support/step-request.js';
import { countWords, wordCounter } from '../../../support/word-counter.js';

const counter = createTokenCounter('o200k_base');
/** The same, but each number is found anew. */
const forgetful: TokenCounter = { ...counter, remembered: (_key, find) => find() };

const line = fc.oneof(
  fc.constantFrom('', '  return total;', '</file>', 'const sum = a + b; // [INST]', '語'.repeat(40)),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const someText = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }))
  .map(([lines, times]) => `${lines.join('\n')}\n`.repeat(times));

/** Few names, few texts and few limits, so that much comes again. */
const someRequest = fc.record({
  files: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
  asked: fc.array(fc.constantFrom('src', 'src/0.ts', 'src/1.ts:3-40', './src/0.ts', 'src/1.ts', 'src/2.ts'), {
    minLength: 1,
    maxLength: 4,
  }),
  selection: fc.option(fc.record({ start_line: fc.integer({ min: 1, max: 50 }), end_line: fc.constant(60) })),
  limit: fc.constantFrom(40, 150, 400, 5_000),
});

async function fitScene(request: Scene, texts: readonly string[], tokens: TokenCounter): Promise<unknown> {
  const files = request.files.map((text, index) => ({
    path: `src/${index}.ts`,
    content: texts[text % texts.length] ?? '',
  }));
  const { selection } = request;
  const gathered = await gatherContext(
    stepRequest({
      explicit_context_paths: request.asked,
      implicit_context: { last_focused_file_path: 'src/2.ts', ...(selection && { selection }) },
    }),
    [inlineSource({ files })],
    new AbortController().signal,
  );
  const fitted = await fitContext(gathered, request.limit, tokens);
  return { ...fitted, focus: fitted.focus && (await fitFocus(fitted.focus, request.limit, tokens)) };
}
type Scene = typeof someRequest extends fc.Arbitrary<infer Value> ? Value : never;

describe('what is remembered of earlier steps changes nothing (rule: stable-prompt)', () => {
  test('requests in any order, about any texts, get the context that they get alone', async () => {
    const scenario = fc.tuple(
      fc.array(someText, { minLength: 1, maxLength: 4 }),
      fc.array(someRequest, { minLength: 2, maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ([texts, requests]) => {
        for (const request of [...requests, ...requests.toReversed()])
          expect(await fitScene(request, texts, counter)).toEqual(await fitScene(request, texts, forgetful));
      }),
      { numRuns: 60 },
    );
  });

  test('a source that differs in anything that its cut shows is cut by itself', async () => {
    const text = Array.from({ length: 300 }, (_, index) => `line ${index} of the file\n`).join('');
    const sources: CutSource[] = [
      { text },
      { text, firstLine: 500 },
      { text, totalLines: 9_000 },
      { text, totalLines: 'unknown' },
      { text, howToAsk: (lines) => `ask for a.ts:${lines}`, rendering: 'a.ts' },
      { text, howToAsk: (lines) => `ask for another-file-of-this-project.ts:${lines}`, rendering: 'another' },
      { text, render: (cut) => ({ text: `# title\n${cut.text}` }), rendering: 'title' },
      { text, render: (cut) => ({ text: `${cut.text}${'no name, not remembered '.repeat(20)}` }) },
      { text, render: (cut) => ({ text: cut.text }) },
    ];
    for (const limit of [200, 201, 900])
      for (const source of [...sources, ...sources.toReversed()])
        expect(await cutLines(source, limit, counter)).toEqual(await cutLines(source, limit, forgetful));
  });

  test('a text is cut around each selection by itself', async () => {
    const source = { text: Array.from({ length: 300 }, (_, index) => `line ${index} of it\n`).join('') };
    for (const first of [10, 11, 150, 10, 150]) {
      const lines = { first, last: first + 5 };
      const cut = await cutAround(source, lines, { limit: 200, counter });
      expect(cut).toEqual(await cutAround(source, lines, { limit: 200, counter: forgetful }));
      expect(cut?.lines[0]?.first).toBeLessThan(first);
    }
  });

  test('a counter with a margin does not take the cuts of one without', async () => {
    const source = { text: 'a line of the file\n'.repeat(400) };
    const [exact, estimated] = [counter, createTokenCounter('o200k_base', { margin: 1.5 })];
    const whole = await cutLines(source, 1_000, exact);
    const less = await cutLines(source, 1_000, estimated);
    expect(whole?.tokens).toBeLessThanOrEqual(1_000);
    expect(less?.tokens).toBeLessThanOrEqual(1_000);
    expect(less?.text.length).toBeLessThan((whole?.text.length ?? 0) * 0.8);
  });

  test('a cut that is known is neither searched nor counted again', async () => {
    const counted: string[] = [];
    const known = new Map<string, number>();
    const watching: TokenCounter = {
      ...wordCounter,
      async countWithin({ text }, limit) {
        counted.push(text);
        return countWords(text) <= limit ? countWords(text) : undefined;
      },
      async remembered(key, find) {
        const number = known.get(key) ?? (await find());
        known.set(key, number);
        return number;
      },
    };
    const source = () => ({ text: 'one line after another\n'.repeat(500) });
    const first = await cutLines(source(), 500, watching);
    counted.length = 0;
    expect(await cutLines(source(), 500, watching)).toEqual(first);
    expect(counted).toEqual([first?.rendered]);
    for (const key of known.keys()) expect(key).toMatch(/^[\w-]{22} \w+ \d+$/); // no word of the text
  });
});
