import type { TurnInput } from '../../contract/history.js';
import type { RecordedStep } from '../../contract/recorded-step.js';
import type { Step, Usage } from '../../contract/step.js';
import type { StepRequestInput, Task } from '../../contract/step-request.js';
import { noUsage, sumUsage } from '../../conversation/usage.js';
import type { ApprovalDecision, ApprovalRule } from '../actions/approval.js';
import type { Tool } from '../actions/define-tool.js';
import type { PendingApproval } from '../actions/pending-approval.js';
import { randomId } from '../base/random-id.js';
import type { CallOptions, StepService } from '../base/step-service.js';
import { isRecordedStep } from '../base/wire-shapes.js';
import { withoutNul } from '../base/without-nul.js';
import { type AnswerCheck, toAnswerCheck } from './answer-schema.js';
import type { RunEvent } from './run-events.js';
import type { Fallback, RunLlmConfig, RunOptions } from './run-options.js';
import type { ActionRecord, StepRecord } from './run-result.js';
import { takeUpHistory, tasksFor } from './take-up-history.js';

/** Leaves a field out of each member of a union. */
type Without<Union, Field extends PropertyKey> = Union extends unknown ? Omit<Union, Field> : never;

/** Emits an event. Resolves when the reader asks for the next one. */
export type Emit = (event: Without<RunEvent, 'step'>) => Promise<void>;

/** The argument of the constructor of `RunState`. */
export interface RunStart {
  readonly service: StepService;
  readonly task: string;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
  /** The saved run that this one goes on with. */
  readonly continued?: Continuation | undefined;
}

/** The state of a run that waits for approval, and the decisions to go on with. */
export interface Continuation {
  /** The history that the run began with. */
  readonly beganWith: readonly TurnInput[];
  /** The history at the time of saving. */
  readonly history: readonly TurnInput[];
  /** The TODO list at the time of saving. */
  readonly tasks: readonly Task[];
  /** The steps so far. */
  readonly steps: readonly StepRecord[];
  /** All responses of the service so far. */
  readonly responses: readonly Step[];
  /** The recorded steps so far; absent if none were recorded. */
  readonly recordedSteps?: readonly RecordedStep[] | undefined;
  /** All observations so far, in full. */
  readonly observations: readonly TurnInput[];
  /** Tokens so far. */
  readonly usage: Usage;
  /** Steps that are left. */
  readonly iterationsLeft: number;
  /** The newest response, whose calls wait. */
  readonly response: Step;
  /** The calls that wait, as the person saw them. */
  readonly pending: readonly PendingApproval[];
  /** Decisions by the id of the call. */
  readonly decisions: ReadonlyMap<string, ApprovalDecision>;
}

const DEFAULT_TOKEN_LIMIT = 32_000;
const DEFAULT_RESERVED_OUTPUT_TOKENS = 4_000;
/** Maximum size of the recorded steps of a run as JSON in UTF-8, since each repeats the history (rule: run-records). */
const MAX_RECORDED_BYTES = 8 * 2 ** 20;
/** Default of `maxSteps`. */
export const DEFAULT_MAX_STEPS = 10;

/** The state of a running run. */
export class RunState {
  readonly service: StepService;
  readonly task: string;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
  /** The current model: the first one, or a fallback after an outage. */
  llmConfig: StepRequestInput['llm_config'];
  /** The check of the typed answer; undefined if the answer is text. */
  readonly answerCheck: AnswerCheck | undefined;
  readonly projectId: string;
  readonly sessionId: string;
  /** The saved state that this run continues; undefined unless the run was resumed. */
  readonly continued: Continuation | undefined;

  emit: Emit = async () => undefined;
  /** The current phase of the strategy `reason-act-observe`, which its events carry as `phase`; null in `react`. */
  phase: Step['phase'] = null;
  tools: ReadonlyMap<string, Tool> = new Map();
  /** Names of the deferred tools (rule: deferring). */
  deferred: ReadonlySet<string> = new Set();
  history: readonly TurnInput[];
  tasks: readonly Task[];
  approvalRules: readonly ApprovalRule[];
  usage: Usage = noUsage;
  readonly steps: StepRecord[] = [];
  /** All responses of the service, for the saved run. */
  readonly responses: Step[] = [];
  /** The complete input and output of the first steps, without a gap, for the saved run. */
  readonly recordedSteps: RecordedStep[] = [];
  /** True if the next step is recorded: the caller wants records, and all steps before it have one. */
  mayRecord: boolean;
  #recordedBytes = 0;
  /** All observations in full, for the saved run: a compaction may shorten those in the history. */
  readonly observations: TurnInput[] = [];
  /**
   * Observations of this step by call id, until they are all added to the history. A running call that may have effects
   * has the observation "outcome unknown", so that a run saved before a crash does not claim that the call never ran.
   */
  readonly unfinishedStep = new Map<string, TurnInput>();
  /** Observations of the phase `act` that wait for the reply of `observe`, since `agent_observe` comes once a round. */
  heldObservations: readonly TurnInput[] | undefined;
  readonly beganWith: readonly TurnInput[];
  iterationsLeft: number;
  /** True until a step has added the task to the history. */
  taskIsNew: boolean;
  /** True if all tasks of the TODO list are completed: the next step must answer. */
  mustAnswer = false;
  correctionsInARow = 0;
  emptyRepliesInARow = 0;
  /** Number of calls that tried to reach something forbidden, such as a path outside the folder. */
  violations = 0;
  /** True if a person refused at least one action of the newest step. */
  lastActionsDenied = false;
  compactionRequested = false;
  lastCompactionStep: number | undefined;
  #fallbacks: readonly Fallback[];
  #llmKey: string | undefined;

  constructor({ service, task, options, signal, continued }: RunStart) {
    this.service = service;
    this.task = withoutNul(task);
    this.options = options;
    this.signal = signal;
    this.llmConfig = completeLlmConfig(options.llmConfig);
    this.answerCheck = options.answerSchema && toAnswerCheck(options.answerSchema);
    this.projectId = options.projectId ?? randomId();
    this.sessionId = options.sessionId ?? randomId();
    this.beganWith = withoutNul(continued?.beganWith ?? options.history ?? []);
    const beginning = takeUpHistory(this.task, this.beganWith, options.attachments);
    ({ history: this.history, taskIsNew: this.taskIsNew } = beginning);
    this.tasks = tasksFor(this.task, { history: this.beganWith, tasks: options.tasks ?? [] });
    this.approvalRules = options.approvalRules ?? [];
    this.#fallbacks = options.fallbacks ?? [];
    this.iterationsLeft = options.maxSteps ?? DEFAULT_MAX_STEPS;
    this.mayRecord = options.record ?? false;
    this.continued = continued;
    if (continued) this.#takeUp(continued);
  }

  #takeUp(continued: Continuation): void {
    const { history, tasks, steps, responses, observations, usage, iterationsLeft } = continued;
    for (const recorded of continued.recordedSteps ?? []) this.#keepRecord(recorded);
    const replies = responses.filter(({ completion_text: text }) => text !== null);
    if (this.recordedSteps.length < replies.length) this.mayRecord = false;
    this.history = history;
    this.tasks = tasks;
    this.taskIsNew = false;
    this.usage = usage;
    this.iterationsLeft = iterationsLeft;
    this.steps.push(...steps);
    this.responses.push(...responses);
    this.observations.push(...observations);
  }

  /** Number of the current step, from 1; 0 before the first. */
  get stepNumber(): number {
    return this.steps.length;
  }

  /**
   * The history that another run can continue. Before the first step has ended, it includes the task (rule: one-signal);
   * during a step, it includes the outcomes of its calls so far (rule: saved-runs).
   */
  get resumableHistory(): readonly TurnInput[] {
    const last = this.history.at(-1);
    const hasTask = last?.role === 'user' && !last.kind && last.content === this.task;
    if (this.taskIsNew && !hasTask)
      return [...this.history, { role: 'user', content: this.task, ...this.taskAttachments }];
    return this.unfinishedStep.size === 0 ? this.history : [...this.history, ...this.unfinishedStep.values()];
  }

  /** The attachments of the task as a field of the request; empty once a step has added the task to the history. */
  get taskAttachments(): Pick<StepRequestInput, 'attachments'> {
    const { attachments = [] } = this.options;
    return this.taskIsNew && attachments.length > 0 ? { attachments: [...attachments] } : {};
  }

  /**
   * Options for each call of the service: the signal that stops the run, and the API key if the current model
   * is a fallback.
   */
  get callOptions(): CallOptions {
    return { signal: this.signal, llmKey: this.#llmKey };
  }

  /** Changes to the next fallback (rule: fallbacks). Returns the name of its model; undefined if none is left. */
  takeFallback(): string | undefined {
    const [next, ...rest] = this.#fallbacks;
    if (!next) return undefined;
    this.#fallbacks = rest;
    this.llmConfig = completeLlmConfig(next.llmConfig);
    this.#llmKey = next.llmKey;
    return next.llmConfig.modelName;
  }

  beginStep(): void {
    const empty = { thought: null, actions: [], usage: null, tasks: this.tasks };
    this.steps.push({ number: this.steps.length + 1, ...empty });
  }

  append(...turns: readonly TurnInput[]): void {
    this.history = [...this.history, ...withoutNul(turns)];
  }

  observe(...observations: readonly TurnInput[]): void {
    this.observations.push(...withoutNul(observations));
    this.unfinishedStep.clear();
    this.append(...observations);
  }

  /** Returns and removes the held observations; undefined if there are none. */
  takeHeldObservations(): readonly TurnInput[] | undefined {
    const held = this.heldObservations;
    this.heldObservations = undefined;
    return held;
  }

  /**
   * Adds a response of the service to the run, and returns it without `recorded_step`. After a failed step, the next
   * step sends the task again.
   */
  absorb(received: Step): Step {
    const { recorded_step: recorded } = received;
    const response = { ...received, recorded_step: null };
    // Drops a record of another form, because a saved run must be readable. Cast: `isRecordedStep` has checked the
    // record.
    if (isRecordedStep(recorded)) this.#keepRecord(recorded as unknown as RecordedStep);
    else if (recorded) this.mayRecord = false;
    this.responses.push(response);
    this.append(...response.new_turns);
    if (response.status !== 'error') this.taskIsNew = false;
    this.#amendStep(({ thought }) => ({ thought: response.thought ?? thought }));
    if (response.usage) this.addUsage(response.usage);
    return response;
  }

  /** Keeps the record of a step. The first one that would exceed the limit is dropped, and no further one is requested. */
  #keepRecord(recorded: RecordedStep): void {
    this.#recordedBytes += new TextEncoder().encode(JSON.stringify(recorded)).length;
    if (this.#recordedBytes > MAX_RECORDED_BYTES) this.mayRecord = false;
    else this.recordedSteps.push(recorded);
  }

  addUsage(usage: Usage): void {
    this.usage = sumUsage(this.usage, usage);
    this.#amendStep((record) => ({ usage: sumUsage(record.usage ?? noUsage, usage) }));
  }

  setTasks(tasks: readonly Task[]): void {
    this.tasks = tasks;
    this.mustAnswer = tasks.length > 0 && tasks.every(({ status }) => status === 'completed');
    this.#amendStep(() => ({ tasks }));
  }

  recordAction(action: ActionRecord): void {
    this.#amendStep(({ actions }) => ({ actions: [...actions, action] }));
  }

  #amendStep(amend: (record: StepRecord) => Partial<StepRecord>): void {
    const record = this.steps.pop();
    if (record) this.steps.push({ ...record, ...amend(record) });
  }
}

/** Fills in the defaults of the token budget. */
export const completeLlmConfig = (given: RunLlmConfig): StepRequestInput['llm_config'] => ({
  ...given,
  tokenLimit: given.tokenLimit ?? DEFAULT_TOKEN_LIMIT,
  reservedOutputTokens: given.reservedOutputTokens ?? DEFAULT_RESERVED_OUTPUT_TOKENS,
});
