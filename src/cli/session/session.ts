import type { Compaction } from '../../contract/compaction.js';
import type { TurnInput } from '../../contract/history.js';
import type { ModelList } from '../../contract/model-list.js';
import type { Task } from '../../contract/step-request.js';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { randomId } from '../../sdk/base/random-id.js';
import { StepwiseClient } from '../../sdk/client/stepwise-client.js';
import type { Run } from '../../sdk/run/run.js';
import type { RunEventType } from '../../sdk/run/run-events.js';
import type { RunOptions } from '../../sdk/run/run-options.js';
import type { RunResult } from '../../sdk/run/run-result.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import type { AcceptedEdits } from '../approval/accepted-edits.js';
import type { ApprovalRules } from '../approval/approval-rules.js';
import { answerFor } from '../approval/people.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { describeMissing, findMentions } from '../context/mentions.js';
import { readTaggedFiles } from '../context/read-tagged-files.js';
import type { McpSession } from '../mcp/open-mcp.js';
import type { Screen } from '../screen/screen.js';
import { showExact } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import { newRunFile, saveRun } from '../state/saved-runs.js';
import type { ChangedFiles } from './changed-files.js';
import type { ModelChoice } from './choose-model.js';
import { runOwnCommand } from './own-command.js';

export interface SessionParts {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly flags: RunFlags;
  readonly tools: readonly Tool[];
  readonly rules: ApprovalRules;
  readonly edits: AcceptedEdits;
  /** Of the tools that write. */
  readonly changes: ChangedFiles;
  /** The real path of `--dir`. */
  readonly folder: string;
  /** The same, to read in. */
  readonly root: ProjectRoot;
  /** Servers that offer more tools, if any is named. */
  readonly mcp: McpSession | undefined;
  /** What the project tells agents. */
  readonly instructions: string | undefined;
  /** The model keys that were in the environment, by variable. */
  readonly keys: NodeJS.ProcessEnv;
  /** What was piped in beside the task. */
  readonly piped: string | undefined;
  readonly url: string;
  /** Of the service at `url`, where it asks for one. */
  readonly token?: string | undefined;
}

/** Prompt and reply together, in tokens. */
export const DEFAULT_TOKEN_LIMIT = 32_000;
/** Of the limit, kept for the reply. */
const RESERVE_SHARE = 1 / 8;

/** Of the prompt, for the history after `/compact`. */
const COMPACT_SHARE = 1 / 8;

/** At these a run is written down: what follows may take long, or not come. What was seen to start or to end is there. */
export const savedAt: ReadonlySet<RunEventType> = new Set([
  'agent_start',
  'agent_reason',
  'tool_start',
  'agent_observe',
  'agent_completion',
  'agent_stopped',
]);

/** Failures that every later request with the same turns would meet again. */
const refusals: ReadonlySet<string> = new Set([
  'token_budget_exceeded',
  'request_too_large',
  'upstream_context_length_exceeded',
  'invalid_request',
]);

/** True where the task itself could not be sent: no step took it in. */
export const isRefused = ({ history, error }: Pick<RunResult, 'history' | 'error'>, task: string): boolean =>
  refusals.has(error?.code ?? '') && history.at(-1)?.content === task;

/** What a run leaves to go on from. */
export const historyAfter = ({ task, began_with, history, result }: Trajectory): readonly TurnInput[] =>
  result && isRefused(result, task) ? began_with : history;

/** A run that has ended, and where it is written down if it could be. */
interface FinishedRun {
  readonly run: Run;
  readonly result: RunResult;
  readonly file: string;
  readonly isSaved: boolean;
}

/** One sitting at the terminal: runs that follow each other with one history, one model and one set of files. */
export class Session {
  readonly parts: SessionParts;
  model: ModelChoice;
  history: readonly TurnInput[] = [];
  tasks: readonly Task[] = [];
  /** The newest run, for `/steps` and `/save`. */
  last: FinishedRun | undefined;
  #cannotSave = false;
  /** What `--continue` would go on from, and its file; none where the conversation is another by now. */
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

  /** Ends the run or the person's command that is on its way, if there is one. */
  interrupt(): void {
    this.#running?.stop();
    this.#command?.abort();
  }

  /** Runs a command of the person's, whose output the model reads with the next task. */
  async runOwnCommand(command: string): Promise<void> {
    this.#command = new AbortController();
    const said = await runOwnCommand(command, { ...this.parts, signal: this.#command.signal });
    this.#command = undefined;
    if (said !== undefined) await this.tell(said);
  }

  /** Runs a task to its end and keeps what it brought; it is written down as it goes. */
  async run(task: string): Promise<RunResult> {
    const run = await this.#prepare(task);
    this.parts.changes.beginTask();
    const file = newRunFile(this.parts.folder, task);
    this.#running = run;
    for await (const event of run) {
      if (savedAt.has(event.type)) await this.#save(run.save(), file);
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

  /** Goes on from a saved run, but for a task that could not be sent: it would keep every later one from being sent. */
  resume(saved: Trajectory): void {
    this.history = historyAfter(saved);
    this.tasks = saved.tasks;
    this.#ids = { projectId: saved.project_id, sessionId: saved.session_id };
    this.#saved = undefined;
  }

  /** Tells the model, with the next task, what happened outside a run; who goes on from the saved run tells it too. */
  async tell(content: string): Promise<void> {
    const notice = { role: 'user', kind: 'notice', content } as const;
    this.history = [...this.history, notice];
    if (!this.#saved) return;
    const { run, file } = this.#saved;
    this.#saved = { run: { ...run, history: [...run.history, notice] }, file };
    await this.#save(this.#saved.run, file);
  }

  /** What the service can reach. Throws `StepwiseError`. */
  models(): Promise<ModelList> {
    return this.#client.models();
  }

  /** Shortens the history. Throws `StepwiseError`. */
  async compact(): Promise<Compaction> {
    const llm_config = llmConfigOf(this.model, this.parts.flags);
    const { tokenLimit, reservedOutputTokens } = llm_config;
    const { projectId = randomId(), sessionId = randomId() } = this.#ids;
    const compaction = await this.#client.compact({
      project_id: projectId,
      session_id: sessionId,
      conversation_history: [...this.history],
      target_tokens: Math.floor((tokenLimit - reservedOutputTokens) * COMPACT_SHARE),
      strategy: 'mask',
      llm_config,
    });
    this.history = compaction.conversation_history;
    return compaction;
  }

  /** Forgets what was said, but not the files and the rules. */
  clear(): void {
    this.history = [];
    this.tasks = [];
    this.#ids = {};
    this.#saved = undefined;
  }

  async #prepare(task: string): Promise<Run> {
    const { flags, tools, mcp, rules, root, screen, instructions, piped } = this.parts;
    const { paths, missing } = await findMentions(root, task);
    for (const each of missing) screen.print(describeMissing(each));
    this.#files = [...new Set([...this.#files, ...paths])];
    const { protocol, strategy, maxSteps } = flags;
    return this.#client.run(task, {
      ...this.#ids,
      ...answerFor(this.parts, () => this.interrupt()),
      llmConfig: llmConfigOf(this.model, flags),
      tools: mcp ? async () => [...tools, ...(await mcp.tools())] : tools,
      instructions,
      context: await readTaggedFiles(root, { files: this.#files, pins: flags.pins, piped }),
      history: this.history,
      tasks: this.tasks,
      report: flags.json ? 'summary' : 'full',
      compaction: { strategy: 'mask' },
      approvalRules: await rules.load(),
      ...(protocol && { protocol }),
      ...(strategy && { strategy }),
      ...(maxSteps !== undefined && { maxSteps }),
    });
  }

  /** What cannot be written down is told once; the run goes on. */
  async #save(run: Trajectory, file: string): Promise<void> {
    if (this.#cannotSave) return;
    try {
      await saveRun(run, file);
    } catch (error) {
      this.#cannotSave = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.parts.screen.print(showExact(`The run is not saved as it goes: ${reason}`));
    }
  }

  #connect(key: string | undefined): StepwiseClient {
    const { url, token } = this.parts;
    return new StepwiseClient({
      baseUrl: url,
      token,
      ...(key && { llmKey: key }),
    });
  }
}

/** The model and its budget as a run is given them. */
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
