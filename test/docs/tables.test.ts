import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { exitCodes } from '../../src/cli/commands/usage.js';
import { errorCodes } from '../../src/contract/error-codes.js';
import { openapiDocument } from '../../src/contract/openapi/openapi.js';
import { isSecretPath } from '../../src/files/secret-paths.js';
import { clientToolNames } from '../../src/sdk/actions/client-tools.js';
import { readConfig } from '../../src/service/settings/config.js';
import { createToolPack } from '../../src/tools/index.js';

/** Compares the tables of the reference with the code, row by row. */
const page = (name: string): string => readFileSync(`docs/reference/${name}.md`, 'utf8');
const document = openapiDocument() as unknown as {
  components: {
    schemas: Record<string, { properties: Record<string, { 'x-extensible-enum'?: readonly string[] }> }>;
  };
};
const propertiesOf = (schema: string): string[] =>
  Object.keys(document.components.schemas[schema]?.properties ?? {});

test('the table of errors has each code of the contract once, with its status and whether to retry', () => {
  const told = cellsOf(section(page('errors'), 'error-table')).flatMap(([, status, code = '', retryable]) =>
    /^`\w+`$/.test(code) ? [[code.replaceAll('`', ''), Number(status), retryable === 'yes']] : [],
  );
  const meant = Object.entries(errorCodes).map(([code, row]) => [code, row.status, row.retryable]);
  expect(told.sort(byFirst)).toEqual(meant.sort(byFirst));
});

test('the table of stream events lists those of the contract in their order', () => {
  const told = cellsOf(section(page('streaming'), 'stream-events')).map(([name = '']) => unquoted(name));
  const meant = document.components.schemas['StreamEvent']?.properties['type']?.['x-extensible-enum'];
  expect(told.slice(1)).toEqual(meant);
});

test('every field of a step request is in its table', () => {
  const told = namesIn(page('steps-and-histories'));
  expect(propertiesOf('StepRequest').filter((field) => !told.has(field))).toEqual([]);
  expect(propertiesOf('LlmConfig').filter((field) => !told.has(field))).toEqual([]);
});

test('every field of a step is in its table', () => {
  const told = namesIn(page('steps-and-histories'));
  expect(propertiesOf('Step').filter((field) => !told.has(field))).toEqual([]);
  expect(propertiesOf('Signals').filter((field) => !told.has(field))).toEqual([]);
});

test('every field of an error and of the context report is in its table', () => {
  const errors = namesIn(page('errors'));
  expect(propertiesOf('StepError').filter((field) => !errors.has(field))).toEqual([]);
  const budget = namesIn(page('context-and-budget'));
  expect(propertiesOf('ContextReport').filter((field) => !budget.has(field))).toEqual([]);
});

test('every setting is in its table with its default', () => {
  const rows = cellsOf(section(page('service'), 'settings')).slice(1);
  const told = rows.flatMap(([names = '', defaults = '']) => {
    const values = defaults.split(', ').map(unquoted);
    return names.split(', ').map((name, index) => [unquoted(name), values[index] ?? values[0]]);
  });
  const meant = Object.entries(readConfig({})).map(([name, value]) => [name, shownDefault(value)]);
  expect(told.filter(([, value]) => value !== 'none').sort(byFirst)).toEqual(
    meant.filter(([, value]) => value !== 'none').sort(byFirst),
  );
});

test('the table of exit codes lists those of the command', () => {
  const told = section(page('client'), 'exit-codes');
  expect(Object.values(exitCodes).filter((code) => !new RegExp(`\\b${code} `).test(told))).toEqual([]);
});

test('the tables of tools list the tool pack and the tools of a run with their parameters', async () => {
  const pack = (await createToolPack('.')).map(({ name }) => name);
  const told = namesIn(page('client'));
  expect([...pack, ...clientToolNames].filter((name) => !told.has(name))).toEqual([]);
});

test('the reference lists every option of a run, every slash command and every row of the command table', () => {
  const told = page('client');
  const source = (path: string): string => readFileSync(`src/${path}.ts`, 'utf8');
  const [, options = ''] = /interface RunOptions \{(.*?)^\}/ms.exec(source('sdk/run/run-options')) ?? [];
  const names = [...options.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name = '']) => `\`${name}\``);
  const slashes = [...source('cli/slash/slash-commands').matchAll(/^ {2}'(\/\w+)'/gm)].map(
    ([, name = '']) => name,
  );
  const rows = [...source('sdk/actions/command-table').matchAll(/words: \[([^\]]+)\]/g)];
  const commands = rows.map(([, words = '']) => `\`${words.replaceAll(/[',]/g, '')}\``);
  expect([names.length > 20, slashes.length > 7, commands.length > 8]).toEqual([true, true, true]);
  expect([...names, ...slashes, ...commands].filter((each) => !told.includes(each))).toEqual([]);
});

test('the README lists the entries of the package', () => {
  const exported = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).exports);
  const entries = exported
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => entry.replace('.', 'stepwise'));
  const told = cellsOf(readFileSync('README.md', 'utf8')).map(([name = '']) => unquoted(name));
  expect(told.filter((name) => /^stepwise(?:\/|$)/.test(name)).sort()).toEqual(entries.sort());
});

test.each([
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
])('the document %s describes exactly the parts of `npm run check`', (path) => {
  const { check } = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
  const [told = ''] = /npm run check`?.{0,200}/s.exec(readFileSync(path, 'utf8')) ?? [];
  const parts = { biome: 'lint', tsc: 'types', knip: 'unused exports' };
  for (const [tool, words] of Object.entries(parts)) {
    expect({ words, told: told.includes(words) }).toEqual({ words, told: check.includes(tool) });
  }
});

test('every secret file that the reference names as an example is refused', () => {
  const [, examples = ''] = section(page('context-and-budget'), 'secret-files').split('\n\n').slice(1);
  const patterns = [...examples.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replaceAll('*', 'x'));
  expect(patterns.length).toBeGreaterThan(12);
  const paths = patterns.map((name) =>
    /^\.(git|ssh|gnupg|aws|gcloud|kube)$/.test(name) ? `${name}/config` : name,
  );
  const readable = paths.filter((path) => !isSecretPath(path) && !['.github/', '.eslintrc'].includes(path));
  expect(readable).toEqual([]);
});

function section(markdown: string, rule: string): string {
  const start = markdown.indexOf(`### ${rule}\n`);
  const rest = markdown.slice(start + 4);
  const end = rest.search(/^##/m);
  return end === -1 ? rest : rest.slice(0, end);
}

/** Returns the cells of all tables of a section, with headings and without separator rows. */
function cellsOf(text: string): string[][] {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[ -]+\|/.test(line.replaceAll('| ---', '|')));
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** Returns all names in code quotes, alone or at the start of a signature. */
function namesIn(markdown: string): ReadonlySet<string> {
  const quoted = [...markdown.matchAll(/`([^`\n]+)`/g)].flatMap(([, text = '']) => text.match(/\w+/g) ?? []);
  return new Set(quoted);
}

function unquoted(text: string): string {
  return text.replaceAll('`', '');
}

function shownDefault(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value === undefined ? 'none' : String(value);
}

function byFirst([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
