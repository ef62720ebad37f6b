import type { TurnInput } from '../../contract/history.js';
import { type ApprovalRule, isSameRule } from '../actions/approval.js';
import { notRun } from '../actions/execute-tool.js';
import { withHint } from '../base/error-hints.js';
import type { StepService } from '../base/step-service.js';
import { AnswerWriter } from './answer-writer.js';
import { checkRunOptions } from './check-run-options.js';
import { offerTools, renewTools } from './offer-tools.js';
import { leaveAtOnce, relay } from './relay.js';
import { checkPendingTools } from './resume-run.js';
import { endOfException, OUT_OF_STEPS, type RunEnd, stopped } from './run-end.js';
import type { RunEvent } from './run-events.js';
import { answerOf } from './run-failed-error.js';
import type { TypedRunOptions } from './run-options.js';
import { type RunResult, summarizeRun } from './run-result.js';
import { type Continuation, DEFAULT_MAX_STEPS, RunState } from './run-state.js';
import { finishStep, strategies } from './strategies.js';
import { openCalls } from './take-up-history.js';
import type { Trajectory } from './trajectory.js';
import { toTrajectory } from './trajectory.js';

/**
 * A run of an agent. Its events can be read once, with `for await`: the run waits for a slow reader, and stops if the reader
 * leaves the loop. `result()` reads all remaining events and resolves at the end of the run.
 */
export class Run<Answer = unknown> implements AsyncIterable<RunEvent> {
  readonly #state: RunState;
  readonly #controller = new AbortController();
  readonly #events: AsyncGenerator<RunEvent, void>;
  #result: RunResult<Answer> | undefined;

  /** Creates a run of `service`. Throws as `StepwiseClient.run` does. */
  constructor(
    service: StepService,
    task: string,
    options: TypedRunOptions<Answer>,
    continued?: Continuation,
  ) {
    checkRunOptions(task, options);
    const signal = this.#controller.signal;
    this.#state = new RunState({ service, task, options, signal, continued });
    const { tools = [] } = options;
    offerTools(this.#state, typeof tools === 'function' ? [] : tools);
    if (typeof tools !== 'function') checkPendingTools(this.#state);
    this.#events = relay<RunEvent>(
      (emit) => this.#conduct(emit),
      () => this.stop(),
    );
  }

  /** Returns the events. They can be read once. */
  [Symbol.asyncIterator](): AsyncGenerator<RunEvent, void> {
    return this.#events;
  }

  /** Stops the run: cancels its model call, its tools and any question to a person. The history stays valid. */
  stop(): void {
    this.#controller.abort();
  }

  /** Reads all remaining events and resolves with the result. Never rejects: a failure is part of the result. */
  async result(): Promise<RunResult<Answer>> {
    for await (const _ of this.#events);
    return this.#result ?? toResult<Answer>(this.#state, stopped);
  }

  /** Reads all remaining events and resolves with the answer. Throws `RunFailedError` if the run ends without one. */
  async text(): Promise<string> {
    return answerOf(await this.result());
  }

  /**
   * Yields the answer while the model writes it (rule: text-stream). Throws `RunFailedError` at the end if the run ends without
   * an answer. Stops the run at once if the reader leaves, also while it waits for the next text.
   */
  textStream(): AsyncGenerator<string, void> {
    return leaveAtOnce(this.#writeAnswer(), () => this.stop());
  }

  async *#writeAnswer(): AsyncGenerator<string, void> {
    const writer = new AnswerWriter();
    for await (const event of this.#events) {
      const delta = writer.read(event);
      if (delta !== '') yield delta;
    }
    const rest = writer.rest(await this.text());
    if (rest !== '') yield rest;
  }

  /** The rules for calls that need no approval: those given at the start, and those added by the decision `always`. */
  get approvalRules(): readonly ApprovalRule[] {
    return this.#state.approvalRules;
  }

  /** Removes a rule. From the next step on, the calls that it allowed need approval again. */
  revoke(rule: ApprovalRule): void {
    this.#state.approvalRules = this.#state.approvalRules.filter((each) => !isSameRule(each, rule));
  }

  /** Returns the current state of the run as plain JSON for a file. May be called at any time, also before the end. */
  save(): Trajectory {
    return toTrajectory(this.#state, this.#result);
  }

  async #conduct(emit: (event: RunEvent) => Promise<void>): Promise<void> {
    const run = this.#state;
    // The type `Emit` omits the fields `step` and `phase`, which are added here.
    run.emit = (event) =>
      emit({ ...event, step: run.stepNumber, ...(run.phase && { phase: run.phase }) } as RunEvent);
    const outside = run.options.signal;
    const stop = () => this.stop();
    outside?.addEventListener('abort', stop, { once: true });
    if (outside?.aborted) stop();
    try {
      await this.#runToEnd(run);
    } finally {
      outside?.removeEventListener('abort', stop);
    }
  }

  async #runToEnd(run: RunState): Promise<void> {
    const renewed = renewTools(run);
    // Even if the tools cannot be listed, the first event must be `agent_start`; `carryOut` reports the failure.
    await renewed.catch(() => undefined);
    const { task, llmConfig, tools } = run;
    const { maxSteps = DEFAULT_MAX_STEPS } = run.options;
    const names = [...tools.keys()];
    await run.emit({ type: 'agent_start', task, model: llmConfig.modelName, tools: names, maxSteps });
    const end = await carryOut(run, renewed);
    await reportHeld(run);
    if (!end.inputRequest && !end.pending) closeOpenCalls(run);
    if (end.error)
      await run.emit({ type: 'agent_error', error: withHint(end.error, run.llmConfig), retryInMs: null });
    run.phase = null;
    this.#result = toResult<Answer>(run, end);
    const type = endings[end.stopReason];
    await run.emit({ type, result: this.#result });
  }
}

const endings = {
  answered: 'agent_completion',
  denied: 'agent_completion',
  step_limit: 'agent_completion',
  stopped: 'agent_stopped',
  needs_input: 'agent_stopped',
  needs_approval: 'agent_stopped',
  error: 'agent_stopped',
} as const satisfies Record<RunResult['stopReason'], RunEvent['type']>;

async function carryOut(run: RunState, ready: Promise<void>): Promise<RunEnd> {
  try {
    await ready;
    checkPendingTools(run);
    const end = run.continued && (await finishStep(run, run.continued.response));
    return end ?? (await strategies[run.options.strategy ?? 'react'](run));
  } catch (error) {
    return run.signal.aborted ? stopped : endOfException(error);
  }
}

/** Reports the observations of a round that ends before its phase `observe` has replied. */
async function reportHeld(run: RunState): Promise<void> {
  const observations = run.takeHeldObservations();
  if (observations) await run.emit({ type: 'agent_observe', observations, thought: null, response: null });
}

function closeOpenCalls(run: RunState): void {
  const turns = openCalls(run.history).map(
    ({ id }): TurnInput => ({
      role: 'tool_observation',
      content: notRun.text,
      toolCallId: id,
      toolResult: { success: false },
    }),
  );
  run.observe(...turns);
}

function toResult<Answer>(run: RunState, end: RunEnd): RunResult<Answer> {
  const result = {
    answer: answerFor(end),
    value: (end.value ?? null) as Answer | null, // checked by the schema that has this type
    stopReason: end.stopReason,
    terminationReason: end.terminationReason ?? null,
    steps: [...run.steps],
    history: run.resumableHistory,
    tasks: run.tasks,
    usage: run.usage,
    error: end.error ? withHint(end.error, run.llmConfig) : null,
    inputRequest: end.inputRequest ?? null,
    pending: end.pending ?? [],
  };
  return { ...result, summary: () => summarizeRun(result) };
}

/** Returns the answer to show; null if the run ended without one. */
function answerFor({ stopReason, answer }: RunEnd): string | null {
  if (stopReason === 'step_limit') return answer || OUT_OF_STEPS;
  if (stopReason === 'answered') return answer || 'Done.';
  return stopReason === 'denied' ? answer || 'Done, except for what was denied.' : null;
}
