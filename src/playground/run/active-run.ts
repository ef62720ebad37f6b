import { signal } from '@preact/signals';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  emptyRun,
  type InputRequest,
  type RequestSent,
  type Run,
  type RunEvent,
  type RunOptions,
  type RunView,
  reduceRun,
  type StepView,
  type StepwiseClient,
  type Trajectory,
} from '../../sdk/index.js';

/** A pending request for a decision, and the function that answers it. */
export interface Pending<Request, Decision> {
  readonly request: Request;
  readonly decide: (decision: Decision) => void;
}

export interface ActiveRunStart {
  readonly client: StepwiseClient;
  readonly task: string;
  /** All options except the callbacks, which this class provides. */
  readonly options: RunOptions;
  /** The steps that a branch takes over from its parent. */
  readonly inherited?: readonly StepView[];
  /** Called with each new view and the savable state at that time. */
  readonly onView: (view: RunView, saved: Trajectory) => void;
}

/** Minimum time between updates of streamed text, however fast the deltas come. */
const FRAME_MS = 32;

/**
 * A run in progress. The run pauses while the page reads no events. For a single step, the page reads events until
 * the next step begins (rule: run-events).
 */
export class ActiveRun {
  /** True while the run waits for `go`. */
  readonly paused = signal(false);
  readonly approval = signal<Pending<ApprovalRequest, ApprovalDecision> | null>(null);
  readonly question = signal<Pending<InputRequest, string> | null>(null);
  readonly run: Run;
  readonly #start: ActiveRunStart;
  #view: RunView;
  #isStopped = false;
  #stepsAllowed = 0;
  #continue: (() => void) | undefined;
  #frame: ReturnType<typeof setTimeout> | undefined;

  constructor(start: ActiveRunStart) {
    this.#start = start;
    this.#view = emptyRun(start.inherited);
    this.run = start.client.run(start.task, {
      ...start.options,
      approve: (request, signal) => ask(this.approval, request, signal),
      onInputRequest: (request, signal) => ask(this.question, request, signal),
      onRequest: (request) => this.#take({ type: 'request_sent', request }),
    });
  }

  /** Reads events for this number of model calls, by default all; resolves when the run has ended. */
  async read(steps = Number.POSITIVE_INFINITY): Promise<void> {
    this.#stepsAllowed = steps;
    for await (const event of this.run) {
      if (event.type === 'agent_turn_start') await this.#turn();
      // A step that was stopped before it began is not counted.
      const isTaken = event.type !== 'agent_turn_start' || !this.#isStopped;
      if (isTaken) this.#take(event);
    }
  }

  /** Resumes after a pause. */
  go(steps = Number.POSITIVE_INFINITY): void {
    this.#stepsAllowed = steps;
    this.paused.value = false;
    this.#continue?.();
  }

  /** Stops the run, even if paused. */
  stop(): void {
    this.#isStopped = true;
    this.run.stop();
    this.go();
  }

  async #turn(): Promise<void> {
    if (this.#stepsAllowed <= 0) {
      this.paused.value = true;
      await new Promise<void>((resolve) => {
        this.#continue = resolve;
      });
    }
    this.#stepsAllowed -= 1;
  }

  #take(event: RunEvent | RequestSent): void {
    this.#view = reduceRun(this.#view, event, performance.now());
    const isDelta = event.type.endsWith('_delta');
    if (!isDelta) this.#show();
    else this.#frame ??= setTimeout(() => this.#show(), FRAME_MS);
  }

  #show(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#start.onView(this.#view, this.run.save());
  }
}

/** Shows a request until the person decides or the run cancels it. */
function ask<Request, Decision>(
  shown: { value: Pending<Request, Decision> | null },
  request: Request,
  signal: AbortSignal,
): Promise<Decision> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      shown.value = null;
      signal.removeEventListener('abort', abandon);
    };
    const abandon = (): void => {
      end();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abandon);
    shown.value = {
      request,
      decide: (decision) => {
        end();
        resolve(decision);
      },
    };
  });
}
