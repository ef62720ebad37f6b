import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { ToolDefinition } from '../../../src/contract/tool.js';
import { MAX_FOUND, searchTools } from '../../../src/sdk/actions/search-tools.js';

interface SearchSet {
  readonly tools: readonly ToolDefinition[];
  readonly questions: readonly { readonly query: string; readonly expected: readonly string[] }[];
}

const { tools, questions }: SearchSet = JSON.parse(
  readFileSync('test/sdk/actions/tool-search-set.json', 'utf8'),
);

const namesFor = (query: string, among = tools): readonly string[] =>
  searchTools(among, query).map(({ name }) => name);

const toolNamed = (name: string, description = '', properties: Record<string, unknown> = {}) => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
});

test('the tool search finds a fitting tool among the first five for at least 95 % of 200 recorded questions over 120 tools (rule: find-tools)', () => {
  expect([tools.length, questions.length]).toEqual([120, 200]);
  const missed = questions.filter(({ query, expected }) => {
    const found = namesFor(query);
    expect(found.length).toBeLessThanOrEqual(MAX_FOUND);
    return !expected.some((name) => found.includes(name));
  });
  expect(missed.length / questions.length).toBeLessThanOrEqual(0.05);
});

test('searching for a tool’s exact name finds only that tool, also in upper case or quotes (rule: find-tools)', () => {
  for (const { name } of tools) {
    expect(namesFor(name)).toEqual([name]);
    expect(namesFor(` "${name.toUpperCase()}" `)).toEqual([name]);
  }
  expect(namesFor('git_log, git_diff git_log')).toEqual(['git_log', 'git_diff']);
});

test.each([
  ['a name in camelCase', 'pull request', toolNamed('openPullRequest')],
  ['a name in snake_case', 'pull request', toolNamed('open_pull_request')],
  ['an abbreviation before a word', 'http server', toolNamed('startHTTPServer')],
  ['another form of a word', 'creating repositories', toolNamed('repository_creation')],
  ['the beginning of a word', 'kube', toolNamed('apply', 'Applies a manifest to Kubernetes.')],
  ['a synonym of a verb', 'remove entries', toolNamed('delete_entry')],
  ['the name of a parameter', 'brightness', toolNamed('lamp', '', { brightness: { type: 'integer' } })],
  ['a description in Chinese', '天气', toolNamed('forecast', '查询城市的天气')],
])('the tool search finds a tool by %s (rule: find-tools)', (_, query, tool) => {
  expect(namesFor(query, [toolNamed('other', 'Does something else.'), tool])).toEqual([tool.name]);
});

test('the tool search finds nothing for a query that fits no tool or has no word (rule: find-tools)', () => {
  for (const query of ['xylophone', '', ' ?! ', 'the of and']) expect(namesFor(query)).toEqual([]);
});

test('a tool search with a query of a megabyte over 1,000 tools takes less than a second (rule: find-tools)', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({
    ...toolNamed(`tool_${index}`, `${'word'.repeat(index % 7)} ${'inging'.repeat(1_000)} `.repeat(3)),
  }));
  for (const query of ['word '.repeat(200_000), 'e'.repeat(1_000_000), 'ing'.repeat(300_000)]) {
    const began = performance.now();
    searchTools(many, query);
    expect(performance.now() - began).toBeLessThan(1_000);
  }
});
