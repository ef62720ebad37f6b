import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Trajectory } from '../../src/sdk/run/trajectory.js';
import { axeFindings } from '../support/axe.js';
import { chromiumBrowser, launchChromium } from '../support/chromium.js';
import { ended } from '../support/cli-harness.js';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';
import {
  fourSteps,
  type RecordingBench,
  recordedFiles,
  replyByInstructions,
  replyByProgress,
  startRecordingBench,
} from '../support/recorded-session.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const main = join(process.cwd(), '.build/src/cli/main.js');
const root = temporaryFolder();
const canary = 'sk-canary-of-eval-0123456789';
const terse = 'matrix: { instructions: [{ name: terse, text: Be terse. }] }\n';
let bench: RecordingBench;
let recorded: string;
let saved: Trajectory;

beforeAll(async () => {
  bench = await startRecordingBench(join(root, 'records'));
  saved = await bench.record();
  const hasAll = (file: string) => JSON.parse(readFileSync(file, 'utf8')).recorded_steps.length === 4;
  recorded = (await until(() => recordedFiles(bench.folder).find(hasAll))) ?? '';
});
afterAll(() => bench.service.close());

let folders = 0;
function newFolder(files: Readonly<Record<string, string>> = {}): string {
  folders += 1;
  const folder = join(root, `work-${folders}`);
  mkdirSync(join(folder, 'runs'), { recursive: true });
  copyFileSync(recorded, join(folder, 'runs/cart.json'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Runs `stepwise eval` in a folder; its environment has a key and the upstream `local`. */
function evaluate(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    STEPWISE_LLM_KEY: canary,
    UPSTREAMS: JSON.stringify({
      local: { url: `${bench.service.fake.url}/v1`, keyRequired: false },
      keyed: { url: `${bench.service.fake.url}/v1`, keyRequired: true },
      away: { url: 'http://127.0.0.1:9/v1', keyRequired: false },
    }),
    ...environment,
  };
  return ended(spawn(process.execPath, [main, 'eval', ...args], { cwd: folder, env }));
}

const scriptSame = () => bench.service.fake.script((request) => replyByProgress(fourSteps, request));

const scriptTerse = () => bench.service.fake.script(replyByInstructions);

test('stepwise eval exits with 0 if no step differs, and prints a table (rule: eval-verdict)', async () => {
  scriptSame();
  const { code, stdout, stderr } = await evaluate(newFolder(), ['runs']);
  expect({ code, stderr: stderr.includes('Error') }).toEqual({ code: 0, stderr: false });
  expect(stdout).toMatch(/cell +same +accepted +different +missing +skipped/);
  expect(stdout).toMatch(/✓ as recorded +4 +0 +0 +0 +0/);
}, 60_000);

test('stepwise eval exits with 1 if a step differs, and prints the step, both calls and the changed prompt lines (rule: first-divergence)', async () => {
  scriptTerse();
  const { code, stdout } = await evaluate(newFolder({ 'eval.yaml': terse }), [
    'runs',
    '--matrix',
    'eval.yaml',
  ]);
  expect(code).toBe(1);
  expect(stdout).toContain('cart.json, step 3 (terse): differs in tool');
  expect(stdout).toContain('recorded  read_file(path="b.ts")');
  expect(stdout).toContain('now       search(pattern="b")');
  expect(stdout).toContain('-Answer in one sentence.');
  expect(stdout).toContain('+Be terse.');
}, 60_000);

test('stepwise eval prints its table even if a report cannot be written, and exits with 2 (rule: eval-reports)', async () => {
  scriptSame();
  const { code, stdout, stderr } = await evaluate(newFolder({ file: '' }), ['runs', '--html', 'file/x.html']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('file') });
  expect(stdout).toMatch(/✓ as recorded +4/);
}, 60_000);

test('stepwise eval --update accepts the current differences in later evaluations, and no others (rule: eval-baseline)', async () => {
  scriptTerse();
  const folder = newFolder({ 'eval.yaml': terse });
  const args = ['runs', '--matrix', 'eval.yaml'];
  expect((await evaluate(folder, [...args, '--update'])).code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'eval.baseline.json'), 'utf8'))).toMatchObject({
    cells: { terse: { 'cart.json': { 3: ['tool'] } } },
  });
  expect((await evaluate(folder, args)).code).toBe(0);
  bench.service.fake.script({ text: 'Final Answer: at once' });
  expect((await evaluate(folder, args)).code).toBe(1);
}, 90_000);

test('stepwise eval exits with 2 if the model is down and lists the missing steps, even if there is also a difference (rule: eval-verdict)', async () => {
  scriptTerse();
  const matrix = `matrix: { model: [recorded, { name: m, upstream: away }], instructions: [{ name: terse, text: Be terse. }] }`;
  const folder = newFolder({ 'eval.yaml': matrix });
  const { code, stdout } = await evaluate(folder, ['runs', '--matrix', 'eval.yaml', '--json', 'report.json']);
  expect(code).toBe(2);
  expect(stdout).toMatch(/away\/m · terse: 4 × missing: upstream_unreachable: /);
  const { cells } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  expect(cells.map((cell: { counts: object }) => cell.counts)).toMatchObject([
    { different: 1, missing: 0 },
    { different: 0, missing: 4 },
  ]);
}, 60_000);

test.each([
  [['--model', 'gpt-4o'], 'set STEPWISE_LLM_KEY or OPENAI_API_KEY.'],
  [['--model', 'm', '--upstream', 'keyed'], 'set STEPWISE_LLM_KEY.'],
])(
  'stepwise eval %j without a key names the variable that is missing (rule: eval-verdict)',
  async (model, advice) => {
    const { code, stdout } = await evaluate(newFolder(), ['runs', ...model], { STEPWISE_LLM_KEY: '' });
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: expect.stringContaining(`4 × missing: missing_api_key: This model needs a key: ${advice}\n`),
    });
  },
  60_000,
);

test.each([
  [['nowhere'], 'There is no file or folder nowhere.'],
  [[], 'eval needs saved runs, or folders of them'],
  [['runs', '--parser-only', '--model', 'm'], '--parser-only calls no model'],
  [['runs', '--matrix', 'none.yaml'], 'Cannot read the file none.yaml'],
  [['runs', '--parser', 'none.mjs'], 'The module'],
  [['runs', '--jsn', 'x'], 'There is no option --jsn. Did you mean --json?'],
])(
  'stepwise eval explains the wrong arguments %j and exits with 2 (rule: eval-verdict)',
  async (args, message) => {
    const { code, stderr } = await evaluate(newFolder(), args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  },
  60_000,
);

test('a run saved without its requests cannot be repeated, but its replies can be parsed again (rule: eval-runs)', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'saved'));
  writeFileSync(join(folder, 'saved/run.json'), JSON.stringify(saved));
  const asked = await evaluate(folder, ['saved']);
  expect(asked.code).toBe(2);
  expect(asked.stdout).toContain('skipped run.json: not repeatable');
  const read = await evaluate(folder, ['saved', '--parser-only']);
  expect(read.code).toBe(0);
  expect(read.stdout).toMatch(/✓ as recorded +4 +0 +0 +0 +0/);
}, 60_000);

test('no report contains the key, even if the model repeats it (rule: eval-reports)', async () => {
  bench.service.fake.script({ text: `Thought: ${canary}\nAction: search(pattern="${canary}")` });
  const folder = newFolder();
  const reports = ['--json', 'r.json', '--junit', 'r.xml', '--html', 'r.html'];
  const args = ['runs', '--model', 'm', '--upstream', 'keyed', ...reports];
  const byUrl = ['runs', '--server', bench.service.url];
  for (const given of [args, [...byUrl, '--model', 'm', '--upstream', 'local', ...reports]]) {
    const { stdout, stderr, code } = await evaluate(folder, given);
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain(canary);
    for (const name of ['r.json', 'r.xml', 'r.html']) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(canary);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
  }
}, 120_000);

const { test: withJava } = needs(program('java'));

withJava(
  'the JUnit XML report is valid by the published JUnit schema, even with hostile texts (rule: eval-reports)',
  async () => {
    const hostile = ']]> & <b a="1"> \u0000\u0007\u{1f600} \ud800';
    bench.service.fake.script((request) =>
      replyByProgress(
        [{ text: hostile }, { fault: 'http', status: 500 } as never, ...fourSteps.slice(2)],
        request,
      ),
    );
    const folder = newFolder();
    writeFileSync(join(folder, 'runs/<half> & "quoted".json'), '{"half');
    const { code } = await evaluate(folder, ['runs', '--junit', 'r.xml']);
    expect(code).toBe(2);
    const xml = readFileSync(join(folder, 'r.xml'), 'utf8');
    expect([xml.includes('<failure'), xml.includes('<error'), xml.includes('&lt;half&gt;')]).toEqual([
      true,
      true,
      true,
    ]);
    const schema = 'test/support/junit/JUnit.xsd';
    const { status, stderr } = spawnSync(
      'java',
      ['test/support/junit/Validate.java', schema, join(folder, 'r.xml')],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
  120_000,
);

test('stepwise eval --parser parses 100 saved runs with another parser and sends no request to the model (rule: parser-only)', async () => {
  const folder = newFolder({
    'own.mjs': `import { parseCompletion as read } from '${join(process.cwd(), '.build/src/parsing/index.js')}';
export function parseCompletion(text, tools, options) {
  if (text.includes('b.ts")')) return { outcome: 'answer', action: null, answer: text, thought: null };
  return read(text, tools, options);
}\n`,
  });
  for (let run = 0; run < 100; run += 1) copyFileSync(recorded, join(folder, `runs/run-${run}.json`));
  const before = bench.service.fake.requests.length;
  const { code, stdout } = await evaluate(folder, ['runs', '--parser-only', '--parser', 'own.mjs']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ own\.mjs +303 +0 +101 +0 +0/);
  expect(stdout).toContain('step 3 (own.mjs): differs in outcome');
  expect(bench.service.fake.requests).toHaveLength(before);
}, 60_000);

test('1,000 runs are evaluated in bounded memory (rule: eval-runs)', async () => {
  const folder = newFolder();
  for (let run = 0; run < 999; run += 1) copyFileSync(recorded, join(folder, `runs/run-${run}.json`));
  const { code, stdout } = await evaluate(folder, ['runs', '--parser-only', '--html', 'r.html'], {
    NODE_OPTIONS: '--max-old-space-size=96',
  });
  expect(stdout).toMatch(/✓ as recorded +4000 +0 +0 +0 +0/);
  expect(code).toBe(0);
  expect(readdirSync(folder)).toContain('r.html');
}, 120_000);

const { test: withBrowser } = needs(chromiumBrowser);

withBrowser(
  'the HTML report shows the diverging step, sends no request, and runs no code from a model reply (rule: eval-reports)',
  async () => {
    const hostile = '</script><script>document.title = "taken"</script><img src="http://127.0.0.1:9/x">';
    bench.service.fake.script((request) =>
      replyByProgress(
        [fourSteps[0], fourSteps[1], { text: `Final Answer: ${hostile}` }, fourSteps[3]],
        request,
      ),
    );
    const folder = newFolder({ 'eval.yaml': terse });
    const { code } = await evaluate(folder, ['runs', '--matrix', 'eval.yaml', '--html', 'r.html']);
    expect(code).toBe(1);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const [requests, problems]: string[][] = [[], []];
      page.on('request', (request) => requests?.push(request.url()));
      page.on('console', (message) => problems?.push(message.text()));
      page.on('pageerror', (error) => problems?.push(error.message));
      await page.goto(`file://${join(folder, 'r.html')}`);
      await page.getByText('cart.json, step 3').waitFor();
      const text = await page.locator('main').innerText();
      expect(text).toContain('read_file(path="b.ts")');
      expect(text).toContain(hostile);
      expect(text).toContain('- Answer in one sentence.');
      expect(text).toContain('+ Be terse.');
      expect(await page.title()).toBe('Stepwise evaluation');
      expect(await page.locator('img').count()).toBe(0);
      expect(requests).toEqual([`file://${join(folder, 'r.html')}`]);
      expect(problems).toEqual([]);
      await page.getByText('terse', { exact: true }).last().click();
      expect(await page.locator('.report-step').allInnerTexts()).toEqual(['=', '=', '≠', '=']);
      expect(await axeFindings(page)).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  120_000,
);
