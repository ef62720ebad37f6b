import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { isObject } from '../../../conversation/is-object.js';
import { askInProcess, askService, type KeyFor } from '../../../eval/ask.js';
import { BASELINE_FORMAT, type Baseline, emptyBaseline, updateBaseline } from '../../../eval/baseline.js';
import type { EvalReport } from '../../../eval/eval-report.js';
import { type AskStep, evaluate } from '../../../eval/evaluate.js';
import { ownParser, type Parser } from '../../../eval/parser.js';
import { type EvalPlan, PlanError, readPlan } from '../../../eval/read-plan.js';
import { readRuns } from '../../../eval/read-runs.js';
import { withoutKeys } from '../../../eval/without-keys.js';
import { writeHtml } from '../../../eval/write-html.js';
import { writeJunit } from '../../../eval/write-junit.js';
import type { Paint } from '../../display/paint.js';
import { findModelKey, keyVariables } from '../../session/model-key.js';
import { connectTo } from '../../session/network.js';
import { onStop } from '../../session/on-stop.js';
import { checkedToken, TOKEN_VARIABLE } from '../../session/open-session.js';
import { loadModule } from '../../session/open-tools.js';
import { writeAtomically } from '../../state/user-files.js';
import type { EvalFlags, Invocation, RunFlags } from '../read-arguments.js';
import { exitCodes, UsageError } from '../usage.js';
import { renderReport } from './render-report.js';

interface Surroundings {
  /** Model keys that were in the environment, by variable. */
  readonly keys: NodeJS.ProcessEnv;
  readonly paint: Paint;
}

type EvalInvocation = Extract<Invocation, { command: 'eval' }>;

/** Exit codes of `stepwise eval` (rule: eval-verdict). */
const evalCodes = { same: 0, different: 1, missing: 2 } as const;

/**
 * Evaluates saved runs, prints a table and writes the reports that the flags name. Resolves to the exit code. Throws
 * `UsageError` before any model is called if a given file is unusable.
 */
export async function evaluateRuns(
  { evaluation: flags, options }: EvalInvocation,
  { keys, paint }: Surroundings,
): Promise<number> {
  for (const path of flags.paths)
    if (!existsSync(path)) throw new UsageError(`There is no file or folder ${path}.`);
  const plan = await planOf(flags, options);
  const page = flags.files.html === undefined ? undefined : await readPage();
  const baselineFile = await baselinePath(flags);
  const baseline = await readBaseline(baselineFile);
  const asking = flags.parserOnly ? undefined : await openAsk(options, keys);
  const controller = new AbortController();
  const stops = onStop(() => controller.abort());
  const progress = new Progress();
  let found: EvalReport;
  try {
    found = await evaluate({
      runs: readRuns(flags.paths),
      plan,
      baseline,
      ask: asking?.ask,
      concurrency: flags.concurrency,
      signal: controller.signal,
      onProgress: (done) => progress.show(done),
    });
  } finally {
    progress.end();
    stops.end();
    await asking?.close();
  }
  const report = withoutKeys(found, asking?.keys() ?? []);
  // Printed first: the replies are paid for, and a report may fail to be written.
  process.stdout.write(renderReport(report, { paint, isVerbose: options.verbose }));
  await writeReports(report, flags.files, page);
  if (flags.updates && report.end === 'complete') {
    await writeAtomically(baselineFile, toJson(updateBaseline(baseline, report.cells)));
    process.stdout.write('\nThe differences are accepted in the baseline.\n');
  }
  return exitCodeOf(report, flags.updates);
}

/**
 * Returns the exit code. Steps without a result matter more than differences, because they make the evaluation
 * incomplete.
 */
function exitCodeOf({ cells, runs, end }: EvalReport, updates: boolean): number {
  if (end === 'interrupted') return exitCodes.stopped;
  if (runs === 0 || cells.some(({ counts }) => counts.missing > 0)) return evalCodes.missing;
  return !updates && cells.some(({ fails }) => fails) ? evalCodes.different : evalCodes.same;
}

async function planOf(flags: EvalFlags, options: RunFlags): Promise<EvalPlan> {
  const { model, upstream, protocol, tokenLimit } = options;
  const { matrix: file, parser, parserOnly } = flags;
  try {
    return await readPlan({ file, model, upstream, protocol, tokenLimit, parser, parserOnly, loadParser });
  } catch (error) {
    if (error instanceof PlanError) throw new UsageError(error.message);
    throw error;
  }
}

/**
 * Loads the parser of a module. The module must export `parseCompletion`; for other functions that it does not export,
 * those of this version are used.
 */
async function loadParser(file: string): Promise<Parser> {
  const module = await loadModule(file);
  const functions = Object.fromEntries(
    Object.keys(ownParser).flatMap((name) => {
      const value = isObject(module) ? module[name] : undefined;
      return typeof value === 'function' ? [[name, value]] : [];
    }),
  );
  // Functions are not checked here. If one of them fails, the report says so for each step that could not be read.
  if ('parseCompletion' in functions) return { ...ownParser, ...functions };
  throw new UsageError(
    `The module ${file} must export "parseCompletion", as the package entry stepwise/parsing does.`,
  );
}

interface Asking {
  readonly ask: AskStep;
  /** Returns the keys that were used so far. */
  readonly keys: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Returns the function that repeats recorded steps: through the service of `--server`, or else in this process. */
async function openAsk({ server, token: given }: RunFlags, environment: NodeJS.ProcessEnv): Promise<Asking> {
  const used = new Set<string>();
  const keyFor: KeyFor = (model, provider) => {
    const key = findModelKey(model, { upstream: upstreamOf(provider), environment })?.key;
    if (key !== undefined) used.add(key);
    return key;
  };
  const keys = () => [...used];
  if (server === undefined) {
    const { openLocalMaker } = await import('../../session/local-service.js');
    const maker = await openLocalMaker();
    return { ask: namingVariables(askInProcess(maker, keyFor)), keys, close: () => maker.close() };
  }
  const token = checkedToken(given || environment[TOKEN_VARIABLE] || undefined);
  if (token !== undefined) used.add(token);
  const connect = (llmKey: string | undefined) => connectTo({ baseUrl: server, token, llmKey });
  return { ask: namingVariables(askService(connect, keyFor)), keys, close: async () => undefined };
}

/**
 * Returns the upstream that a recorded request names. Its provider may also be a vendor, which is no upstream:
 * `findModelKey` does not use a vendor's key for a named upstream.
 */
const upstreamOf = (provider: string | undefined): string | undefined =>
  provider === 'openai' || provider === 'anthropic' ? undefined : provider;

/** Changes the error for a missing key: it names the variables to set, not the header of the service. */
function namingVariables(ask: AskStep): AskStep {
  return async (request, cell, signal) => {
    const asked = await ask(request, cell, signal);
    if (!('error' in asked) || asked.error.code !== 'missing_api_key') return asked;
    const { modelName, provider } = request.llm_config;
    const variables = keyVariables(modelName, upstreamOf(provider)).join(' or ');
    return { error: { ...asked.error, message: `This model needs a key: set ${variables}.` } };
  };
}

/** Returns the path of the baseline: in the folder of the matrix, or else in that of the runs. */
async function baselinePath({ matrix, paths: [first = '.'] }: EvalFlags): Promise<string> {
  if (matrix !== undefined) return `${matrix.slice(0, matrix.length - extname(matrix).length)}.baseline.json`;
  const folder = (await stat(first)).isDirectory() ? first : dirname(first);
  return join(folder, 'eval.baseline.json');
}

async function readBaseline(file: string): Promise<Baseline> {
  if (!existsSync(file)) return emptyBaseline;
  try {
    const baseline: Baseline = JSON.parse(await readFile(file, 'utf8'));
    if (baseline.format === BASELINE_FORMAT && baseline.version === 1) return baseline;
  } catch {
    // Invalid JSON gets the same message as JSON of another format.
  }
  throw new UsageError(
    `${file} is no baseline of version 1. Delete it, or move it away, and accept the differences again with --update.`,
  );
}

const pageFile = new URL('../../../playground/report.html', import.meta.url);

async function readPage(): Promise<string> {
  return readFile(pageFile, 'utf8').catch(() => {
    throw new UsageError('The page of the report is not built. Build it with: npm run build');
  });
}

async function writeReports(
  report: EvalReport,
  { json, junit, html }: EvalFlags['files'],
  page: string | undefined,
): Promise<void> {
  if (json !== undefined) await writeAtomically(json, toJson(report));
  if (junit !== undefined) await writeAtomically(junit, writeJunit(report));
  if (html !== undefined && page !== undefined) await writeAtomically(html, writeHtml(page, report));
}

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** Shows on a terminal how many steps have a result. */
class Progress {
  readonly #stream = process.stderr;
  #isShown = false;
  #last = 0;

  show({ steps, runs }: { readonly steps: number; readonly runs: number }): void {
    const now = performance.now();
    if (!this.#stream.isTTY || now - this.#last < 100) return;
    this.#last = now;
    this.#isShown = true;
    this.#stream.write(`\r${steps} steps of ${runs} runs `);
  }

  end(): void {
    if (this.#isShown) this.#stream.write('\r\u001b[K');
  }
}
