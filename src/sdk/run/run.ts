import type { TurnInput } from '../../contract/history.js';
import { type ApprovalRule, isSameRule } from '../actions/approval.js';
import { notRun } from '../actions/execute-tool.js';
import type { StepService } from '../base/step-service.js';
import { offerTools, renewTools } from './offer-tools.js';
import { relay } from './relay.js';
import { endOfException, type RunEnd, stopped } from './run-end.js';
import type { RunEvent } from './run-events.js';
import { checkRunOptions, type RunOptions } from './run-options.js';
import { type RunResult, summarizeRun } from './run-result.js';
import { RunState } from './run-state.js';
import { strategies } from './strategies.js';
import { openCalls } from './take-up-history.js';
import type { Trajectory } from './trajectory.js';
import { toTrajectory } from './trajectory.js';

/**
 * An agent at work. Its events are read once, with `for await`; the run waits while nobody reads, and stops when
 * the loop is left. `result()` reads whatever is left and resolves when the run has ended.
 */
export class Run implements AsyncIterable<RunEvent> {
  readonly #state: RunState;
  readonly #controller = new AbortController();
  readonly #events: AsyncGenerator<RunEvent, void>;
  #result: RunResult | undefined;

  constructor(service: StepService, task: string, options: RunOptions) {
    checkRunOptions(options);
    const signal = this.#controller.signal;
    this.#state = new RunState({ service, task, options, signal });
    offerTools(this.#state, typeof options.tools === 'function' ? [] : (options.tools ?? []));
    this.#events = relay<RunEvent>(
      (emit) => this.#conduct(emit),
      () => this.stop(),
    );
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent, void> {
    return this.#events;
  }

  /** Ends the model call, the tools and whatever is waited for. The history stays valid. */
  stop(): void {
    this.#controller.abort();
  }

  /** Reads what is left of the events and resolves at the end; rejects for nothing that went wrong in the run. */
  async result(): Promise<RunResult> {
    for await (const _ of this.#events);
    return this.#result ?? toResult(this.#state, stopped);
  }

  /** What is allowed without asking: the rules the run began with, and those that were added by "always". */
  get approvalRules(): readonly ApprovalRule[] {
    return this.#state.approvalRules;
  }

  /** Takes a rule back: what it allowed is asked about again, from the next step on. */
  revoke(rule: ApprovalRule): void {
    this.#state.approvalRules = this.#state.approvalRules.filter((each) => !isSameRule(each, rule));
  }

  /** The run as it stands, to be kept as JSON; at any time, also before its end. */
  save(): Trajectory {
    return toTrajectory(this.#state, this.#result);
  }

  async #conduct(emit: (event: RunEvent) => Promise<void>): Promise<void> {
    const run = this.#state;
    // The step is what `Emit` leaves out of each event.
    run.emit = (event) => emit({ ...event, step: run.stepNumber } as RunEvent);
    const outside = run.options.signal;
    const stop = () => this.stop();
    outside?.addEventListener('abort', stop, { once: true });
    if (outside?.aborted) stop();
    try {
      await this.#toTheEnd(run);
    } finally {
      outside?.removeEventListener('abort', stop);
    }
  }

  async #toTheEnd(run: RunState): Promise<void> {
    const renewed = renewTools(run);
    // A run begins with `agent_start`, also one that this ends.
    await renewed.catch(() => undefined);
    const { task, llmConfig, tools, iterationsLeft: max_steps } = run;
    const names = [...tools.keys()];
    await run.emit({ type: 'agent_start', task, model: llmConfig.modelName, tools: names, max_steps });
    const end = await carryOut(run, renewed);
    if (!end.inputRequest) closeOpenCalls(run);
    if (end.error) await run.emit({ type: 'agent_error', error: end.error, retry_in_ms: null });
    this.#result = toResult(run, end);
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
  error: 'agent_stopped',
} as const satisfies Record<RunResult['stop_reason'], RunEvent['type']>;

async function carryOut(run: RunState, ready: Promise<void>): Promise<RunEnd> {
  try {
    await ready;
    return await strategies[run.options.strategy ?? 'react'](run);
  } catch (error) {
    return run.signal.aborted ? stopped : endOfException(error);
  }
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

function toResult(run: RunState, end: RunEnd): RunResult {
  const result = {
    answer: end.answer || unfinished[end.stopReason],
    stop_reason: end.stopReason,
    termination_reason: end.terminationReason ?? null,
    steps: [...run.steps],
    history: run.resumableHistory,
    tasks: run.tasks,
    usage: run.usage,
    error: end.error ?? null,
    input_request: end.inputRequest ?? null,
  };
  return { ...result, summary: () => summarizeRun(result) };
}

const unfinished = {
  answered: 'Done.',
  denied: 'Done, except for what was denied.',
  step_limit: 'The task could not be finished within the allowed number of steps.',
  stopped: 'The run was stopped before there was an answer.',
  needs_input: 'The run waits for an answer to a question.',
  error: 'The run ended with an error before there was an answer.',
} as const satisfies Record<RunResult['stop_reason'], string>;
