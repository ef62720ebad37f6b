import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { packages } from '../../scripts/sdks/sdks.js';
import { installNode } from '../../scripts/upstreams/program.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { blocks, emitOptions, withCompiledEntries } from '../support/document-snippets.js';
import { freePort } from '../support/free-port.js';
import { needs } from '../support/needs.js';
import { patientEnvironment } from '../support/patience.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { until } from '../support/until.js';

/** Compiles, counts and runs the nine programs with which docs/migrating.md compares Stepwise and two libraries. */
const page = readFileSync('docs/migrating.md', 'utf8');
const libraries = ['stepwise', 'ai', 'agents'] as const;
type Library = (typeof libraries)[number];
const titles = { loop: 'tool loop', approval: 'approval', stream: 'stream to a page' } as const;
const programs = Object.keys(titles).flatMap((task) => libraries.map((library) => `${task}-${library}`));
const compiler = resolve('node_modules/typescript/bin/tsc');
const formatter = resolve('node_modules/@biomejs/biome/bin/biome');
const inNode = promisify(execFile);
const key = 'sk-0123456789';

/** The libraries in fixed versions. They are outside the checkout, so that only the first run downloads them. */
const installed = [
  ...packages.npm.filter((each) => /^(?:ai|@openai\/agents)@/.test(each)),
  '@ai-sdk/openai@4.0.118',
  'zod@4.6.7',
];
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const libraryFolder = join(cache, 'stepwise-sdks/migrating');
const { describe, test } = needs({
  name: 'the libraries of docs/migrating.md',
  isMet: existsSync(libraryFolder) || process.env['CI'] !== undefined,
  reason: 'not installed; with the variable CI, this suite installs them',
});

let folder: string;
let provider: FakeProvider;
let service: ServiceProcess;
const children: ChildProcess[] = [];

beforeAll(async () => {
  installNode(libraryFolder, installed);
  folder = mkdtempSync(join(tmpdir(), 'stepwise-migrating-'));
  symlinkSync(join(libraryFolder, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'page.html'), blocks(page, 'html')[0] ?? '');
  for (const name of programs) writeFileSync(join(folder, `${name}.ts`), programNamed(name));
  const sources = programs.map((name) => join(folder, `${name}.ts`));
  // The compiler reports the imports that it was told not to resolve, but emits the modules anyway.
  await inNode(process.execPath, [compiler, ...emitOptions(folder), ...sources]).catch(() => undefined);
  provider = await startFakeProvider();
  service = await startServiceProcess({ ...patientEnvironment, ...upstreamsAt(provider.url) });
}, 300_000);
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await service.stop();
  await provider.close();
  rmSync(folder, { recursive: true });
});

/** Returns the code block of the page that names this file in its first line. */
function programNamed(name: string): string {
  const found = blocks(page, 'ts').find((block) => block.startsWith(`// ${name}.ts\n`));
  if (found === undefined) throw new Error(`docs/migrating.md has no ${name}.ts.`);
  return found;
}

test('all nine programs of the migration page compile with tsc --strict against the libraries', async () => {
  const compilerOptions = {
    ...{ strict: true, target: 'es2023', module: 'nodenext', skipLibCheck: true, noEmit: true },
    ...{ types: ['node'], typeRoots: [resolve('node_modules/@types')] },
    paths: { '@stepwise/client': [resolve('src/sdk/index.ts')] },
  };
  const files = programs.map((name) => `${name}.ts`);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout } = await inNode(process.execPath, [compiler, '-p', folder]).catch((failed) => failed);
  expect(stdout).toBe('');
}, 120_000);

const formatted = (program: string, ...options: readonly string[]): string =>
  execFileSync(process.execPath, [formatter, 'format', '--stdin-file-path=program.ts', ...options], {
    input: program,
    encoding: 'utf8',
  });

/** Counts lines without imports, comments and empty lines, with every object on one line that fits there. */
function countLines(program: string, width: number): number {
  const options = [
    '--javascript-formatter-expand=never',
    `--javascript-formatter-line-width=${String(width)}`,
  ];
  const body = formatted(program, ...options).replace(/^import [^;]*;\n|^\/\/.*\n/gm, '');
  return body.split('\n').filter((line) => line.trim() !== '').length;
}

test('the programs are formatted and have the stated lengths, and no Stepwise program is longer than the shortest alternative', () => {
  for (const name of programs) expect(formatted(programNamed(name))).toBe(programNamed(name));
  for (const [task, title] of Object.entries(titles)) {
    const at = (width: number) =>
      libraries.map((library) => countLines(programNamed(`${task}-${library}`), width));
    const [ours = Number.NaN, ...others] = at(110);
    expect(page).toContain(`| ${title} | ${[ours, ...others].join(' | ')} |`);
    expect(page).toContain(`| ${title}, 80 columns | ${at(80).join(' | ')} |`);
    expect(ours).toBeLessThanOrEqual(Math.min(...others));
  }
}, 60_000);

describe.each(libraries)('the programs of %s with a scripted model', (library: Library) => {
  const call = (name: string, args: object): ScriptedReply => ({
    toolCalls: [{ name, arguments: { ...args } }],
  });
  const said = (text: string): ScriptedReply => ({
    text: library === 'stepwise' ? `Thought: I know.\nFinal Answer: ${text}` : text,
    chunkDelayMs: 100,
  });
  const readCart = call('read_note', { name: 'cart' });

  /**
   * Starts a program, which reaches the provider through the service: with the Stepwise client or a client of OpenAI's
   * API.
   */
  function start(task: string, port = 3000) {
    const file = join(folder, `${task}-${library}.js`);
    const script = withCompiledEntries(readFileSync(file, 'utf8'))
      .replace('http://127.0.0.1:8080', service.url)
      .replace('listen(3000)', `listen(${String(port)})`);
    writeFileSync(file, script);
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: `${service.url}/v1`,
        OPENAI_AGENTS_DISABLE_TRACING: '1',
      },
    });
    children.push(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output.stderr += text;
    });
    return { child, output, ended: once(child, 'close') };
  }

  const lastRequest = (): string => provider.requests.at(-1)?.rawBody ?? '';

  test('the tool loop prints the answer after the tool call, and ends with an error after ten calls without an answer', async () => {
    provider.script([readCart, said('After tax.')]);
    const good = start('loop');
    expect(await good.ended).toEqual([0, null]);
    expect(good.output).toEqual({ stdout: 'After tax.\n', stderr: '' });
    expect(lastRequest()).toContain('cart: discounts are added up after tax.');

    const before = provider.requests.length;
    provider.script(readCart);
    const endless = start('loop');
    expect(await endless.ended).toEqual([1, null]);
    expect(endless.output.stdout).toBe('');
    expect(endless.output.stderr).toMatch(/Error/);
    expect(provider.requests.length - before).toBe(10);
  }, 60_000);

  test.each([
    ['y', 'Order 17 is paid back.'],
    ['n', 'Not today.'],
  ])(
    'the approval prompt shows the call, and after the reply %s the model reads "%s"',
    async (reply, read) => {
      provider.script([call('refund_order', { order: '17' }), said('That is all.')]);
      const { child, output, ended } = start('approval');
      await until(() => output.stdout.includes('refund_order {"order":"17"}? (y/n) '));
      child.stdin.write(`${reply}\n`);
      expect(await ended).toEqual([0, null]);
      expect(output.stdout).toMatch(/That is all\.\n$/);
      expect(lastRequest()).toContain(read);
      expect(lastRequest().includes('is paid back')).toBe(reply === 'y');
    },
    60_000,
  );

  test('the server sends the page and streams the answer; a failure breaks the connection, and a disconnect stops the run', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    start('stream', port);
    expect(await until(async () => (await fetch(url)).text())).toBe(blocks(page, 'html')[0]);
    const ask = (signal?: AbortSignal) =>
      fetch(url, { method: 'POST', body: 'Sum up the cart.', signal: signal ?? null });

    const answer =
      'The sum of all that is in the cart, after tax, and with every discount that was agreed on.';
    provider.script([readCart, said(answer)]);
    const { body } = await ask();
    let text = '';
    let isEarly = false;
    for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
      isEarly ||= provider.requests.at(-1)?.ending === null;
      text += Buffer.from(part).toString();
    }
    expect(text).toBe(answer);
    expect(isEarly).toBe(true);

    provider.script({ fault: 'unauthorized' });
    await expect(ask().then((response) => response.text())).rejects.toThrow();

    const before = provider.requests.length;
    provider.script({ fault: 'silence' });
    const browser = new AbortController();
    const left = ask(browser.signal).catch(() => 'left');
    const request = await provider.request(before);
    browser.abort();
    expect(await left).toBe('left');
    expect(await request.ended).toBe('aborted');
  }, 60_000);
});
