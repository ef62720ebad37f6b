import {
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

/** What a run is made of beside its task. */
export interface RunParts {
  readonly client: StepwiseClient;
  readonly tools: readonly Tool[];
  readonly context: RunContext;
  /** Model, limits, and how the model is taught to act. */
  readonly options: Pick<RunOptions, 'llmConfig' | 'maxSteps' | 'protocol'>;
}

interface ConversationParts {
  readonly approvals: Approvals;
  readonly onChange: () => void;
  /** Told what the model asks the person, once an answer is taken. */
  readonly onQuestion: (question: string) => unknown;
  /** Told the newest run whenever there is more of it to keep; the run goes on, and shows what it did, when it is kept. */
  readonly onSaved: (saved: Trajectory | null) => Promise<void>;
}

/** Milliseconds: a person may be away for long; the run waits that long for an answer of theirs. */
const INPUT_TIMEOUT_MS = 3_600_000;

/** Runs that follow one another with one history: a task, and what is asked after it. */
export class Conversation {
  view: ConversationView = emptyConversation;
  /** The newest run as it can be kept; null before the first. */
  saved: Trajectory | null = null;
  /** The newest request to the service. */
  lastRequest: StepRequestInput | null = null;
  readonly #parts: ConversationParts;
  /** The runs so far, as the SDK sees them. */
  #run: RunView = emptyRun();
  readonly #question: Pending<InputRequest, string>;
  /** Ends the run that is under way, from the reading of its first file on. */
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

  /** Takes up a run that was kept: its steps are played again, without model and tools. */
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

  /** Runs a task to its end, after what went before. Does nothing while another is under way. */
  async start(task: string, prepare: (signal: AbortSignal) => Promise<RunParts>): Promise<void> {
    const before = this.saved;
    await this.#conduct(beginTask(this.view, task), prepare, ({ client, ...parts }, signal) =>
      client.run(task, { ...(before && resumeOptions(before)), ...this.#options(parts, signal) }),
    );
  }

  /** Goes on with a run that was interrupted, where its last whole step ended. */
  async resume(prepare: (signal: AbortSignal) => Promise<RunParts>): Promise<void> {
    const kept = this.saved;
    if (!kept) return;
    const [task, options] = continueRun(kept);
    const view = { ...this.view, status: 'running', activity: 'Starting' } as const;
    await this.#conduct(
      view,
      prepare,
      ({ client, ...parts }, signal) => {
        const maxSteps = options.maxSteps ?? parts.options.maxSteps;
        return client.run(task, { ...options, ...this.#options(parts, signal), maxSteps });
      },
      (own) => joinRuns(kept, own),
    );
  }

  answer(callId: string, text: string): void {
    if (this.question?.call_id === callId) this.#question.decide(text);
  }

  /** Ends the model call, the tools and whatever is waited for. */
  stop(): void {
    this.#begun?.abort();
  }

  /** Stops and forgets: the next task begins anew, and does not wait for what the last one still has to end. */
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

  #options(parts: Omit<RunParts, 'client'>, signal: AbortSignal): RunOptions {
    return {
      ...parts.options,
      tools: parts.tools,
      context: parts.context,
      report: 'full',
      signal,
      // What is always allowed is known there, and may be taken back while the run is under way.
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

  /** Shows how a run ended that never began. */
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

/** After these a run is worth keeping anew: what the model said is paid for, what a tool begins may be done by the next moment. */
const keptAfter: ReadonlySet<RunEventType> = new Set([
  'agent_start',
  'agent_reason',
  'tool_start',
  'agent_observe',
  'agent_stopped',
  'agent_completion',
]);

/** The SDK's own words for options that no run can have; they name settings, never a key. */
const sentenceOf = (error: unknown): string =>
  error instanceof RangeError || error instanceof TypeError
    ? `The run could not be started: ${error.message}`
    : 'The run could not be started.';
