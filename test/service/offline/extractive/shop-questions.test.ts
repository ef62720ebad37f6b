import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { runMiniLoop } from '../../../support/mini-loop.js';

/** Every `path:line` heading of an answer with the text that is quoted for that line. */
function quotedLines(answer: string): { path: string; line: number; text: string }[] {
  return answer.split(/^(?=\S+:\d+$)/m).flatMap((block) => {
    const [, path = '', heading] = /^(\S+):(\d+)$/m.exec(block) ?? [];
    const quoted = [...block.matchAll(/^ {4} *(\d+)(?: {2}(.*))?$/gm)];
    return heading ? quoted.map(([, line, text = '']) => ({ path, line: Number(line), text })) : [];
  });
}

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

  test('a listing is answered with the files', () => {
    expect(runMiniLoop('Which files are there?').answer).toMatch(/^28 files:\n- README\.md/);
  });
});

describe('it works with whatever tools are offered', () => {
  const question = 'Where is the discount for returning customers calculated?';

  test('without a search tool it lists, then reads the files whose names match', () => {
    const { answer, calls } = runMiniLoop(question, { offered: ['read_file', 'list_files'] });
    expect(calls[0]).toBe('list_files(path=".")');
    expect(calls.slice(1)).toContain('read_file(path="src/pricing/discounts.js")');
    expect(answer).toContain('src/pricing/discounts.js:19');
  });

  test('with a search tool alone it quotes the hits', () => {
    const { answer, calls } = runMiniLoop(question, { offered: ['search_code'] });
    expect(calls.every((call) => call.startsWith('search_code('))).toBe(true);
    expect(answer).toContain('src/pricing/discounts.js:19');
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
    expect(answer).toContain('src/pricing/discounts.js:19');
  });
});
