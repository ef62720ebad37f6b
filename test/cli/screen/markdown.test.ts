import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Lexer } from 'marked';
import { columnsOf, loadWidths } from '../../../src/cli/display/columns.js';
import { type Paint, plain } from '../../../src/cli/display/paint.js';
import { MarkdownStream } from '../../../src/cli/screen/markdown/markdown-stream.js';

beforeAll(loadWidths);

/** Marks styled text: `<bold>text</>`. */
const tagged: Paint = (style, text) => `<${[style].flat().join('+')}>${text}</>`;

function whole(
  text: string,
  { width = 60, paint = plain }: { width?: number; paint?: Paint } = {},
): string[] {
  const stream = new MarkdownStream({ paint, width });
  stream.add(text);
  return stream.end();
}

/** Streams the text in chunks and reads final and open rows after each. */
function streamed(pieces: readonly string[], width = 60) {
  const stream = new MarkdownStream({ width });
  const final: string[] = [];
  let maxOpenRows = 0;
  for (const piece of pieces) {
    stream.add(piece);
    final.push(...stream.take());
    maxOpenRows = Math.max(maxOpenRows, stream.open().length);
  }
  return { rows: [...final, ...stream.end()], early: final, maxOpenRows };
}

/** Counts how many characters the lexer reads, including again for nested blocks and spans. */
function charactersLexed(work: () => void): { lexed: number; looks: number } {
  const { prototype } = Lexer;
  const { lex, blockTokens, inlineTokens } = prototype;
  let [lexed, looks] = [0, 0];
  const counted = <Given extends readonly unknown[], Tokens>(
    read: (text: string, ...more: Given) => Tokens,
  ) =>
    function (this: Lexer, text: string, ...more: Given): Tokens {
      lexed += text.length;
      return read.call(this, text, ...more);
    };
  try {
    prototype.lex = function (text) {
      looks += 1;
      return lex.call(this, text);
    };
    // Each method has several signatures; `counted` keeps one.
    prototype.blockTokens = counted(blockTokens) as typeof blockTokens;
    prototype.inlineTokens = counted(inlineTokens);
    work();
  } finally {
    Object.assign(prototype, { lex, blockTokens, inlineTokens });
  }
  return { lexed, looks };
}

describe('Markdown on a terminal (rule: terminal)', () => {
  test.each([
    ['emphasis', 'a **b** *c* ~~d~~ `e`', ['a <bold>b</> <italic>c</> <strikethrough>d</> <cyan>e</>']],
    ['a heading', '# One\n\n### Two', ['<bold+underline>One</>', '', '<bold>Two</>']],
    [
      'a link with its address',
      '[bank](https://evil.example)',
      ['<underline>bank</> (https://evil.example)'],
    ],
    ['an address alone', 'https://a.example', ['<underline>https://a.example</>']],
    ['HTML and entities', '<b>x</b> &amp; &#27;[2J', ['<b>x</b> & �[2J']],
    ['line breaks', 'one\ntwo', ['one', 'two']],
    [
      'code',
      '```js\nif (a) {\n\tb();\n}\n```',
      ['<cyan>  if (a) {</>', '<cyan>      b();</>', '<cyan>  }</>'],
    ],
    ['a diff', '```diff\n-a\n+b\n c\n```', ['<red>  -a</>', '<green>  +b</>', '   c']],
    [
      'a list',
      '- a\n- b\n  1. c\n\n- [x] d',
      ['<dim>• </>a', '<dim>• </>b', '  <dim>1. </>c', '<dim>☑ </>d'],
    ],
    ['a quote', '> a\n> b', ['<dim>▎</> a', '<dim>▎</> b']],
    ['a rule', 'a\n\n---\n', ['a', '', `<dim>${'─'.repeat(40)}</>`]],
  ])('Markdown is rendered for terminals: %s', (_, text, rows) =>
    expect(whole(text, { paint: tagged })).toEqual(rows));

  test('a Markdown table fits the window, or becomes lists in a narrow one', () => {
    const table =
      '| name | what it is | price |\n|---|:-:|--:|\n| coupon | ten percent of the whole cart | 10 |\n| 日本 | x | 2,000 |';
    expect(whole(table)).toEqual([
      'name   │          what it is           │ price',
      '───────┼───────────────────────────────┼──────',
      'coupon │ ten percent of the whole cart │    10',
      '日本   │               x               │ 2,000',
    ]);
    expect(whole(table, { width: 34 })).toEqual([
      'name   │    what it is     │ price',
      '───────┼───────────────────┼──────',
      'coupon │  ten percent of   │    10',
      '       │  the whole cart   │',
      '日本   │         x         │ 2,000',
    ]);
    expect(whole(table, { width: 16 }).slice(0, 5)).toEqual([
      'name: coupon',
      'what it is: ten',
      'percent of the',
      'whole cart',
      'price: 10',
    ]);
  });

  test('rendered Markdown rows never exceed the window width', () => {
    const unit = fc.constantFrom(
      'word ',
      '日本語',
      '👩‍👩‍👧',
      'é',
      '**',
      '`',
      '\n',
      '- ',
      '> ',
      '| ',
      'x'.repeat(30),
      ' ',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.integer({ min: 20, max: 60 }), (units, width) => {
        const text = units.join('');
        fc.pre(!/```|~~~|^ {4}/m.test(text));
        for (const row of whole(text, { width })) expect(columnsOf(row)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('streamed Markdown renders the same rows however it is split', () => {
    const block = fc.constantFrom(
      '# Title\n',
      'A paragraph of **some** words,\nand a second line.\n',
      '- one\n- two\n   - three\n',
      '1. one\n2. two\n',
      '```ts\nconst a = 1;\n\n// ```\n```\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      '> quoted\n',
      '---\n',
      '\n',
      '\n\n',
      '~~~\nopen',
      '* x\n\n  y\n\n* z\n',
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), fc.integer({ min: 1, max: 12 }), (blocks, size) => {
        const text = blocks.join('');
        const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
        expect(streamed(pieces).rows).toEqual(whole(text));
      }),
      { numRuns: 300 },
    );
  });

  test('streamed Markdown returns each completed block, list item and code line exactly once', () => {
    const { early, rows } = streamed(['One.\n\nTwo.\n\n- a\n- b\n', '- c', '\n\n```\nx\ny\n', 'z']);
    expect(early).toEqual(['One.', '', 'Two.', '', '• a', '• b', '• c', '', '  x', '  y']);
    expect(rows).toEqual([...early, '  z']);
  });

  test.each([
    ['paragraphs', 'Some words of a paragraph. '.repeat(20).concat('\n\n').repeat(900)],
    ['one line', 'Some words. '.repeat(42_000)],
    ['lines without a gap', 'A line of a log.\n'.repeat(30_000)],
    ['a list', '- an item of some words\n'.repeat(20_000)],
    ['code', `\`\`\`\n${'a line of code;\n'.repeat(31_000)}`],
    ['a table', `| a | b |\n|---|---|\n${'| cell | other cell |\n'.repeat(23_000)}`],
    ['no space', 'x'.repeat(500_000)],
    ['brackets', '['.repeat(500_000)],
    ['marks of emphasis', '*a_ '.repeat(125_000)],
  ])('streamed Markdown of 500 KB never has more than 130 unfinished rows: %s', (_, text) => {
    const pieces = text.match(/[\s\S]{1,5000}/g) ?? [];
    const { rows, maxOpenRows } = streamed(pieces);
    expect(maxOpenRows).toBeLessThanOrEqual(130);
    const visible = rows.join(' ').replace(/[\s•│─┼]/g, '');
    expect(visible.length).toBeGreaterThan(text.replace(/[\s|-]/g, '').length * 0.99);
  });

  test.each([
    ['quotes', '> '.repeat(5_000)],
    ['quotes without a space', '>'.repeat(10_000)],
    ['lists', '- '.repeat(5_000)],
    ['numbers', '1. '.repeat(3_300)],
    ['quotes and lists', '> - '.repeat(2_500)],
    ['deep lines', `${'> '.repeat(900)}\n`.repeat(6)],
    ['one line', 'Some words. '.repeat(900)],
    ['nested emphasis', '_a__b'.repeat(2_000)],
    ['cells', `|${' a |'.repeat(1_500)}\n|${'---|'.repeat(1_500)}\n`],
  ])('the parsing work per chunk of streamed Markdown is bounded: %s', (_, text) => {
    const { lexed, looks } = charactersLexed(() => streamed(text.match(/[\s\S]{1,100}/g) ?? []));
    // Each chunk makes the parser read at most 2,000 characters of complete lines and as many of the incomplete line
    // again, once for each of 16 levels of nesting.
    expect(lexed / looks).toBeLessThan(4_000 * (16 + 1));
  });

  test('adding an incomplete line to streamed Markdown does not parse earlier lines again', () => {
    const stream = new MarkdownStream({ width: 60 });
    stream.add('- one\n- two\n');
    stream.take();
    stream.add('- thr');
    expect(charactersLexed(() => stream.take()).looks).toBe(0);
  });

  test.each([
    ['nested quotes', `${'> '.repeat(5_000)}to be seen`],
    [
      'nested lists',
      Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth * 2)}- to be seen`).join('\n'),
    ],
  ])('too deeply nested Markdown stays visible as text: %s', (_, text) => {
    const rows = whole(text);
    expect(rows.join('\n')).toMatch(/to be seen/);
  });

  test('rendered Markdown contains no control characters, however it is split (rule: terminal)', () => {
    const unit = fc.constantFrom(
      '\u001b[2J',
      '\u009b',
      '\u202e',
      '\u0007',
      '\r',
      '\u200b',
      '&#27;',
      '&#x9b;',
      '&#8238;',
      '`',
      '**',
      '\n',
      'a',
      '|',
      '- ',
      '```\n',
      '[x](\u001b]8;;)',
    );
    const acting = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u200b]/u;
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const stream = new MarkdownStream({ width: 40 });
        for (const piece of units) {
          stream.add(piece);
          for (const row of [...stream.take(), ...stream.open()]) expect(row).not.toMatch(acting);
        }
        for (const row of stream.end()) expect(row).not.toMatch(acting);
      }),
    );
  });
});
