import { randomUUID } from 'node:crypto';
import type { StepError } from '../contract/step.js';
import { acceptedFields, type Baseline } from './baseline.js';
import { applyCell, type Cell } from './cell.js';
import { compareReadings } from './compare-readings.js';
import type {
  CellReport,
  CellUsage,
  ComparedField,
  Divergence,
  EvalReport,
  PromptText,
  Reading,
  StepVerdict,
  Verdict,
} from './eval-report.js';
import type { EvalRun, EvalStep } from './eval-run.js';
import { Gate } from './gate.js';
import { ownParser, readWith, type WrittenReply, whyNotAlone } from './parser.js';
import type { EvalPlan } from './read-plan.js';
import type { FoundRun } from './read-runs.js';

type RecordedRequest = NonNullable<EvalStep['request']>;

/** A step that a model answered. */
interface AskedStep {
  readonly reply: WrittenReply;
  readonly reading: Reading;
  /** Returns the prompt; null if it is unavailable. Called only for steps that differ. */
  readonly prompt: () => Promise<PromptText | null>;
}

/**
 * Repeats one recorded step with the changes of a cell. If the step failed, resolves to `{ error }`. If this
 * implementation cannot repeat the step, resolves to `{ skipped }` with the reason.
 */
export type AskStep = (
  request: RecordedRequest,
  cell: Cell,
  signal: AbortSignal,
) => Promise<AskedStep | { readonly error: StepError } | { readonly skipped: string }>;

export interface Evaluation {
  readonly runs: AsyncIterable<FoundRun>;
  readonly plan: EvalPlan;
  readonly baseline: Baseline;
  /** Repeats steps; undefined to parse the recorded replies again without a model (rule: parser-only). */
  readonly ask: AskStep | undefined;
  /** Maximum number of steps that are repeated at the same time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: { readonly steps: number; readonly runs: number }) => void;
}

/** Maximum number of divergences in a report, each with both prompts. */
const MAX_DIVERGENCES = 100;

/**
 * Maximum number of consecutive failures of a cell's model. After that, the cell's remaining steps are not repeated.
 */
const MAX_FAILURES = 5;

const INTERRUPTED = 'interrupted';
const NOT_REPEATABLE =
  'not repeatable: it was saved without its requests (--parser-only reads its replies again)';
const NOT_FOUND = 'the matrix has comparisons for it, but no run has this name';
const HAS_NO_RECORD = 'not repeatable: the step has no record (--parser-only reads its reply again)';

/** Evaluates runs against every cell of a plan. Never rejects for a failing model or a damaged run. */
export async function evaluate(evaluation: Evaluation): Promise<EvalReport> {
  const { plan, ask, signal, concurrency, onProgress } = evaluation;
  const began = new Date();
  const start = performance.now();
  const cells = plan.cells.map((cell) => new CellWork(cell, evaluation));
  const skipped: { file: string; reason: string }[] = [];
  const notFound = new Set(plan.namedRuns);
  const divergences = new Map<number, Divergence>();
  const gate = new Gate(concurrency);
  const openRuns = new Gate(concurrency);
  const pending: Promise<void>[] = [];
  let [runs, steps, moreDivergences] = [0, 0, 0];

  const evaluateRun = async (run: EvalRun, slot: number): Promise<void> => {
    const results = cells.map(async (cell, index) => {
      const judged = await Promise.all(
        run.steps.map((step) =>
          gate.run(async () => {
            const result = await cell.judge(run, step);
            steps += 1;
            onProgress?.({ steps, runs });
            return result;
          }),
        ),
      );
      cell.add(slot, judged);
      const first = judged.find(({ verdict }) => verdict.verdict === 'different');
      if (!first?.asked) return;
      if (divergences.size >= MAX_DIVERGENCES) moreDivergences += 1;
      else
        divergences.set(
          slot * cells.length + index,
          await toDivergence(cell.cell, run, { ...first, asked: first.asked }),
        );
    });
    await Promise.all(results);
  };

  for await (const found of evaluation.runs) {
    if (signal.aborted) break;
    const name = 'reason' in found ? found.file : found.name;
    notFound.delete(name);
    const reason = 'reason' in found ? found.reason : whyNotEvaluated(found, ask !== undefined);
    if (reason !== undefined || 'reason' in found) {
      skipped.push({ file: name, reason: reason ?? '' });
      continue;
    }
    const slot = runs;
    runs += 1;
    await openRuns.enter();
    pending.push(evaluateRun(found, slot).finally(() => openRuns.leave()));
  }
  await Promise.all(pending);
  if (!signal.aborted) for (const file of notFound) skipped.push({ file, reason: NOT_FOUND });
  return {
    format: 'stepwise-eval',
    version: 1,
    beganAt: began.toISOString(),
    durationMs: Math.round(performance.now() - start),
    parserOnly: ask === undefined,
    runs,
    skipped,
    cells: cells.map((cell) => cell.report()),
    // Sorted in the order of the runs, because replies arrive in any order.
    divergences: [...divergences].sort(([a], [b]) => a - b).map(([, divergence]) => divergence),
    moreDivergences,
    end: signal.aborted ? 'interrupted' : 'complete',
  };
}

function whyNotEvaluated({ steps }: EvalRun, asksModel: boolean): string | undefined {
  if (steps.every(({ reply }) => reply.lacksCalls)) return 'it has no step with a reply of the model';
  return asksModel && steps.every(({ request }) => request === null) ? NOT_REPEATABLE : undefined;
}

/** The verdict on a step, with the data for describing its divergence. */
interface Judged {
  readonly step: EvalStep;
  readonly verdict: StepVerdict;
  /** The step with its new reply; absent if there is no new reply to compare. */
  readonly asked?: AskedStep;
}

interface Unanswered {
  readonly verdict: 'missing' | 'skipped';
  readonly reason: string;
}

/** The work on one cell, and its results. */
class CellWork {
  readonly cell: Cell;
  readonly #evaluation: Evaluation;
  readonly #steps: (readonly StepVerdict[])[] = [];
  /** New session id for each run, so that a service that records steps does not add them to the original session. */
  readonly #sessions = new Map<string, string>();
  #failures = 0;
  #lastFailure = '';
  #usage: CellUsage = { inputTokens: null, outputTokens: null, price: null };

  constructor(cell: Cell, evaluation: Evaluation) {
    this.cell = cell;
    this.#evaluation = evaluation;
  }

  add(slot: number, judged: readonly Judged[]): void {
    this.#steps[slot] = judged.map(({ verdict }) => verdict);
  }

  /** Judges one step. Never rejects. */
  async judge(run: EvalRun, step: EvalStep): Promise<Judged> {
    const began = performance.now();
    const answered = await this.#ask(run, step).catch((error: unknown) => ({
      verdict: 'missing' as const,
      reason: error instanceof Error ? error.message : String(error),
    }));
    const place = { run: run.name, step: step.number, durationMs: Math.round(performance.now() - began) };
    if (!('reply' in answered)) {
      const isInterrupted = answered.verdict === 'missing' && this.#evaluation.signal.aborted;
      return { step, verdict: { ...place, ...answered, ...(isInterrupted && { reason: INTERRUPTED }) } };
    }
    const asked = answered;
    const rules = this.#evaluation.plan.comparisonsFor(run.name);
    const differs = compareReadings(step.reading, asked.reading, rules);
    const accepted = acceptedFields(this.#evaluation.baseline, { ...place, cell: this.cell.name });
    return {
      step,
      asked,
      verdict: { ...place, verdict: judgeFields(differs, accepted), ...(differs.length > 0 && { differs }) },
    };
  }

  report(): CellReport {
    const steps = this.#steps.flat();
    const count = (wanted: Verdict) => steps.filter(({ verdict }) => verdict === wanted).length;
    const counts = {
      same: count('same'),
      accepted: count('accepted'),
      different: count('different'),
      missing: count('missing'),
      skipped: count('skipped'),
    };
    const compared = counts.same + counts.accepted + counts.different;
    const fails = counts.different > compared * this.#evaluation.plan.tolerance;
    return { name: this.cell.name, counts, usage: this.#usage, fails, steps };
  }

  async #ask(run: EvalRun, step: EvalStep): Promise<AskedStep | Unanswered> {
    const { ask, signal } = this.#evaluation;
    if (signal.aborted) return { verdict: 'missing', reason: INTERRUPTED };
    if (!ask) return this.#read(step.reply, { ...step.reading, promptTokens: null }, async () => null);
    if (!step.request) return { verdict: 'skipped', reason: HAS_NO_RECORD };
    if (this.#failures >= MAX_FAILURES)
      return { verdict: 'missing', reason: `not asked after ${MAX_FAILURES} failures: ${this.#lastFailure}` };
    const request = { ...applyCell(step.request, this.cell), session_id: this.#sessionOf(run) };
    const asked = await ask(request, this.cell, signal);
    if ('skipped' in asked) return { verdict: 'skipped', reason: asked.skipped };
    if ('error' in asked) return { verdict: 'missing', reason: this.#fail(asked.error) };
    this.#failures = 0;
    this.#addUsage(asked.reading, request.llm_config.modelName);
    if (!this.cell.parser) return asked;
    return this.#read(asked.reply, asked.reading, asked.prompt);
  }

  #sessionOf({ name }: EvalRun): string {
    const id = this.#sessions.get(name) ?? randomUUID();
    this.#sessions.set(name, id);
    return id;
  }

  /** Reads a reply with the cell's parser. */
  #read(reply: WrittenReply, service: Reading, prompt: AskedStep['prompt']): AskedStep | Unanswered {
    const reason = whyNotAlone(reply);
    if (reason !== undefined)
      return { verdict: 'skipped', reason: `not read by the parser alone: ${reason}` };
    const read = readWith(this.cell.parser ?? ownParser, reply);
    // After the last iteration, the service reports an action as `action_after_limit`; a parser, which does not know
    // the limit, reports it as `action`.
    const isWithheld = service.outcome === 'action_after_limit' && read.outcome === 'action';
    const outcome = isWithheld ? { outcome: service.outcome, calls: service.calls } : {};
    return { reply, prompt, reading: { ...service, ...read, value: null, ...outcome } };
  }

  /**
   * Returns the reason of a failed step. Also counts the failures of the model: after `MAX_FAILURES` in a row, the
   * cell's remaining steps are not repeated.
   */
  #fail({ code, message, details }: StepError): string {
    const [detail] = details;
    const reason = `${code}: ${message}${detail?.message ? ` (${detail.message})` : ''}`;
    if (isFailureOfModel(code)) {
      this.#failures += 1;
      this.#lastFailure = reason;
    }
    return reason;
  }

  #addUsage({ inputTokens, outputTokens }: Reading, model: string): void {
    const { prices } = this.#evaluation.plan;
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
    const cost =
      price && inputTokens !== null && outputTokens !== null
        ? (inputTokens * price.input + outputTokens * price.output) / 1_000_000
        : null;
    const { inputTokens: input, outputTokens: output, price: total } = this.#usage;
    this.#usage = {
      inputTokens: sum(input, inputTokens),
      outputTokens: sum(output, outputTokens),
      price: sum(total, cost),
    };
  }
}

const sum = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : one + other;

function judgeFields(
  differs: readonly ComparedField[],
  accepted: readonly ComparedField[],
): 'same' | 'accepted' | 'different' {
  if (differs.length === 0) return 'same';
  return differs.every((field) => accepted.includes(field)) ? 'accepted' : 'different';
}

/** Error codes that concern only one request, so the next request may still succeed. */
const ofRequest: ReadonlySet<string> = new Set([
  'invalid_request',
  'token_budget_exceeded',
  'upstream_context_length_exceeded',
  'upstream_rejected_request',
  'request_timeout',
]);
const isFailureOfModel = (code: string): boolean => !ofRequest.has(code);

async function toDivergence(
  { name }: Cell,
  { name: run, task }: EvalRun,
  { step, verdict, asked }: Judged & { readonly asked: AskedStep },
): Promise<Divergence> {
  const prompt = await asked.prompt().catch(() => null);
  return {
    cell: name,
    run,
    task,
    step: step.number,
    differs: verdict.differs ?? [],
    recorded: { prompt: step.prompt, reply: replyText(step.reply), reading: step.reading },
    now: { prompt, reply: replyText(asked.reply), reading: asked.reading },
  };
}

/** Returns a reply as one text, with native calls after the prose. */
const replyText = ({ text, calls }: Pick<WrittenReply, 'text' | 'calls'>): string =>
  [text, ...calls.map(({ name, arguments: args }) => `${name}(${args})`)].filter(Boolean).join('\n');
