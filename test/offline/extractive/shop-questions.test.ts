import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runMiniLoop } from '../../support/mini-loop.js';
import { quotedLines } from '../../support/quoted-lines.js';

const lineOf = (path: string, line: number): string =>
  readFileSync(`examples/shop/${path}`, 'utf8').split('\n')[line - 1] ?? '';

describe('the offline model answers questions about examples/shop (rule: offline-model)', () => {
  test.each([
    {
      question: 'Where is the discount for returning customers calculated?',
      path: 'src/pricing/discounts.js',
      text: 'export function returningCustomerDiscount',
    },
    {
      question: 'How long does a login session last?',
      path: 'src/config.js',
      text: "idleTimeout: minutes(number('SESSION_IDLE_MINUTES', 30))",
    },
    { question: 'When is shipping free?', path: 'src/config.js', text: 'freeShippingFromCents: 5000' },
    {
      question: 'What happens when the payment fails?',
      path: 'src/checkout.js',
      text: 'If the payment fails the order is cancelled',
    },
    {
      question: 'Explain `isReturningCustomer`',
      path: 'src/pricing/discounts.js',
      text: "order.status !== 'cancelled'",
    },
    {
      question: 'Which order states can be cancelled?',
      path: 'src/orders.js',
      text: "paid: ['shipped', 'cancelled']",
    },
    {
      question: 'Wie lange ist eine Session gültig?',
      path: 'src/config.js',
      text: 'SESSION_IDLE_MINUTES',
    },
    {
      question: 'In src/money.js, how is rounding done?',
      path: 'src/money.js',
      text: 'rounded half up to the cent',
    },
    { question: 'Summarize docs/orders.md', path: 'docs/orders.md', text: '# The life of an order' },
    { question: 'What does this project do?', path: 'README.md', text: 'a small web shop that sells tea' },
    {
      question: 'このプロジェクトの SESSION_IDLE_MINUTES は？',
      path: 'src/config.js',
      text: 'SESSION_IDLE_MINUTES',
    },
  ])('$question', ({ question, path, text }) => {
    const { answer, replies, calls } = runMiniLoop(question);
    const quotes = quotedLines(answer);
    expect(quotes.some((quote) => quote.path === path && quote.text.includes(text))).toBe(true);
    for (const quote of quotes) expect(quote.text).toBe(lineOf(quote.path, quote.line).trimEnd());
    expect(replies.length).toBeLessThanOrEqual(6);
    expect(new Set(calls).size).toBe(calls.length);
  });

  test('what is not there is not invented', () => {
    const { answer } = runMiniLoop('Where are the kangaroos fed?');
    expect(answer).toMatch(/^I found nothing for "kangaroo"/);
    expect(answer).toContain('not a language model');
    expect(answer).toContain('- src/cart.js');
  });

  test('the readme is a file, whatever else is called like it', () => {
    const { answer, calls } = runMiniLoop('And the readme?');
    expect(calls).toEqual(['read_file(path="README.md")']);
    expect(quotedLines(answer)).toContainEqual(expect.objectContaining({ path: 'README.md', line: 1 }));
  });

  test('a file that is not there is said to be unreadable, and no other is quoted in its place', () => {
    const { answer } = runMiniLoop('What does src/nothere.js do?');
    expect(answer).toMatch(/^I could not read src\/nothere\.js\.\n/);
    expect(quotedLines(answer)).toEqual([]);
  });

  test('what is quoted of other files is not taken for the one that is not there', () => {
    const { answer } = runMiniLoop('How is the discount in src/nothere.js calculated?');
    expect(answer).toMatch(/^I could not read src\/nothere\.js\.\n\nThese passages match best/);
  });

  test('a file is found by its name alone', () => {
    const { answer } = runMiniLoop('Summarize orders.md');
    expect(answer).toMatch(/^I could not read orders\.md\.\n/);
    expect(quotedLines(answer)[0]).toMatchObject({ path: 'docs/orders.md', line: 1 });
    expect(answer).toContain('not written by a language model');
  });

  test('a listing is answered with the files', () => {
    expect(runMiniLoop('Which files are there?').answer).toMatch(/^28 files:\n- README\.md/);
  });
});

describe('it works with whatever tools are offered', () => {
  const question = 'Where is the discount for returning customers calculated?';
  const calculation = expect.objectContaining({ path: 'src/pricing/discounts.js', line: 19 });

  test('without a search tool it lists, then reads the files whose names match', () => {
    const { answer, calls } = runMiniLoop(question, { offered: ['read_file', 'list_files'] });
    expect(calls[0]).toBe('list_files(path=".")');
    expect(calls.slice(1).join()).toContain('read_file(path="src/pricing/discounts.js"');
    expect(quotedLines(answer)).toContainEqual(calculation);
  });

  test('with a search tool alone it quotes the hits', () => {
    const { answer, calls } = runMiniLoop(question, { offered: ['search_code'] });
    expect(calls.every((call) => call.startsWith('search_code('))).toBe(true);
    expect(quotedLines(answer)).toContainEqual(calculation);
  });

  test('a place that says little of the question is not read beside one that says all of it', () => {
    const root = mkdtempSync(join(tmpdir(), 'stepwise-orders-'));
    writeFileSync(join(root, 'order-a.txt'), 'order: A\ncustomer: Ada\n');
    writeFileSync(join(root, 'order-b.txt'), 'order: B\ncustomer: Bo\n');
    const { answer, calls } = runMiniLoop('Where does the order of Ada go?', { root });
    rmSync(root, { recursive: true });
    const read = calls.filter((call) => call.startsWith('read_file('));
    expect(read).toEqual([expect.stringContaining('order-a.txt')]);
    expect(answer).toContain('customer: Ada');
  });

  test('without tools it answers from the files in the prompt', () => {
    const context = `<file path="src/pricing.js" fence="0a1b2c3d">
const VAT = 7;
export const discount = (subtotal) => subtotal * 0.1;
</file 0a1b2c3d>

`;
    const { answer, replies } = runMiniLoop('Where is the discount?', { offered: [], context });
    expect(replies).toHaveLength(1);
    expect(answer).toContain('src/pricing.js:2');
    expect(answer).toContain('export const discount');
  });

  test('without tools and files it says so', () => {
    expect(runMiniLoop(question, { offered: [] }).answer).toContain('No tool is offered');
  });

  test('told that it must answer now, it answers with what it has', () => {
    const { replies, answer } = runMiniLoop(question, { maxSteps: 3 });
    expect(replies).toHaveLength(3);
    expect(quotedLines(answer)).toContainEqual(calculation);
  });
});
