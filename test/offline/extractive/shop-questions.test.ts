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
      path: 'docs/orders.md',
      text: '`shipped`: handed to the carrier; can no longer be cancelled.',
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
  ])('the offline model quotes the right line for "$question"', ({ question, path, text }) => {
    const { answer, replies, calls } = runMiniLoop(question);
    const quotes = quotedLines(answer);
    expect(quotes.some((quote) => quote.path === path && quote.text.includes(text))).toBe(true);
    for (const quote of quotes) expect(quote.text).toBe(lineOf(quote.path, quote.line).trimEnd());
    expect(replies.length).toBeLessThanOrEqual(6);
    expect(new Set(calls).size).toBe(calls.length);
  });

  test('the offline model prefers a document that states the answer to code with the same words', () => {
    const { answer } = runMiniLoop('What is the maximum discount?');
    expect(quotedLines(answer)[0]).toMatchObject({ path: 'docs/pricing.md' });
    expect(answer).toContain('    > 11  5. No order is discounted by more than 30 % in all.');
  });

  test('the offline model says that it cannot change files, and quotes the lines concerned', () => {
    const { answer } = runMiniLoop('Rename isReturningCustomer to isRegular');
    expect(answer).toMatch(/^I cannot write or change anything: I am a search, not a language model\./);
    expect(quotedLines(answer)).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('isReturningCustomer') }),
    );
  });

  test('a long quoted line is cut so that the matching word is visible', () => {
    const root = mkdtempSync(join(tmpdir(), 'stepwise-long-line-'));
    writeFileSync(join(root, 'notes.txt'), `${'filler '.repeat(60)}the zeppelin lands at noon\n`);
    const { answer } = runMiniLoop('When does the zeppelin land?', { root });
    rmSync(root, { recursive: true });
    expect(answer).toMatch(/^ {4}> 1 {2}….*the zeppelin lands at noon$/m);
  });

  test('the offline model reports that it found nothing for an absent topic', () => {
    const { answer } = runMiniLoop('Where are the kangaroos fed?');
    expect(answer).toMatch(/^I found nothing for "kangaroo"/);
    expect(answer).toContain('not a language model');
    expect(answer).toContain('- src/cart.js');
  });

  test.each([
    ['Error: The search index is locked.\nTry again.', 'Error: The search index is locked.'],
    ['This call was not run.', 'This call was not run.'],
  ])('the offline model claims no absence after failed searches: %j', (observation, reason) => {
    const { answer } = runMiniLoop('Where are the kangaroos fed?', { failing: { search_code: observation } });
    expect(answer).toMatch(/^I could not look through all files, because search_code failed: /);
    expect(answer).toContain(`${reason}\n\nI do not know whether there is anything for "kangaroo"`);
    expect(answer).not.toContain('I found nothing');
  });

  test('the offline model says before its quotes that a tool failed', () => {
    const { answer } = runMiniLoop('What does this project do?', { failing: { list_files: 'Error: busy' } });
    expect(answer).toMatch(
      /^I could not look through all files, because list_files failed: Error: busy\n\nREADME/,
    );
  });

  test('the offline model reads the readme if a question names it', () => {
    const { answer, calls } = runMiniLoop('And the readme?');
    expect(calls).toEqual(['read_file(path="README.md")']);
    expect(quotedLines(answer)).toContainEqual(expect.objectContaining({ path: 'README.md', line: 1 }));
  });

  test('the offline model reports a named file as unreadable and quotes no other instead', () => {
    const { answer } = runMiniLoop('What does src/nothere.js do?');
    expect(answer).toMatch(/^I could not read src\/nothere\.js\.\n/);
    expect(quotedLines(answer)).toEqual([]);
  });

  test('text quoted from other files is not attributed to a missing file', () => {
    const { answer } = runMiniLoop('How is the discount in src/nothere.js calculated?');
    expect(answer).toMatch(/^I could not read src\/nothere\.js\.\n\nThese passages match best/);
  });

  test('the offline model finds a file by its name alone', () => {
    const { answer } = runMiniLoop('Summarize orders.md');
    expect(answer).toMatch(/^I could not read orders\.md\.\n/);
    expect(quotedLines(answer)[0]).toMatchObject({ path: 'docs/orders.md', line: 1 });
    expect(answer).toContain('no language model was used');
  });

  test('the offline model answers a request for a listing with the files', () => {
    expect(runMiniLoop('Which files are there?').answer).toMatch(/^28 files:\n- README\.md/);
  });
});

describe('the offline model works with other sets of tools', () => {
  const question = 'Where is the discount for returning customers calculated?';
  const calculation = expect.objectContaining({ path: 'src/pricing/discounts.js', line: 19 });

  test('without a search tool the offline model lists files and reads those whose names match', () => {
    const { answer, calls } = runMiniLoop(question, { offered: ['read_file', 'list_files'] });
    expect(calls[0]).toBe('list_files(path=".")');
    expect(calls.slice(1).join()).toContain('read_file(path="src/pricing/discounts.js"');
    expect(quotedLines(answer)).toContainEqual(calculation);
  });

  test('with only a search tool the offline model quotes the hits', () => {
    const { answer, calls } = runMiniLoop(question, { offered: ['search_code'] });
    expect(calls.every((call) => call.startsWith('search_code('))).toBe(true);
    expect(quotedLines(answer)).toContainEqual(calculation);
  });

  test("the offline model does not read a file with few of the question's terms if another has all of them", () => {
    const root = mkdtempSync(join(tmpdir(), 'stepwise-orders-'));
    writeFileSync(join(root, 'order-a.txt'), 'order: A\ncustomer: Ada\n');
    writeFileSync(join(root, 'order-b.txt'), 'order: B\ncustomer: Bo\n');
    const { answer, calls } = runMiniLoop('Where does the order of Ada go?', { root });
    rmSync(root, { recursive: true });
    const read = calls.filter((call) => call.startsWith('read_file('));
    expect(read).toEqual([expect.stringContaining('order-a.txt')]);
    expect(answer).toContain('customer: Ada');
  });

  test('without tools the offline model answers from the files in the prompt', () => {
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

  test('without tools and files the offline model says that it cannot answer', () => {
    expect(runMiniLoop(question, { offered: [] }).answer).toContain('No tool is offered');
  });

  test('the offline model answers with its evidence if the prompt forbids further calls', () => {
    const { replies, answer } = runMiniLoop(question, { maxSteps: 3 });
    expect(replies).toHaveLength(3);
    expect(quotedLines(answer)).toContainEqual(calculation);
  });
});
