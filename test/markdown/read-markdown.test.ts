import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type MarkdownNode, readMarkdown } from '../../src/markdown/read-markdown.js';

const json = (text: string): string => JSON.stringify(readMarkdown(text));

/** Joins all text that a page would display, in order. */
function words(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if ('text' in node) return node.text;
      if ('children' in node) return words(node.children);
      if (node.type === 'list') return node.items.map(({ children }) => words(children)).join(' ');
      return node.type === 'table' ? [node.head, ...node.rows].flat().map(words).join(' ') : ' ';
    })
    .join('');
}

const hrefs = (text: string): string[] =>
  [...json(text).matchAll(/"href":"([^"]*)"/g)].map(([, href = '']) => href);

describe('readMarkdown (rule: playground-untrusted)', () => {
  test('readMarkdown reads headings, lists, tables, code and emphasis', () => {
    const types = json(
      '# A\n\n1. b\n\n- [x] c\n\n| d |\n| - |\n| e |\n\n```js\nf\n```\n\n**g** *h* `i` ~~j~~\n\n> k\n\n---',
    );
    for (const type of [
      'heading',
      'list',
      'table',
      'code-block',
      'strong',
      'emphasis',
      'code',
      'deleted',
      'quote',
      'rule',
    ]) {
      expect(types).toContain(`"type":"${type}"`);
    }
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onclick="x()">b</b>',
    '<style>*{display:none}</style>',
    '<!-- hidden -->',
  ])('readMarkdown returns the HTML %s as text', (html) => {
    expect(words(readMarkdown(html))).toContain(html.slice(0, 10));
  });

  test.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](data:text/html,x)',
    '[a](vbscript:x)',
    '[a](/local)',
    '[a](//evil.example)',
    '[a](file:///etc/passwd)',
    '<javascript:alert(1)>',
    '[a][1]\n\n[1]: javascript:alert(1)',
  ])('readMarkdown does not make a link of %s', (text) => expect(hrefs(text)).toEqual([]));

  test('readMarkdown keeps web links and adds the address if the link text differs from it', () => {
    expect(hrefs('[bank](https://evil.example/)')).toEqual(['https://evil.example/']);
    expect(words(readMarkdown('[bank](https://evil.example/)'))).toContain('(https://evil.example/)');
    expect(words(readMarkdown('<https://a.example/>'))).toBe('https://a.example/');
  });

  test('readMarkdown turns a relative link into its text, followed by the address if that differs', () => {
    expect(words(readMarkdown('[src/a.ts](src/a.ts)'))).toBe('src/a.ts');
    expect(words(readMarkdown('[a](src/a.ts)'))).toBe('a (src/a.ts)');
  });

  test('readMarkdown returns a text longer than maxChars as one text node', () => {
    expect(readMarkdown('**abc**', { maxChars: 7 })).not.toEqual([{ type: 'text', text: '**abc**' }]);
    expect(readMarkdown('**abc**', { maxChars: 6 })).toEqual([{ type: 'text', text: '**abc**' }]);
  });

  test('readMarkdown returns quotes deeper than 16 levels as text', () => {
    const nested = json(`${'>'.repeat(18)} a`);
    expect(nested.match(/"quote"/g)).toHaveLength(16);
    expect(words(readMarkdown(`${'>'.repeat(18)} a`))).toBe('>> a');
  });

  test('readMarkdown returns an image as text with its description and address', () => {
    expect(json('![pixel](https://evil.example/x.png?secret)')).not.toContain('"href"');
    expect(words(readMarkdown('![pixel](https://evil.example/x.png)'))).toContain(
      'https://evil.example/x.png',
    );
  });

  test.each([
    ['quotes in quotes', '>'.repeat(5_000)],
    ['lists in lists', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')],
    ['brackets', '['.repeat(20_000)],
    ['emphasis', '*a '.repeat(20_000)],
    ['links', '[a]('.repeat(20_000)],
    ['cells', `|${'a|'.repeat(20_000)}\n|${'-|'.repeat(20_000)}`],
    ['two million characters', 'a'.repeat(2_000_000)],
    ['autolinks', 'www.'.repeat(20_000)],
    ['backticks', Array.from({ length: 300 }, (_, length) => '`'.repeat(length)).join(' ')],
  ])('readMarkdown returns nodes with text for the hostile input of %s', (_, text) => {
    const shown = words(readMarkdown(text));
    expect(shown.length).toBeGreaterThan(0);
  });

  test('readMarkdown returns only nodes of the documented types for any text', () => {
    const known =
      /^(?:text|code|code-block|link|break|rule|heading|list|table|paragraph|quote|strong|emphasis|deleted|plain)$/;
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab \n*_`[]()<>!#-|:1.~\\&'), maxLength: 200 }),
        (text) => {
          for (const [, type = ''] of json(text).matchAll(/"type":"([^"]*)"/g)) expect(type).toMatch(known);
        },
      ),
    );
  });
});
