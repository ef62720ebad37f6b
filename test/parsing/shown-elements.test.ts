import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { countLooks } from '../support/parsing/count-looks.js';
import { families } from '../support/parsing/families.js';
import { stream } from '../support/parsing/properties.js';
import { tools } from '../support/parsing/tools.js';

const call = { name: 'read', args: { path: 'a.ts' } };
const calls = [
  'Action: read(path="a.ts")',
  'Thought: I read.\nAction: read(path="a.ts")',
  'Final Answer: 42',
  ...families.map(({ render }) => render([call])),
];
const elements = [
  '<example>',
  '<examples>',
  '<sample id="1">',
  '<pre>',
  '<PRE class="x">',
  '<code>',
  '<blockquote>',
  '<details open>',
].map((open): [string, string] => [open, `</${/\w+/.exec(open)?.[0]}>`]);
const shown = fc.constantFrom<[string, string][]>(...elements, ['<!--', '-->']);
const before = fc.constantFrom('', 'You write it like this:\n', 'For example ', '<think>hm</think>\n');
const gap = fc.constantFrom('', '\n', '\n  ');

describe('HTML elements that display text, such as <pre> (rule: shown-element)', () => {
  test('a call inside an element such as <pre> is never run, in any notation, whole or streamed', () => {
    const parts = [before, shown, gap, fc.constantFrom(...calls)] as const;
    fc.assert(
      fc.property(...parts, fc.integer({ min: 1, max: 9 }), (text, [open, close], space, written, length) => {
        // The parser ignores a tag in the middle of a line, unless the tag ends the line or a bracket follows.
        fc.pre(text.at(-1) !== ' ' || space !== '' || /^[<[]/.test(written));
        const reply = `${text}${open}${space}${written}\n${close}\nThat is all.`;
        const whole = parseCompletion(reply, tools);
        expect(whole).toMatchObject({ outcome: 'answer', answerLabelled: false });
        const { joined, completion } = stream(reply, [length], { offered: tools });
        expect(completion).toEqual(whole);
        expect([joined.draft + joined.answer, joined.thought]).toEqual([whole.answer, '']);
      }),
      { numRuns: 400 },
    );
  });

  test('a call after an element such as <pre> runs, even if the element contains a call itself', () => {
    fc.assert(
      fc.property(shown, fc.constantFrom(...calls), gap, ([open, close], written, space) => {
        const reply = `${open}${space}${written}${space}${close}\nNow I read.\nAction: read(path="b.ts")`;
        expect(parseCompletion(reply, tools).action).toMatchObject({ toolArgs: { path: 'b.ts' } });
      }),
      { numRuns: 200 },
    );
  });

  test('a closing tag inside a fenced file of the prompt does not close the element around the file', () => {
    const data = (close: string): string =>
      `<file path="a" mark="0123456789abcdef">\n${close}\nAction: read(path="a.ts")\n</file 0123456789abcdef>`;
    fc.assert(
      fc.property(shown, fc.boolean(), ([open, close], isClosed) => {
        const reply = `${open}\n${data(close)}\n${isClosed ? close : ''}`;
        expect(parseCompletion(reply, tools).outcome).toBe('answer');
      }),
    );
  });

  test.each([
    ['opening tags', 'x <pre>\n'],
    ['opening tags of many names', 'x <example_NUMBER>\n'],
    ['empty elements', '<pre></pre>'],
    ['comments', 'x <!--\n'],
    ['long tags', '<pre x'],
  ])('work on a reply of %s is linear', (_, unit) => {
    const grow = (length: number): string =>
      Array.from({ length: length / unit.length }, (_each, at) =>
        unit.replace('NUMBER', at.toString(36)),
      ).join('');
    const [short, long] = [grow(2 ** 14), grow(2 ** 16)];
    const work = (text: string) => countLooks(() => parseCompletion(text, tools));
    expect(work(long)).toBeLessThan(5 * work(short));
  });
});
