import {
  type Attachment,
  continueRun,
  emptyRun,
  type InputRequest,
  joinRuns,
  type Run,
  type RunContext,
  type RunEvent,
  type RunEventType,
  type RunOptions,
  type RunView,
  reduceRun,
  replayRun,
  resumeOptions,
  type StepRequestInput,
  type StepwiseClient,
  type Tool,
  type Trajectory,
} from 'stepwise';
import type { Approvals } from '../approvals/approvals.js';
import { type ConversationView, emptyConversation } from './conversation-view.js';
import { Pending } from './pending.js';
import { beginTask, endOf, showRun } from './show-run.js';

/** Everything that a run needs besides its task. */
export interface RunParts {
  readonly client: StepwiseClient;
  readonly tools: readonly Tool[];
  readonly context: RunContext;
  /** Images and PDF files of the task. */
  readonly attachments: readonly Attachment[];
  /** Model, limits and protocol. */
  readonly options: Pick<RunOptions, 'llmConfig' | 'maxSteps' | 'protocol'>;
}

interface ConversationParts {
  readonly approvals: Approvals;
  readonly onChange: () => void;
  /** Called with each question of the model, once the run awaits the answer. */
  readonly onQuestion: (question: string) => unknown;
  /** Called with the newest run when it should be stored. The run continues once the promise resolves. */
  readonly onSaved: (saved: Trajectory | null) => Promise<void>;
}

/** How long, in milliseconds, the run waits for the person's answer. */
const INPUT_TIMEOUT_MS = 3_600_000;

/** Consecutive runs with a shared history: a task and its follow-ups. */
export class Conversation {
  view: ConversationView = emptyConversation;
  /** The newest run in storable form; null before the first. */
  saved: Trajectory | null = null;
  /** The newest request to the service. */
  lastRequest: StepRequestInput | null = null;
  readonly #parts: ConversationParts;
  /** The SDK's view of all runs so far. */
  #run: RunView = emptyRun();
  readonly #question: Pending<InputRequest, string>;
  /** Aborts the run in progress, including its preparation. */
  #begun: AbortController | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#question = new Pending(parts.onChange);
  }

  get isRunning(): boolean {
    return this.#begun !== undefined;
  }

  get question(): InputRequest | null {
    return this.#question.request ?? null;
  }

  /** Restores a stored run by replaying its steps, without model and tools. */
  async restore(saved: Trajectory, wasRunning: boolean): Promise<void> {
    this.saved = saved;
    this.view = beginTask(emptyConversation, saved.task);
    if (saved.responses.length > 0) {
      for await (const event of replayRun(saved)) this.#take(event);
    } else if (saved.result) {
      this.view = { ...this.view, end: endOf(saved.result) };
    }
    const status = wasRunning ? 'interrupted' : 'ended';
    this.#show({ ...this.view, status, activity: '', end: wasRunning ? null : this.view.end });
  }

  /** Runs a task to its end with the previous history. Does nothing during another run. */
  async start(task: string, prepare: (signal: AbortSignal) => Promise<RunParts>): Promise<void> {
    const before = this.saved;
    await this.#conduct(beginTask(this.view, task), prepare, ({ client, attachments, ...parts }, signal) =>
      client.run(task, {
        ...(before && resumeOptions(before)),
        ...this.#options(parts, signal),
        attachments,
      }),
    );
  }

  /** Resumes an interrupted run after its last complete step. */
  async resume(prepare: (signal: AbortSignal) => Promise<RunParts>): Promise<void> {
    const kept = this.saved;
    if (!kept) return;
    const [task, options] = continueRun(kept);
    const view = { ...this.view, status: 'running', activity: 'Starting' } as const;
    await this.#conduct(
      view,
      prepare,
      // The prepared attachments are dropped, because the stored options contain those of the task.
      ({ client, attachments: _, ...parts }, signal) => {
        const maxSteps = options.maxSteps ?? parts.options.maxSteps;
        return client.run(task, { ...options, ...this.#options(parts, signal), maxSteps });
      },
      (own) => joinRuns(kept, own),
    );
  }

  answer(callId: string, text: string): void {
    if (this.question?.callId === callId) this.#question.decide(text);
  }

  /** Aborts the model call, the tools and pending requests. */
  stop(): void {
    this.#begun?.abort();
  }

  /** Stops the run and clears the conversation; the next task need not wait for the run's cleanup. */
  clear(): void {
    this.stop();
    this.#begun = undefined;
    this.view = emptyConversation;
    this.#run = emptyRun();
    this.saved = null;
    this.lastRequest = null;
    void this.#parts.onSaved(null);
    this.#parts.onChange();
  }

  async #conduct(
    view: ConversationView,
    prepare: (signal: AbortSignal) => Promise<RunParts>,
    begin: (parts: RunParts, signal: AbortSignal) => Run,
    join: (own: Trajectory) => Trajectory = (own) => own,
  ): Promise<void> {
    if (this.#begun) return;
    const begun = new AbortController();
    const isShown = () => this.#begun === begun;
    this.#begun = begun;
    this.#show(view);
    try {
      const run = begin(await prepare(begun.signal), begun.signal);
      await this.#read(run, join, isShown);
    } catch (error) {
      if (isShown()) this.#fail(begun.signal.aborted ? 'Stopped.' : sentenceOf(error));
    }
    if (!isShown()) return;
    this.#begun = undefined;
    this.#parts.onChange();
  }

  async #read(run: Run, join: (own: Trajectory) => Trajectory, isShown: () => boolean): Promise<void> {
    for await (const event of run) {
      if (!isShown()) continue; // cleared meanwhile: read to its end all the same
      if (keptAfter.has(event.type)) await this.#save(join(run.save()));
      if (!isShown()) continue;
      this.#take(event);
      this.#parts.onChange();
    }
  }

  #options(parts: Omit<RunParts, 'client' | 'attachments'>, signal: AbortSignal): RunOptions {
    return {
      ...parts.options,
      tools: parts.tools,
      context: parts.context,
      report: 'full',
      signal,
      // The approvals object decides each call, because its rules may be revoked during the run.
      approve: this.#parts.approvals.approve,
      approvalRules: [],
      onInputRequest: (request, ended) => {
        const answered = this.#question.ask(request, ended);
        this.#parts.onQuestion(request.question);
        return answered;
      },
      inputTimeoutMs: INPUT_TIMEOUT_MS,
      onRequest: (request) => {
        this.lastRequest = request;
      },
    };
  }

  /** Shows why a run could not be started, or that it was stopped. */
  #fail(sentence: string): void {
    const end = { reason: 'error', sentence, remedy: null } as const;
    this.#show({ ...this.view, status: 'ended', activity: '', end });
  }

  async #save(saved: Trajectory): Promise<void> {
    this.saved = saved;
    await this.#parts.onSaved(saved);
  }

  #take(event: RunEvent): void {
    this.#run = reduceRun(this.#run, event);
    this.view = showRun(this.view, event, this.#run);
  }

  #show(view: ConversationView): void {
    this.view = view;
    this.#parts.onChange();
  }
}

/** Events after which to store the run: the model's reply is paid for, and a tool may have effects at once. */
const keptAfter: ReadonlySet<RunEventType> = new Set([
  'agent_start',
  'agent_reason',
  'tool_start',
  'agent_observe',
  'agent_stopped',
  'agent_completion',
]);

/**
 * Explains why a run could not be started. Uses the SDK's message for invalid options, which names settings, but never
 * keys.
 */
const sentenceOf = (error: unknown): string =>
  error instanceof RangeError || error instanceof TypeError
    ? `The run could not be started: ${error.message}`
    : 'The run could not be started.';
