import type { TurnInput } from '../../contract/history.js';
import type { Step, Usage } from '../../contract/step.js';
import type { StepRequestInput, Task } from '../../contract/step-request.js';
import type { ApprovalRule } from '../actions/approval.js';
import type { Tool } from '../actions/define-tool.js';
import { randomId } from '../base/random-id.js';
import type { StepService } from '../base/step-service.js';
import { noUsage, sumUsage } from '../base/usage.js';
import type { RunEvent } from './run-events.js';
import type { RunLlmConfig, RunOptions } from './run-options.js';
import type { ActionRecord, StepRecord } from './run-result.js';
import { takeUpHistory } from './take-up-history.js';

/** Leaves a field out of each member of a union. */
type Without<Union, Field extends PropertyKey> = Union extends unknown ? Omit<Union, Field> : never;

/** Resolves when the reader of the run's events has taken this one. */
export type Emit = (event: Without<RunEvent, 'step'>) => Promise<void>;

/** What a run begins with. */
export interface RunStart {
  readonly service: StepService;
  readonly task: string;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
}

const DEFAULT_TOKEN_LIMIT = 32_000;
const DEFAULT_RESERVED_OUTPUT_TOKENS = 4_000;
/** Model calls, or whole rounds, where nobody says how many. */
export const DEFAULT_MAX_STEPS = 10;

/** Everything a run knows while it is on its way. */
export class RunState {
  readonly service: StepService;
  readonly task: string;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
  readonly llmConfig: StepRequestInput['llm_config'];
  readonly projectId: string;
  readonly sessionId: string;

  emit: Emit = async () => undefined;
  tools: ReadonlyMap<string, Tool> = new Map();
  history: readonly TurnInput[];
  tasks: readonly Task[];
  approvalRules: readonly ApprovalRule[];
  usage: Usage = noUsage;
  readonly steps: StepRecord[] = [];
  /** Every response of the service, as a saved run keeps them. */
  readonly responses: Step[] = [];
  /** Every observation as it was made: a compaction may shorten the history. */
  readonly observations: TurnInput[] = [];
  /**
   * By its id, what a call of this step came to, until all of them are in the history: of one that changes something, while
   * it runs, that nobody knows. A program that is killed then leaves a saved run that says so.
   */
  readonly underway = new Map<string, TurnInput>();
  readonly beganWith: readonly TurnInput[];
  iterationsLeft: number;
  /** True until a step has taken the task into the history. */
  taskIsNew: boolean;
  /** All tasks of the list are done: the next step is to answer. */
  mustAnswer = false;
  correctionsInARow = 0;
  emptyRepliesInARow = 0;
  /** Calls so far that reached for what the tools must not touch. */
  violations = 0;
  /** A person refused at least one of the newest actions. */
  lastActionsDenied = false;
  compactionRequested = false;
  lastCompactionStep: number | undefined;

  constructor({ service, task, options, signal }: RunStart) {
    this.service = service;
    this.task = task;
    this.options = options;
    this.signal = signal;
    this.llmConfig = completeLlmConfig(options.llmConfig);
    this.projectId = options.projectId ?? randomId();
    this.sessionId = options.sessionId ?? randomId();
    this.beganWith = options.history ?? [];
    ({ history: this.history, taskIsNew: this.taskIsNew } = takeUpHistory(task, options.history));
    this.tasks = options.tasks ?? [];
    this.approvalRules = options.approvalRules ?? [];
    this.iterationsLeft = options.maxSteps ?? DEFAULT_MAX_STEPS;
  }

  /** The running step's number, from 1; 0 before the first. */
  get stepNumber(): number {
    return this.steps.length;
  }

  /**
   * The history to go on from: a task that no step has taken in yet is its last turn (rule: one-signal), and in the midst
   * of a step what is known of its calls (rule: saved-runs).
   */
  get resumableHistory(): readonly TurnInput[] {
    const last = this.history.at(-1);
    const isThere = last?.role === 'user' && !last.kind && last.content === this.task;
    if (this.taskIsNew && !isThere) return [...this.history, { role: 'user', content: this.task }];
    return this.underway.size === 0 ? this.history : [...this.history, ...this.underway.values()];
  }

  beginStep(): void {
    const blank = { thought: null, actions: [], usage: null, tasks: this.tasks };
    this.steps.push({ number: this.steps.length + 1, ...blank });
  }

  append(...turns: readonly TurnInput[]): void {
    this.history = [...this.history, ...turns];
  }

  observe(...observations: readonly TurnInput[]): void {
    this.observations.push(...observations);
    this.underway.clear();
    this.append(...observations);
  }

  /** Takes in what the service said; a step that failed has added nothing to the history. */
  absorb(response: Step): void {
    this.responses.push(response);
    this.append(...response.new_turns);
    if (response.status !== 'error') this.taskIsNew = false;
    this.#amendStep(({ thought }) => ({ thought: response.thought ?? thought }));
    if (response.usage) this.addUsage(response.usage);
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

const completeLlmConfig = (given: RunLlmConfig): StepRequestInput['llm_config'] => ({
  ...given,
  tokenLimit: given.tokenLimit ?? DEFAULT_TOKEN_LIMIT,
  reservedOutputTokens: given.reservedOutputTokens ?? DEFAULT_RESERVED_OUTPUT_TOKENS,
});
