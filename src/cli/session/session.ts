import type { Compaction } from '../../contract/compaction.js';
import type { TurnInput } from '../../contract/history.js';
import type { ModelList } from '../../contract/model-list.js';
import type { Task } from '../../contract/step-request.js';
import type { Tool } from '../../sdk/actions/define-tool.js';
import type { JsonSchema } from '../../sdk/base/standard-schema.js';
import type { StepwiseClient } from '../../sdk/client/stepwise-client.js';
import type { Run } from '../../sdk/run/run.js';
import type { RunEvent, RunEventType } from '../../sdk/run/run-events.js';
import type { RunOptions } from '../../sdk/run/run-options.js';
import type { RunResult } from '../../sdk/run/run-result.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import type { AcceptedEdits } from '../approval/accepted-edits.js';
import type { ApprovalRules } from '../approval/approval-rules.js';
import { questionHandlers } from '../approval/question-handlers.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { describeMissing, findMentions } from '../context/mentions.js';
import { readAttachments } from '../context/read-attachments.js';
import { readTaggedFiles } from '../context/read-tagged-files.js';
import type { McpSession } from '../mcp/open-mcp.js';
import type { Screen } from '../screen/screen.js';
import type { Terminal } from '../screen/terminal.js';
import { showExact } from '../screen/visible-text.js';
import { newRunFile, saveRun } from '../state/saved-runs.js';
import type { ChangedFiles } from './changed-files.js';
import type { ModelChoice } from './choose-model.js';
import { compactionRequest } from './compact-history.js';
import { connectTo } from './network.js';
import { runOwnCommand } from './own-command.js';

export interface SessionParts {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly flags: RunFlags;
  readonly tools: readonly Tool[];
  readonly rules: ApprovalRules;
  readonly edits: AcceptedEdits;
  /** Changes that the writing tools made to files. */
  readonly changes: ChangedFiles;
  /** Real path of `--dir`. */
  readonly folder: string;
  /** The same folder, opened for reading. */
  readonly root: ProjectRoot;
  /** MCP servers, if any is configured. */
  readonly mcp: McpSession | undefined;
  /** JSON Schema of the answer, if `--answer-schema` names one. */
  readonly answerSchema: JsonSchema | undefined;
  /** Text of `AGENTS.md`. */
  readonly instructions: string | undefined;
  /** Model keys that were in the environment, by variable. */
  readonly keys: NodeJS.ProcessEnv;
  /** Piped input, if there is a task besides it. */
  readonly piped: string | undefined;
  readonly url: string;
  /** Token for the service at `url`, if it needs one. */
  readonly token?: string | undefined;
}

/** Default of `--token-limit`, for prompt and reply together. */
export const DEFAULT_TOKEN_LIMIT = 32_000;
/** Share of the token limit that is reserved for the reply. */
const RESERVE_SHARE = 1 / 8;

const savedAt: ReadonlySet<RunEventType> = new Set([
  'agent_start',
  'agent_reason',
  'tool_start',
  'agent_observe',
  'agent_completion',
  'agent_stopped',
]);

/**
 * Returns true if a run is saved at an event, because the next event may take long or never come. The saved run thus
 * contains every reply, every started call and every result. Each save writes the whole run, so other events save
 * nothing. A phase `observe` saves at its beginning, since the results of the phase `act` have no event of their own.
 */
export const isSavedAt = (event: RunEvent): boolean =>
  savedAt.has(event.type) || (event.type === 'agent_turn_start' && event.phase === 'observe');

/** Error codes of a refused request. Every later request with the same turns would be refused too. */
const refusals: ReadonlySet<string> = new Set([
  'token_budget_exceeded',
  'request_too_large',
  'upstream_context_length_exceeded',
  'invalid_request',
]);

/**
 * Returns true if the service refused the task itself, before any step. The task is then the last turn of the history;
 * its text may differ, because a saved run leaves out large attachments.
 */
export function isRefused({ history, error }: Pick<RunResult, 'history' | 'error'>): boolean {
  const last = history.at(-1);
  return refusals.has(error?.code ?? '') && last?.role === 'user' && !last.kind;
}

/** Returns the history for the next run, without a task that was refused. */
export const historyAfter = ({ beganWith, history, result }: Trajectory): readonly TurnInput[] =>
  result && isRefused(result) ? beganWith : history;

/** A run that has ended, with the file in which it is saved if `isSaved`. */
interface FinishedRun {
  readonly run: Run;
  readonly result: RunResult;
  readonly file: string;
  readonly isSaved: boolean;
}

/** Consecutive runs with one history, one model and one set of files. */
export class Session {
  readonly parts: SessionParts;
  model: ModelChoice;
  history: readonly TurnInput[] = [];
  tasks: readonly Task[] = [];
  /** Newest run, for `/steps` and `/save`. */
  last: FinishedRun | undefined;
  #cannotSave = false;
  /**
   * The run that `--continue` would continue, and its file. Undefined after the conversation was replaced or cleared.
   */
  #saved: { readonly run: Trajectory; readonly file: string } | undefined;
  #client: StepwiseClient;
  #files: readonly string[];
  #ids: Pick<RunOptions, 'projectId' | 'sessionId'> = {};
  #running: Run | undefined;
  #command: AbortController | undefined;

  constructor(parts: SessionParts, model: ModelChoice, key: string | undefined) {
    this.parts = parts;
    this.model = model;
    this.#files = parts.flags.files;
    this.#client = this.#connect(key);
  }

  setModel(model: ModelChoice, key: string | undefined): void {
    this.model = model;
    this.#client = this.#connect(key);
  }

  /** Stops the current run or the person's command, if any. */
  interrupt(): void {
    this.#running?.stop();
    this.#command?.abort();
  }

  /** Runs a command that the person typed. The model reads its output with the next task. */
  async runOwnCommand(command: string): Promise<void> {
    this.#command = new AbortController();
    const output = await runOwnCommand(command, { ...this.parts, signal: this.#command.signal });
    this.#command = undefined;
    if (output !== undefined) await this.tell(output);
  }

  /** Runs a task to its end, saves it on the way, and keeps its history. */
  async run(task: string): Promise<RunResult> {
    const run = await this.#prepare(task);
    this.parts.changes.beginTask();
    const file = newRunFile(this.parts.folder, task);
    this.#running = run;
    for await (const event of run) {
      if (isSavedAt(event)) await this.#save(run.save(), file);
      this.parts.screen.show(event);
    }
    this.#running = undefined;
    const result = await run.result();
    this.last = { run, result, file, isSaved: !this.#cannotSave };
    const saved = run.save();
    this.resume(saved);
    this.#saved = { run: saved, file };
    return result;
  }

  /**
   * Continues a saved run. Its task is left out of the history if it was refused, because every later request would be
   * refused too.
   */
  resume(saved: Trajectory): void {
    this.history = historyAfter(saved);
    this.tasks = saved.tasks;
    this.#ids = { projectId: saved.projectId, sessionId: saved.sessionId };
    this.#saved = undefined;
  }

  /** Adds a notice to the history and to the saved run. The model reads the notice with the next task. */
  async tell(content: string): Promise<void> {
    const notice = { role: 'user', kind: 'notice', content } as const;
    this.history = [...this.history, notice];
    if (!this.#saved) return;
    const { run, file } = this.#saved;
    this.#saved = { run: { ...run, history: [...run.history, notice] }, file };
    await this.#save(this.#saved.run, file);
  }

  /** Returns the models that the service can call. Throws `StepwiseError`. */
  models(): Promise<ModelList> {
    return this.#client.models();
  }

  /** Shortens the history through the service. Throws `StepwiseError`. */
  async compact(): Promise<Compaction> {
    const llmConfig = llmConfigOf(this.model, this.parts.flags);
    const compaction = await this.#client.compact(
      compactionRequest(this.history, { ...this.#ids, llmConfig }),
    );
    this.history = compaction.conversation_history;
    return compaction;
  }

  /** Clears the conversation; files and rules remain. */
  clear(): void {
    this.history = [];
    this.tasks = [];
    this.#ids = {};
    this.#saved = undefined;
  }

  async #prepare(task: string): Promise<Run> {
    const { flags, tools, mcp, rules, root, screen, instructions, piped, answerSchema } = this.parts;
    const { paths, missing } = await findMentions(root, task);
    for (const each of missing) screen.print(describeMissing(each));
    const { attachments, others } = await readAttachments(root, [...this.#files, ...paths]);
    this.#files = others;
    const { protocol, strategy, maxSteps } = flags;
    return this.#client.run(task, {
      ...this.#ids,
      ...questionHandlers(this.parts, () => this.interrupt()),
      llmConfig: llmConfigOf(this.model, flags),
      tools: mcp ? async () => [...tools, ...(await mcp.tools())] : tools,
      instructions,
      context: await readTaggedFiles(root, { files: this.#files, pins: flags.pins, piped }),
      attachments,
      history: this.history,
      tasks: this.tasks,
      report: flags.json ? 'summary' : 'full',
      compaction: { strategy: 'mask' },
      approvalRules: await rules.load(),
      ...(answerSchema && { answerSchema }),
      ...(protocol && { protocol }),
      ...(strategy && { strategy }),
      ...(maxSteps !== undefined && { maxSteps }),
      record: true,
      onLastIteration: onLastIterationOf(flags),
    });
  }

  /** Saves the run. Reports only the first failure, and the run continues. */
  async #save(run: Trajectory, file: string): Promise<void> {
    if (this.#cannotSave) return;
    try {
      await saveRun(run, file);
    } catch (error) {
      this.#cannotSave = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.parts.screen.print(showExact(`The run cannot be saved: ${reason}`));
    }
  }

  #connect(key: string | undefined): StepwiseClient {
    const { url, token } = this.parts;
    return connectTo({
      baseUrl: url,
      token,
      ...(key && { llmKey: key }),
    });
  }
}

/** Builds the model settings of a run. An eighth of the token limit is reserved for the reply. */
export function llmConfigOf(
  { name, upstream }: ModelChoice,
  { tokenLimit = DEFAULT_TOKEN_LIMIT }: Pick<RunFlags, 'tokenLimit'>,
) {
  return {
    modelName: name,
    tokenLimit,
    reservedOutputTokens: Math.max(1, Math.floor(tokenLimit * RESERVE_SHARE)),
    ...(upstream && { provider: upstream }),
  };
}

/** Returns the option of a run for `--last-step`; undefined without it. */
export const onLastIterationOf = ({ lastStep }: Pick<RunFlags, 'lastStep'>): RunOptions['onLastIteration'] =>
  lastStep === 'act' ? 'allow_action' : lastStep;
