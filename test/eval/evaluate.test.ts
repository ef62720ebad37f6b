import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { askInProcess, askService } from '../../src/eval/ask.js';
import { emptyBaseline, updateBaseline } from '../../src/eval/baseline.js';
import { promptDifference } from '../../src/eval/describe-step.js';
import type { EvalReport } from '../../src/eval/eval-report.js';
import { type Evaluation, evaluate } from '../../src/eval/evaluate.js';
import { ownParser } from '../../src/eval/parser.js';
import { PlanError, readPlan } from '../../src/eval/read-plan.js';
import { readRuns } from '../../src/eval/read-runs.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { Trajectory } from '../../src/sdk/run/trajectory.js';
import { readTrajectory } from '../../src/sdk/saved/read-trajectory.js';
import { openStepMaker, type StepMaker } from '../../src/service/step-maker.js';
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
import { startWholeService } from '../support/whole-service.js';

const root = temporaryFolder();
const runFile = 'run.json';
let bench: RecordingBench;
let recorded: string;
/** The recorded run as the SDK saves it, without its requests. */
let saved: Trajectory;
let maker: StepMaker;

beforeAll(async () => {
  bench = await startRecordingBench(join(root, 'records'));
  saved = await bench.record();
  recorded = (await until(() => recordedFiles(bench.folder)[0])) ?? '';
  await until(
    () => recordedSteps(),
    (count) => count === 4,
  );
  maker = await openStepMaker(bench.settings);
});
afterAll(async () => {
  await maker.close();
  await bench.service.close();
});

const recordedSteps = (): number => JSON.parse(readFileSync(recorded, 'utf8')).recorded_steps.length;

let folders = 0;
/** Returns a new folder with copies of the recorded run. */
function runsFolder(names: readonly string[] = [runFile]): string {
  folders += 1;
  const folder = join(root, `runs-${folders}`);
  mkdirSync(folder);
  for (const name of names) copyFileSync(recorded, join(folder, name));
  return folder;
}

async function planOf(yaml = '{}', options: Partial<Parameters<typeof readPlan>[0]> = {}) {
  folders += 1;
  const file = join(root, `plan-${folders}.yaml`);
  writeFileSync(file, yaml);
  return readPlan({
    file,
    model: undefined,
    upstream: undefined,
    protocol: undefined,
    tokenLimit: undefined,
    parser: undefined,
    parserOnly: false,
    loadParser: async () => ownParser,
    ...options,
  });
}

async function evaluateFolder(folder: string, changes: Partial<Evaluation> = {}): Promise<EvalReport> {
  return evaluate({
    runs: readRuns([folder]),
    plan: await planOf(),
    baseline: emptyBaseline,
    ask: askInProcess(maker, () => undefined),
    concurrency: 2,
    signal: new AbortController().signal,
    ...changes,
  });
}

const counts = ({ cells }: EvalReport) => cells.map((cell) => cell.counts);
const none = { same: 0, accepted: 0, different: 0, missing: 0, skipped: 0 };

const scriptTerse = () => bench.service.fake.script(replyByInstructions);

test('evaluating an unchanged step gives the recorded prompt and result again (rule: eval-steps)', async () => {
  const report = await evaluateFolder(runsFolder());
  expect(counts(report)).toEqual([{ ...none, same: 4 }]);
  expect(report.divergences).toEqual([]);
  const saved = JSON.parse(readFileSync(recorded, 'utf8'));
  for (const step of saved.recorded_steps) {
    const made = await maker.make(step.request, { key: undefined, signal: new AbortController().signal });
    expect(made).toMatchObject({ step: { prompt: { prompt_sha256: step.prompt.prompt_sha256 } } });
  }
});

test('if a changed instruction changes the reply of step 3, the report names step 3 as the first divergence, with both prompts (rule: first-divergence)', async () => {
  scriptTerse();
  const plan = await planOf('matrix: { instructions: [recorded, { name: terse, text: Be terse. }] }');
  const report = await evaluateFolder(runsFolder(), { plan });
  expect(report.cells.map(({ name, fails }) => ({ name, fails }))).toEqual([
    { name: 'as recorded', fails: false },
    { name: 'terse', fails: true },
  ]);
  expect(counts(report)).toEqual([
    { ...none, same: 4 },
    { ...none, same: 3, different: 1 },
  ]);
  const [divergence, ...others] = report.divergences;
  expect(others).toEqual([]);
  expect(divergence).toMatchObject({
    cell: 'terse',
    run: runFile,
    task: 'Where is the total computed?',
    step: 3,
    differs: ['tool'],
    recorded: {
      reply: fourSteps[2].text,
      reading: { calls: [{ tool: 'read_file', args: { path: 'b.ts' } }] },
    },
    now: { reply: 'Action: search(pattern="b")', reading: { calls: [{ tool: 'search' }] } },
  });
  const difference = promptDifference(divergence?.recorded.prompt ?? null, divergence?.now.prompt ?? null);
  expect(difference).toContain('-Answer in one sentence.');
  expect(difference).toContain('+Be terse.');
});

test('promptDifference shows the changed lines with context, including changed lines that look like a diff header (rule: first-divergence)', () => {
  const prompt = (system: string) => ({ system, messages: [], native_tools: [] });
  const [before, now] = [prompt('a\n-- x\nc\n'), prompt('a\n++ y\nc\n')];
  expect(promptDifference(before, now)).toBe(
    ['@@ -1,5 +1,5 @@', ' system:', ' a', '--- x', '+++ y', ' c', ' '].join('\n').trimEnd(),
  );
  expect(promptDifference(before, before)).toBeUndefined();
  expect(promptDifference(null, now)).toBeUndefined();
});

test('a service at a URL gives the same verdicts as one in this process, and adds nothing to the recorded session (rule: eval-steps)', async () => {
  scriptTerse();
  const plan = await planOf('matrix: { instructions: [recorded, { name: terse, text: Be terse. }] }');
  const client = new StepwiseClient({ baseUrl: bench.service.url });
  const ask = askService(
    () => client,
    () => undefined,
  );
  const folder = runsFolder();
  const [byUrl, inProcess] = [
    await evaluateFolder(folder, { plan, ask }),
    await evaluateFolder(folder, { plan }),
  ];
  expect(counts(byUrl)).toEqual(counts(inProcess));
  expect(recordedSteps()).toBe(4);
  expect(byUrl.divergences.map(({ now }) => now.prompt?.messages)).toEqual(
    inProcess.divergences.map(({ now }) => now.prompt?.messages),
  );
});

test('a baseline accepts the fields that differed when it was written, and no others (rule: eval-baseline)', async () => {
  scriptTerse();
  const plan = await planOf('matrix: { instructions: [{ name: terse, text: Be terse. }] }');
  const folder = runsFolder();
  const before = await evaluateFolder(folder, { plan });
  const baseline = updateBaseline(emptyBaseline, before.cells);
  expect(baseline.cells).toEqual({ terse: { [runFile]: { '3': ['tool'] } } });
  const accepted = await evaluateFolder(folder, { plan, baseline });
  expect(counts(accepted)).toEqual([{ ...none, same: 3, accepted: 1 }]);
  expect(accepted.cells[0]?.fails).toBe(false);
  bench.service.fake.script((request) =>
    replyByProgress([fourSteps[0], { text: 'Final Answer: now' }, ...fourSteps.slice(2)], request),
  );
  const other = await evaluateFolder(folder, { plan, baseline });
  expect(other.divergences).toMatchObject([{ step: 2, differs: ['outcome'] }]);
});

test('a cell with a tolerance fails only if more than that percentage of its steps differ (rule: eval-verdict)', async () => {
  scriptTerse();
  const matrix = 'matrix: { instructions: [{ name: terse, text: Be terse. }] }';
  const fails = async (tolerance: string) => {
    const plan = await planOf(`${matrix}\ntolerance: ${tolerance}`);
    return (await evaluateFolder(runsFolder(), { plan })).cells[0]?.fails;
  };
  expect([await fails('24%'), await fails('25%')]).toEqual([true, false]);
});

test('half-written files and files that are no runs are reported and skipped, and the others are evaluated (rule: eval-runs)', async () => {
  bench.service.fake.script((request) => replyByProgress(fourSteps, request));
  const folder = runsFolder();
  const whole = readFileSync(join(folder, runFile), 'utf8');
  writeFileSync(join(folder, 'half.json'), whole.slice(0, whole.length / 2));
  writeFileSync(join(folder, 'package.json'), '{"name":"mine"}');
  writeFileSync(join(folder, 'newer.json'), whole.replace('"version":1', '"version":9'));
  writeFileSync(join(folder, 'eval.baseline.json'), JSON.stringify(emptyBaseline));
  const report = await evaluateFolder(folder);
  expect(counts(report)).toEqual([{ ...none, same: 4 }]);
  expect(report.skipped).toEqual([
    { file: 'half.json', reason: 'A saved run is a JSON file; this is not.' },
    { file: 'newer.json', reason: 'This is not a saved run of version 1 or 2.' },
    { file: 'package.json', reason: 'This is not a saved run of version 1 or 2.' },
  ]);
});

test('a name under runs: that no found run has is reported as skipped; a run that was found but not evaluated has no second report (rule: eval-matrix)', async () => {
  const folder = runsFolder();
  writeFileSync(join(folder, 'other.json'), '{"a":1}');
  const plan = await planOf(
    'runs: { run.json: { tool: ignore }, other.json: { tool: ignore }, rnu.json: { tool: ignore } }',
  );
  const report = await evaluateFolder(folder, { plan });
  expect(report.skipped.map(({ file }) => file)).toEqual(['other.json', 'rnu.json']);
  expect(report.skipped[1]?.reason).toBe('the matrix has comparisons for it, but no run has this name');
  expect(counts(report)).toEqual([{ ...none, same: 4 }]);
});

test('runs saved by older versions, without newer fields and with the names of version 1, are evaluated (rule: eval-runs)', async () => {
  bench.service.fake.script((request) => replyByProgress(fourSteps, request));
  const newer = new Set(['answer', 'recorded_step', 'phase', 'native_tools', 'completion_calls', 'record']);
  const older = (run: object): string =>
    JSON.stringify(run, (name, value: unknown) => (newer.has(name) ? undefined : value));
  const folder = runsFolder();
  writeFileSync(join(folder, runFile), older(JSON.parse(readFileSync(recorded, 'utf8'))));
  expect(counts(await evaluateFolder(folder))).toEqual([{ ...none, same: 4 }]);
  const { projectId: project_id, sessionId: session_id, beganWith: began_with, result: _, ...rest } = saved;
  const former = { ...rest, version: 1, project_id, session_id, began_with, result: null };
  writeFileSync(join(folder, 'former.json'), older(former));
  const plan = await planOf('{}', { parserOnly: true });
  const report = await evaluateFolder(folder, { plan, ask: undefined });
  expect([counts(report), report.skipped]).toEqual([[{ ...none, same: 8 }], []]);
});

test('steps without a record in a recorded run are reported as skipped, and --parser-only reads their replies (rule: eval-runs)', async () => {
  bench.service.fake.script((request) => replyByProgress(fourSteps, request));
  const folder = runsFolder();
  const { recordedSteps: records = [] } = readTrajectory(readFileSync(recorded, 'utf8'));
  const partial = { ...saved, recordedSteps: records.slice(0, 2) };
  writeFileSync(join(folder, runFile), JSON.stringify(partial));
  const report = await evaluateFolder(folder);
  expect(counts(report)).toEqual([{ ...none, same: 2, skipped: 2 }]);
  expect(report.cells[0]?.steps.slice(2)).toMatchObject([
    { step: 3, reason: expect.stringMatching(/^not repeatable: the step has no record/) },
    { step: 4, reason: expect.stringMatching(/^not repeatable: the step has no record/) },
  ]);
  const plan = await planOf('{}', { parserOnly: true });
  expect(counts(await evaluateFolder(folder, { plan, ask: undefined }))).toEqual([{ ...none, same: 4 }]);
});

test('--parser-only reports a native call without a record as skipped (rule: parser-only)', async () => {
  const folder = runsFolder();
  const responses = saved.responses.map((response, index) =>
    index === 1 && response.parse
      ? { ...response, parse: { ...response.parse, dialect: 'native' } }
      : response,
  );
  writeFileSync(join(folder, runFile), JSON.stringify({ ...saved, responses }));
  const plan = await planOf('{}', { parserOnly: true });
  const report = await evaluateFolder(folder, { plan, ask: undefined });
  expect(counts(report)).toEqual([{ ...none, same: 3, skipped: 1 }]);
  expect(report.cells[0]?.steps[1]?.reason).toContain('the native calls were not saved');
});

test('a step whose recorded request the service refuses counts as missing, with the path of the refused field as the reason (rule: eval-steps)', async () => {
  const folder = runsFolder();
  const saved = JSON.parse(readFileSync(join(folder, runFile), 'utf8'));
  saved.recorded_steps[1].request.inline_context = { files: 'none' };
  writeFileSync(join(folder, runFile), JSON.stringify(saved));
  const report = await evaluateFolder(folder);
  expect(counts(report)).toEqual([{ ...none, same: 3, missing: 1 }]);
  expect(report.cells[0]?.steps[1]?.reason).toContain('inline_context.files');
});

test('if a model is down, its steps are reported as missing, and after 5 failures it is not called again (rule: eval-verdict)', async () => {
  const down = await startWholeService();
  await down.fake.close();
  const away = await openStepMaker({
    UPSTREAMS: {
      ...bench.settings.UPSTREAMS,
      away: { url: `${down.fake.url}/v1`, keyRequired: false },
    },
  });
  await down.close();
  const plan = await planOf('matrix: { model: [recorded, { name: m, upstream: away }] }');
  const names = ['a.json', 'b.json', 'c.json'];
  const report = await evaluateFolder(runsFolder(names), { plan, ask: askInProcess(away, () => undefined) });
  await away.close();
  expect(counts(report)).toEqual([
    { ...none, same: 12 },
    { ...none, missing: 12 },
  ]);
  const reasons = report.cells[1]?.steps.map(({ reason }) => reason ?? '') ?? [];
  expect(reasons[0]).toMatch(/^upstream_unreachable: /);
  expect(reasons.at(-1)).toMatch(/^not asked after 5 failures: upstream_unreachable/);
});

test('the steps of a model without a key count as missing, with the missing key as the reason (rule: eval-verdict)', async () => {
  const plan = await planOf('matrix: { model: [gpt-4o] }');
  const report = await evaluateFolder(runsFolder(), { plan });
  expect(report.cells[0]?.steps[0]).toMatchObject({
    verdict: 'missing',
    reason: expect.stringMatching(/^missing_api_key: /),
  });
});

test('the price of a cell is computed from its tokens, and null if the model has no price (rule: eval-matrix)', async () => {
  const usage = { inputTokens: 1_000, outputTokens: 100 };
  bench.service.fake.script((request) => ({ ...replyByProgress(fourSteps, request), usage }) as never);
  const folder = runsFolder();
  const priced = await planOf('prices: { scripted: { input: 2.5, output: 10 } }');
  const [withPrice, without] = [await evaluateFolder(folder, { plan: priced }), await evaluateFolder(folder)];
  expect(without.cells[0]?.usage.price).toBeNull();
  const { inputTokens, outputTokens, price } = withPrice.cells[0]?.usage ?? {};
  expect(price).toBeCloseTo(((inputTokens ?? 0) * 2.5 + (outputTokens ?? 0) * 10) / 1_000_000);
  expect(price).toBeGreaterThan(0);
});

test('an interrupted evaluation reports the results so far, and the rest as missing (rule: eval-verdict)', async () => {
  bench.service.fake.script((request) => replyByProgress(fourSteps, request));
  const controller = new AbortController();
  const report = await evaluateFolder(runsFolder(), {
    concurrency: 1,
    signal: controller.signal,
    onProgress: ({ steps }) => steps === 2 && controller.abort(),
  });
  expect(report.end).toBe('interrupted');
  expect(counts(report)).toEqual([{ ...none, same: 2, missing: 2 }]);
});

test('a step that is interrupted while the model replies counts as missing with the reason interrupted (rule: eval-verdict)', async () => {
  const controller = new AbortController();
  bench.service.fake.script(() => {
    controller.abort();
    return { fault: 'slow-headers' };
  });
  const report = await evaluateFolder(runsFolder(), { concurrency: 1, signal: controller.signal });
  const reasons = report.cells[0]?.steps.map(({ verdict, reason }) => `${verdict}: ${reason}`);
  expect(reasons).toEqual(Array(4).fill('missing: interrupted'));
});

test.each([
  ['matrix: { models: [a] }', 'Unrecognized key: "models"'],
  ['matrix: { model: [{ nam: a }] }', 'expected a model name or { name, upstream }'],
  [
    'matrix: { tokenLimit: [none] }',
    'expected recorded or a whole number from 2\n  → at matrix.tokenLimit[0]',
  ],
  ['matrix: { instructions: [terse] }', 'expected recorded, { name, text } or { file }'],
  ['compare: { answer: exactly }', 'expected ignore, exact, contains, schema, '],
  ['compare: { tokens: 10 }', 'expected a share such as 10% or 0.1'],
  ['tolerance: many', 'expected a share such as 10%'],
  ['tolerance: 5', 'expected a share such as 10%'],
  ['matrix: [', 'is not YAML'],
  ['matrix: { instructions: [{ file: nowhere.md }] }', 'Cannot read the instructions nowhere.md'],
  ['matrix: { model: [a, a] }', 'repeat the cell "a"'],
  [
    'matrix: { instructions: [{ name: terse, text: A }, { name: terse, text: B }] }',
    'repeat the cell "terse"',
  ],
  ['matrix: { model: [recorded, recorded] }', 'repeat the cell "as recorded"'],
  ['matrix: { parser: [old/parser.js, new/parser.js] }', 'repeat the cell "parser.js"'],
])('the invalid matrix file %j is refused with an error that names the problem (rule: eval-matrix)', async (yaml, message) => {
  await expect(planOf(yaml)).rejects.toThrow(PlanError);
  await expect(planOf(yaml)).rejects.toThrow(message);
});

test('a matrix has one cell for each combination of values, named after the values that differ from the recording (rule: eval-matrix)', async () => {
  const plan = await planOf(
    'matrix: { model: [recorded, { name: q, upstream: local }], protocol: [recorded, json], tokenLimit: [4000] }',
  );
  expect(plan.cells.map(({ name }) => name)).toEqual([
    '4000 tokens',
    'json · 4000 tokens',
    'local/q · 4000 tokens',
    'local/q · json · 4000 tokens',
  ]);
});
