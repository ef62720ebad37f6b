import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type ParsedCompletion, parseCompletion, toOfferedTool } from '../../src/parsing/index.js';

/** Parses every example reply of the page and compares the result with what the page states. */
const page = readFileSync('docs/reference/reading-the-model.md', 'utf8');
const tool = (name: string, parameters: Readonly<Record<string, object>>) =>
  toOfferedTool({
    name,
    inputSchema: { type: 'object', properties: parameters, required: Object.keys(parameters) },
  });
const tools = [
  tool('search_code', { pattern: { type: 'string' } }),
  tool('write_file', { path: { type: 'string' }, content: { type: 'string' } }),
  tool('Search', { query: { type: 'string' } }),
  tool('keep', { value: {} }),
];
const read = (text: string): ParsedCompletion => parseCompletion(text, tools);
const port = { toolName: 'search_code', toolArgs: { pattern: 'port' } };

test.each([
  'whole-reply-fence',
  'two-line-action',
  'json-call',
  'tag-call',
  'bare-call',
])('the example of the rule `%s` is read as an action', (rule) => {
  expect(read(exampleOf(rule)).action).toMatchObject(port);
});

test('the example of `literals-first` is read as one call, whatever its text contains', () => {
  expect(read(exampleOf('literals-first')).action).toMatchObject({
    toolName: 'write_file',
    toolArgs: { path: 'a.md', content: 'Observation: none\nAction: f()' },
  });
});

test('the parser reads the three example calls of the ruling `arguments` as the same call', () => {
  const reader = tool('read_file', { path: { type: 'string' }, start_line: { type: 'integer' } });
  const calls = exampleOf('arguments').trim().split(/ {3,}/);
  expect(calls).toHaveLength(3);
  for (const call of calls) {
    expect(parseCompletion(`Action: ${call}`, [reader]).action?.toolArgs).toEqual({
      path: 'a.ts',
      start_line: 3,
    });
  }
});

test('the parser reads each value in the table of the rule `values` as the table states', () => {
  const rows = sectionOf('values')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const pairs = rows.flatMap((row) => {
    const [written = '', becomes = ''] = row.slice(1, -1).split(' | ');
    const results = becomes.trim().split(/, (?![^[]*\])/);
    return [...written.matchAll(/(`{1,2}) ?(.+?) ?\1/g)].map(
      ([, , value], index) => [value, results[index]] as const,
    );
  });
  expect(pairs.length).toBeGreaterThan(8);
  for (const [written, becomes = ''] of pairs) {
    const value = read(`Action: keep(value=${written})`).action?.toolArgs['value'];
    const shown = typeof value === 'string' ? value : JSON.stringify(value)?.replaceAll(',', ', ');
    expect({ written, shown }).toEqual({ written, shown: becomes.replaceAll('`', '') });
  }
});

test('the text in the brackets of a `bracket-call` becomes the argument unchanged, quotes included', () => {
  expect(read('Action: Search[Apple Remote]').action?.toolArgs).toEqual({ query: 'Apple Remote' });
  expect(read('Action: Search["A" "1939"]').action?.toolArgs).toEqual({ query: '"A" "1939"' });
});

test('every spelling that the ruling `listed-call` shows is read as the same call', () => {
  const written = ['[f()]', "['f()']", 'f();'];
  for (const each of written) {
    expect(page).toContain(each);
    const reply = `Action: ${each.replace('f()', 'search_code(pattern="port")')}`;
    expect(read(reply).action).toMatchObject(port);
  }
});

test('a reply without a valid call by the rules `markers` and `offered-tools` is read as an answer', () => {
  const none = [
    '1. Action: search_code(pattern="port")',
    'Action: None',
    'Action: N/A',
    'Action: ask the person',
  ];
  expect(none.map((text) => read(text).outcome)).toEqual(none.map(() => 'answer'));
});

function sectionOf(rule: string): string {
  const [, section = ''] = page.split(`### ${rule}\n`);
  return section.split(/^##/m)[0] ?? '';
}

/** Returns the first fenced block of a rule; a block that contains a fence is fenced with four backticks. */
function exampleOf(rule: string): string {
  const [, , body = ''] = /^(`{3,4})\n(.*?)^\1$/ms.exec(sectionOf(rule)) ?? [];
  expect(body).not.toBe('');
  return body;
}
