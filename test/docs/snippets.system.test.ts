import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { declareProgram } from '../../src/cli/commands/declared-commands.js';
import { startLocalService } from '../../src/cli/session/local-service.js';
import type { Service } from '../../src/service/start.js';
import {
  blocks,
  compileSnippet,
  copyFiles,
  emitOptions,
  strictly,
  withCompiledEntries,
} from '../support/document-snippets.js';
import { freePort } from '../support/free-port.js';

/** Runs what the documents tell a reader to type and compares the output with what they show. */
const documentedUrl = 'http://127.0.0.1:8080';
const readme = readFileSync('README.md', 'utf8');
const reference = ['client', 'deferred-tools', 'service', 'reading-the-model'].map(
  (page) => `docs/reference/${page}.md`,
);
const gettingStarted = readFileSync('docs/getting-started.md', 'utf8');
const pages = ['README.md', 'docs/getting-started.md', 'docs/company-networks.md', ...reference];
const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));
const built = resolve('.build/snippets');

let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startLocalService();
  folder = mkdtempSync(join(tmpdir(), 'stepwise-snippets-'));
  writeFileSync(join(folder, 'README.md'), '# A project\n\nIt limits discounts.\n');
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

test('the curl request of the README gets the response that the README shows', async () => {
  const shown = jsonBlocks(readme)[0];
  expect(await postLikeCurl(blocks(readme, 'sh')[0] ?? '')).toMatchObject(withoutCounts(shown) as object);
});

test('a request without a token limit gets the error that the reference shows', async () => {
  const { llm_config, ...rest } = JSON.parse(/-d '([^']+)'/s.exec(blocks(readme, 'sh')[0] ?? '')?.[1] ?? '');
  const response = await fetch(`${service.url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...rest, llm_config: { ...llm_config, tokenLimit: undefined } }),
  });
  const [shown] = jsonBlocks(read('docs/reference/errors.md'));
  expect(await response.json()).toMatchObject(withoutCounts(shown) as object);
});

test('the curl request of the first steps gets the response that the page shows', async () => {
  const [request = ''] = blocks(gettingStarted, 'sh').filter((each) => each.startsWith('curl'));
  expect(await postLikeCurl(request)).toMatchObject(jsonBlocks(gettingStarted)[0] as object);
});

test('the first program runs in the folder of the repository and prints an answer', async () => {
  const file = join(built, 'first.mjs');
  writeFileSync(file, withCompiledEntries(atTheService(blocks(gettingStarted, 'js')[0] ?? '')));
  const { code, shown, trouble } = await run(process.execPath, [file], { cwd: process.cwd() });
  expect({ code, trouble }).toEqual({ code: 0, trouble: '' });
  expect(shown).toContain('search_code');
  expect(shown).toContain("port: number('PORT', 3000)");
});

test('the section counts in the README add up to the prompt count', () => {
  const { context_report: report } = jsonBlocks(readme)[0] as {
    context_report: { prompt_tokens: number; sections: { tokens: number }[] };
  };
  expect(report.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(report.prompt_tokens);
});

test('the loop of the README runs to its answer', async () => {
  const file = join(built, 'loop.mjs');
  writeFileSync(file, atTheService(blocks(readme, 'js')[0] ?? ''));
  const { code, shown, trouble } = await run(process.execPath, [file]);
  expect({ code, trouble }).toEqual({ code: 0, trouble: '' });
  expect(shown).toContain('const port = 8080;');
});

test('the loop of the README exits with the error of a failed step', async () => {
  const file = join(built, 'failing-loop.mjs');
  writeFileSync(file, atTheService(blocks(readme, 'js')[0] ?? '').replace("'offline'", "'gpt-4o'"));
  const { code, trouble } = await run(process.execPath, [file]);
  expect({ code, trouble }).toEqual({
    code: 1,
    trouble: expect.stringContaining('missing_api_key: This model needs a key'),
  });
});

test('the TypeScript of the documents compiles with the strictest options and runs', async () => {
  // A block that names its file is a whole program, with a test of its own.
  const isPart = (block: string) => !/^\/\/ [\w-]+\.ts\n/.test(block);
  for (const page of pages)
    writeFileSync(snippetFile(page), blocks(read(page), 'ts').filter(isPart).join('\n'));
  writeFileSync(join(built, 'tsconfig.json'), JSON.stringify(strictly(pages.map(snippetFile))));
  expect(await tsc('-p', join(built, 'tsconfig.json'))).toEqual({ code: 0, shown: '', trouble: '' });
  for (const page of pages) {
    const script = await emit(snippetFile(page));
    const { code, trouble } = await run(process.execPath, [script]);
    expect({ page, code, trouble }).toEqual({ page, code: 0, trouble: '' });
  }
}, 300_000);

test('approve.ts of the README waits for a decision, resumes and writes, with the scripted model of the reference', async () => {
  const own = `http://127.0.0.1:${await freePort()}`;
  const replacements = {
    [documentedUrl]: own,
    'PORT: 8080': `PORT: ${new URL(own).port}, LOG_LEVEL: 'silent'`,
  };
  const file = copyFiles(readme + read('docs/reference/service.md'), 'approve', {});
  const model = spawn(process.execPath, [await compileSnippet(file('scripted-model.ts'), replacements)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(model.stdout, 'data');
    expect(String(line)).toBe(`${own} has the model { provider: 'local', modelName: 'qwen3:8b' }\n`);
    const ended = await run(process.execPath, [await compileSnippet(file('approve.ts'), replacements)]);
    const note = 'Discounts are added up after tax.';
    expect(ended).toEqual({ code: 0, shown: `note.txt: ${note}\nI wrote the note.\n`, trouble: '' });
    expect(readFileSync(join(folder, 'note.txt'), 'utf8')).toBe(note);
  } finally {
    model.kill();
  }
}, 300_000);

test('the demo prints what the README shows', async () => {
  const demo = resolve('.build/src/cli/commands/demo.js');
  const { shown } = await run(process.execPath, [demo], { cwd: process.cwd(), columns: '80' });
  const wanted = stableLines(blocks(readme, 'text')[0] ?? '');
  const printed = stableLines(shown);
  expect(wanted.filter((line) => !printed.includes(line))).toEqual([]);
}, 300_000);

test('all JSON blocks of the documents are valid', () => {
  const documents = [...pages, 'docs/reference/steps-and-histories.md', 'docs/reference/errors.md'];
  expect(() => documents.flatMap((page) => jsonBlocks(read(page)))).not.toThrow();
});

test('every npm script that the documents name exists', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'AGENTS.md', ...pages];
  const named = documents.flatMap((page) =>
    [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name),
  );
  expect(named.filter((name) => !(name !== undefined && name in packageJson.scripts))).toEqual([]);
});

test('every flag of the command that the documents name exists', () => {
  const commands = pages.flatMap((page) => [...read(page).matchAll(/^.*(?:stepwise "|cli\/main\.js).*$/gm)]);
  const typed = commands.flatMap(([line]) => [...line.matchAll(/ (--[a-z-]+)/g)]);
  const [, ofTheCommand = ''] = read('docs/reference/client.md').split('### tool-limits');
  const quoted = [...ofTheCommand.matchAll(/`(--[a-z-]+)/g)];
  const flags = [...typed, ...quoted].map(([, flag = '']) => flag);
  expect(flags.length).toBeGreaterThan(8);
  const program = declareProgram();
  const declared = [program, ...program.commands].flatMap(({ options }) => options.map(({ long }) => long));
  expect(flags.filter((flag) => !declared.includes(flag))).toEqual([]);
});

test('every example program that the documents start exists', () => {
  const documents = ['README.md', ...filesIn('docs'), ...filesIn('examples')].filter((path) =>
    path.endsWith('.md'),
  );
  const started = documents.flatMap((page) =>
    [...read(page).matchAll(/(?:node|python3|tsc -p) (examples\/[\w./-]+)/g)].map(([, path = '']) => path),
  );
  expect(started.length).toBeGreaterThan(3);
  expect(started.filter((path) => !existsSync(path))).toEqual([]);
});

test('every compiled file that a command in the documents runs has a source file', () => {
  const started = pages.flatMap((page) =>
    [...read(page).matchAll(/node dist\/([\w/-]+)\.js/g)].map(([, path]) => path),
  );
  expect(started.length).toBeGreaterThan(1);
  expect(started.filter((path) => !existsSync(`src/${path}.ts`))).toEqual([]);
});

test('the documents install the package file that `npm pack` writes', () => {
  const named = [...packageFiles(readme), ...packageFiles(read('docs/editor-integration.md'))];
  const { name, version } = packageJson;
  expect(new Set(named)).toEqual(new Set([`${name}-${version}.tgz`, `${name}-client-${version}.tgz`]));
});

test('the documents use `npx stepwise` only after installing this package, because npm has another of that name', () => {
  const careless = ['README.md', ...filesIn('docs')]
    .filter((path) => path.endsWith('.md'))
    .filter((path) => /^.*(?:^|`)npx stepwise \w/m.exec(read(path).split(/^npm install .*\.tgz$/m)[0] ?? ''));
  expect(careless).toEqual([]);
});

test('`npm link` puts `stepwise` on the PATH', async () => {
  const home = mkdtempSync(join(tmpdir(), 'stepwise-home-'));
  const checkout = join(home, 'checkout');
  mkdirSync(checkout);
  for (const [name, path] of Object.entries({ 'package.json': '', node_modules: '', dist: '.build/src' }))
    symlinkSync(resolve(path || name), join(checkout, name));
  writeFileSync(join(home, '.npmrc'), `prefix=${home}\n`);
  const linked = await run('npm', ['link', '--offline'], { cwd: checkout, home });
  expect(linked).toMatchObject({ code: 0, trouble: '' });
  const told = await run(join(home, 'bin/stepwise'), ['--version']);
  expect(told).toEqual({ code: 0, shown: `${packageJson.version}\n`, trouble: '' });
  rmSync(home, { recursive: true });
}, 60_000);

const packageFiles = (markdown: string): string[] =>
  [...markdown.matchAll(/[\w.-]+\.tgz/g)].map(([name]) => name);

/** Skips `node_modules` of examples, which may contain a link to this project. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules'));
}

function read(page: string): string {
  return readFileSync(page, 'utf8');
}

function jsonBlocks(markdown: string): unknown[] {
  return blocks(markdown, 'json').map((each) => JSON.parse(each));
}

function atTheService(snippet: string): string {
  expect(snippet).toContain(documentedUrl);
  return snippet.replaceAll(documentedUrl, service.url);
}

/** Sends the request that curl would send, since not every machine has curl. */
async function postLikeCurl(command: string): Promise<unknown> {
  const [, url = ''] = /^curl -s (\S+) /.exec(atTheService(command)) ?? [];
  const [, name = '', value = ''] = /-H '([^:]+): ([^']+)'/.exec(command) ?? [];
  const [, body = ''] = /-d '([^']+)'/s.exec(command) ?? [];
  const response = await fetch(url, { method: 'POST', headers: { [name]: value }, body });
  expect(response.status).toBe(200);
  return response.json();
}

/** Removes token counts, ids and texts that change with the wording of the prompt templates. */
function withoutCounts(shown: unknown): unknown {
  return JSON.parse(JSON.stringify(shown), (key, value) => {
    if (['request_id', 'timestamp', 'message'].includes(key)) return expect.any(String);
    return /tokens$/.test(key) && typeof value === 'number' ? expect.any(Number) : value;
  });
}

function snippetFile(page: string): string {
  return join(built, `${page.replaceAll(/\W+/g, '-')}.ts`);
}

function tsc(...args: readonly string[]): Promise<Ended> {
  return run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...args], { cwd: process.cwd() });
}

/** Compiles the snippet to a module that imports the compiled sources and calls the service of this test. */
async function emit(file: string): Promise<string> {
  await tsc(...emitOptions(built), file);
  const script = file.replace(/\.ts$/, '.js');
  const compiled = withCompiledEntries(readFileSync(script, 'utf8'));
  const module = script.replace(/\.js$/, '.mjs');
  writeFileSync(module, compiled.replaceAll(documentedUrl, service.url));
  return module;
}

/** Removes numbers and lines that differ between runs or window widths. */
function stableLines(shown: string): string[] {
  const lines = shown.split('\n').map((line) => line.trimEnd().replaceAll(/\d+/g, '0'));
  return lines.filter((line) => line !== '' && !/^Service|^Budget|…|tokens in/.test(line));
}

interface Ended {
  readonly code: number | null;
  readonly shown: string;
  readonly trouble: string;
}

async function run(
  command: string,
  args: readonly string[],
  { cwd = folder, columns = '100', home = folder } = {},
): Promise<Ended> {
  const env = { PATH: process.env['PATH'], HOME: home, COLUMNS: columns };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [shown, trouble] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, shown, trouble };
}
