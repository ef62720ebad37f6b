import {
  type ContentBlock,
  type McpServer,
  RequestError,
  type SessionConfigOption,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { Compaction } from '../../contract/compaction.js';
import type { ContextReport } from '../../contract/context-report.js';
import type { TurnInput } from '../../contract/history.js';
import type { Task } from '../../contract/step-request.js';
import type { ApprovalDecision, ApprovalRequest } from '../../sdk/actions/approval.js';
import type { InputRequest } from '../../sdk/actions/client-tools.js';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { randomId } from '../../sdk/base/random-id.js';
import type { JsonSchema } from '../../sdk/base/standard-schema.js';
import { StepwiseError } from '../../sdk/base/stepwise-error.js';
import type { Run } from '../../sdk/run/run.js';
import type { RunResult } from '../../sdk/run/run-result.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { isEdit, isPlainEdit } from '../approval/accepted-edits.js';
import { ApprovalRules } from '../approval/approval-rules.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { UsageError } from '../commands/usage.js';
import { explainFailure } from '../screen/explain-failure.js';
import { showExactLine } from '../screen/visible-text.js';
import { ChangedFiles } from '../session/changed-files.js';
import { compactionRequest } from '../session/compact-history.js';
import { historyAfter, isSavedAt, llmConfigOf, onLastIterationOf } from '../session/session.js';
import { newRunFile, saveRun } from '../state/saved-runs.js';
import { askPermission } from './editor/ask-permission.js';
import type { Editor } from './editor/editor.js';
import { EditorFolder } from './editor/editor-folder.js';
import { keepSettings } from './kept-settings.js';
import { type Models, nameOf, type SessionModel } from './models.js';
import { type ModeId, modeOption } from './modes.js';
import { type ReadPrompt, readPrompt } from './read-prompt.js';
import { invalidRequest } from './request-errors.js';
import { titleOf } from './saved-sessions.js';
import { availableCommands, type CalledCommand, type CommandHost, readCommand } from './session-commands.js';
import { SessionServers } from './session-servers.js';
import { openSessionTools } from './session-tools.js';
import { messageChunk, RunUpdates } from './updates/run-updates.js';
import { diffContent, fenced } from './updates/tool-call-content.js';

export interface AcpSessionParts {
  readonly id: string;
  readonly root: ProjectRoot;
  readonly editor: Editor;
  readonly flags: RunFlags;
  /** Names of the environment variables that held API keys. */
  readonly secrets: readonly string[];
  /** The project's instructions for agents, such as `AGENTS.md`. */
  readonly instructions: string | undefined;
  /** JSON Schema of the answers, if `--answer-schema` names one. */
  readonly answerSchema?: JsonSchema | undefined;
  readonly mcpServers: readonly McpServer[];
  /** Notices shown with the first prompt, such as that no language model is called. */
  readonly notices: readonly string[];
  readonly models: Models;
}

/** The settings with which a session opens. */
export interface OpeningSettings {
  readonly mode: ModeId;
  readonly model: SessionModel;
}

/** A conversation in an editor: successive prompts that share one history (rule: acp). */
export class AcpSession {
  readonly parts: AcpSessionParts;
  #mode: ModeId;
  #model: SessionModel;
  /** The latest change of the model, pending or done. Resolves to the new model. */
  #choosing: Promise<SessionModel> | undefined;
  /** Resolves when the newest settings are stored. */
  #kept: Promise<void> = Promise.resolve();
  #tools: readonly Tool[] = [];
  readonly #rules: ApprovalRules;
  readonly #servers: SessionServers;
  /** Notices to show when the next prompt starts. */
  #notices: readonly string[];
  /** Notices about MCP servers that have not been sent yet. */
  #pendingNotices: readonly string[] = [];
  #isIntroduced = false;
  /** True while the model streams text, which a notice must not interrupt. */
  #isStreaming = false;
  #history: readonly TurnInput[] = [];
  #tasks: readonly Task[] = [];
  /** The context report of the newest step. */
  #report: ContextReport | undefined;
  #updates: RunUpdates;
  readonly #folder: EditorFolder;
  readonly #changes: ChangedFiles;
  /** The newest run, and the file that holds it. */
  #saved: { readonly run: Trajectory; readonly file: string } | undefined;
  #cancel: AbortController | undefined;
  /** Resolves when the last prompt has ended. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(parts: AcpSessionParts, { mode, model }: OpeningSettings) {
    this.parts = parts;
    this.#mode = mode;
    this.#model = model;
    this.#notices = parts.notices;
    this.#rules = new ApprovalRules(parts.root.folder);
    this.#updates = this.#newUpdates();
    this.#folder = new EditorFolder(parts.root, parts.editor);
    this.#changes = new ChangedFiles(parts.root, this.#folder);
    this.#servers = new SessionServers(parts.mcpServers, {
      folder: parts.root.folder,
      onNotice: (notice) => this.#notify(notice),
    });
  }

  get mode(): ModeId {
    return this.#mode;
  }

  /** Returns all settings with their values, in the order in which editors show them. */
  async options(): Promise<SessionConfigOption[]> {
    return [modeOption(this.#mode), await this.parts.models.option(this.#model.choice)];
  }

  /**
   * Changes the mode immediately, also for a running prompt. Reports it both as a mode and as a setting, since the
   * person can also change it in an approval request.
   */
  async setMode(mode: ModeId): Promise<void> {
    this.#mode = mode;
    await this.#keepSettings();
    await this.parts.editor.send({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    await this.#sendOptions().catch(() => undefined); // the service may be unreachable; the mode holds anyway
  }

  /** Changes the model for the next prompt. If changes overlap, the last one wins. Throws `RequestError`. */
  async setModel(name: string): Promise<void> {
    const choosing = this.parts.models.openNamed(name, this.#model.choice);
    this.#choosing = choosing;
    const model = await choosing;
    if (this.#choosing !== choosing) return;
    this.#model = model;
    await this.#keepSettings();
  }

  async #sendOptions(): Promise<void> {
    const configOptions = await this.options();
    await this.parts.editor.send({ sessionUpdate: 'config_option_update', configOptions });
  }

  /**
   * Stores the settings for a later load. A failure is only logged to stderr, because this process still has
   * the settings.
   */
  async #keepSettings(): Promise<void> {
    const { id, root } = this.parts;
    const keep = () =>
      keepSettings({ folder: root.folder, id }, { mode: this.#mode, model: this.#model.choice });
    this.#kept = this.#kept.then(keep).catch((error: Error) => {
      process.stderr.write(`stepwise: The settings of the session could not be saved: ${error.message}\n`);
    });
    await this.#kept;
  }

  /** Continues from a saved run. */
  resume(saved: Trajectory): void {
    this.#history = historyAfter(saved);
    this.#tasks = saved.tasks;
  }

  /** Opens the tools and starts the MCP servers. Throws `UsageError`. */
  async open(): Promise<this> {
    const { folder } = this.parts.root;
    this.#tools = await openSessionTools({
      ...this.parts,
      folder: this.#folder,
      changes: this.#changes,
      onChange: (callId, change) => this.#attach(callId, diffContent(change, folder)),
      onTerminal: (callId, terminalId) => this.#attach(callId, [{ type: 'terminal', terminalId }]),
    });
    this.#servers.start();
    return this;
  }

  /** Sends the slash commands and pending notices; called once the editor knows the id of the session. */
  async introduce(): Promise<void> {
    this.#isIntroduced = true;
    const commands = [...availableCommands];
    await this.parts.editor.send({ sessionUpdate: 'available_commands_update', availableCommands: commands });
    await this.#sendPendingNotices();
  }

  /** Shows a notice to the person as soon as it does not interrupt streamed text. */
  #notify(notice: string): void {
    this.#pendingNotices = [...this.#pendingNotices, showExactLine(notice)];
    void this.#sendPendingNotices();
  }

  async #sendPendingNotices(): Promise<void> {
    if (!this.#isIntroduced || this.#isStreaming) return;
    const pending = this.#pendingNotices;
    this.#pendingNotices = [];
    for (const notice of pending) await this.#sendMessage(`\n\n${notice}\n\n`);
  }

  /** Sends a text as a separate message. */
  async #sendMessage(text: string): Promise<void> {
    const { editor } = this.parts;
    editor.endMessage();
    await editor.send(messageChunk('answer', text));
    editor.endMessage();
  }

  /** Cancels the current prompt, which then resolves to `cancelled`. */
  cancel(): void {
    this.#cancel?.abort();
  }

  /** Cancels the current prompt and resolves when its commands have ended and its run is saved. */
  async close(): Promise<void> {
    this.cancel();
    await Promise.all([this.#ended, this.#kept, this.#servers.close()]);
  }

  /** Runs a prompt to its end. Throws `RequestError` if a prompt is already running or the run fails. */
  async prompt(blocks: readonly ContentBlock[], requestSignal: AbortSignal): Promise<StopReason> {
    if (this.#cancel)
      throw invalidRequest('This session is already running a prompt. Cancel it first, or wait for its end.');
    const cancel = new AbortController();
    this.#cancel = cancel;
    const stop = () => cancel.abort();
    requestSignal.addEventListener('abort', stop, { once: true });
    const ended = this.#answer(blocks, cancel.signal).finally(() => {
      requestSignal.removeEventListener('abort', stop);
      this.#cancel = undefined;
    });
    this.#ended = ended.catch(() => undefined);
    return ended;
  }

  async #answer(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    // An editor may send a prompt before this process has answered its request to change the model.
    await this.#choosing?.catch(() => undefined);
    const command = readCommand(blocks);
    return command ? this.#runCommand(command, signal) : this.#runTask(blocks, signal);
  }

  async #runTask(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const { root, editor } = this.parts;
    const folder = new EditorFolder(root, editor, signal);
    const { task, context, attachments, remarks } = await readPrompt(blocks, { root, folder });
    for (const notice of [...this.#notices, ...remarks]) await this.#sendMessage(`${notice}\n\n`);
    this.#notices = [];
    const run = await this.#start(task, { context, attachments, signal });
    this.#changes.beginTask();
    const file = newRunFile(root.folder, task);
    const { result, isCut } = await this.#follow(run, file);
    const end = stopReasonOf(result, { signal, isCut });
    const saved = run.save();
    if (end.stopReason === 'refusal') await this.#forget(saved, file);
    else this.#keep(saved, file);
    await editor.send({
      sessionUpdate: 'session_info_update',
      title: titleOf(saved),
      updatedAt: new Date().toISOString(),
    });
    if (end.stopReason === 'error') throw new RequestError(-32603, end.failure ?? '', { code: end.code });
    if (end.failure !== undefined) await this.#sendMessage(`\n\n${end.failure}\n\n`);
    return end.stopReason;
  }

  #keep(run: Trajectory, file: string): void {
    this.resume(run);
    this.#saved = { run, file };
  }

  /**
   * Saves a run without its refused prompt, since the protocol promises that the next request to the model does not
   * contain the prompt.
   */
  async #forget(run: Trajectory, file: string): Promise<void> {
    this.#saved = { run: { ...run, history: [...this.#history], tasks: [...this.#tasks] }, file };
    await this.#write(this.#saved.run, file);
  }

  /** Adds a notice to the history and to the saved run. The model reads the notice with the next task. */
  async #tell(content: string): Promise<void> {
    this.#history = [...this.#history, { role: 'user', kind: 'notice', content }];
    if (!this.#saved) return;
    const { run, file } = this.#saved;
    this.#saved = { run: { ...run, history: [...this.#history] }, file };
    await this.#write(this.#saved.run, file);
  }

  /** Runs a slash command and shows its text or its failure as a message. */
  async #runCommand(command: CalledCommand, signal: AbortSignal): Promise<StopReason> {
    const text = await Promise.resolve(command(this.#commandHost(signal))).catch((error: unknown) => {
      if (signal.aborted) return '';
      if (error instanceof StepwiseError) return explainFailure(error.toStepError());
      if (isReported(error)) return error.message;
      throw error;
    });
    if (signal.aborted) return 'cancelled';
    await this.#sendMessage(fenced(text));
    return 'end_turn';
  }

  #commandHost(signal: AbortSignal): CommandHost {
    const { models } = this.parts;
    return {
      rules: this.#rules,
      report: this.#report,
      changes: this.#changes,
      tell: (notice) => this.#tell(notice),
      compact: () => this.#compact(signal),
      models: async () => ({
        current: nameOf(this.#model.choice),
        all: await models.names(this.#model.choice),
      }),
      setModel: async (name) => {
        await this.setModel(name);
        await this.#sendOptions();
      },
    };
  }

  async #compact(signal: AbortSignal): Promise<Compaction | undefined> {
    if (this.#history.length === 0) return undefined;
    const { choice, client } = this.#model;
    const llmConfig = llmConfigOf(choice, this.parts.flags);
    const request = compactionRequest(this.#history, { sessionId: this.parts.id, llmConfig });
    const compaction = await client.compact(request, { signal });
    this.#history = compaction.conversation_history;
    return compaction;
  }

  async #start(task: string, options: StartOptions): Promise<Run> {
    const { id, flags, editor, instructions, answerSchema } = this.parts;
    const { choice, client } = this.#model;
    this.#updates = this.#newUpdates();
    return client.run(task, {
      ...options,
      sessionId: id,
      llmConfig: llmConfigOf(choice, flags),
      tools: async () => [...this.#tools, ...(await this.#servers.tools(options.signal))],
      instructions,
      history: this.#history,
      tasks: this.#tasks,
      report: 'full',
      compaction: { strategy: 'mask' },
      approvalRules: await this.#rules.load(),
      approve: (request, signal) => this.#approve(request, signal),
      ...(editor.asksQuestions && { onInputRequest: this.#askInput }),
      answerSchema,
      protocol: flags.protocol,
      strategy: flags.strategy,
      maxSteps: flags.maxSteps,
      record: true,
      onLastIteration: onLastIterationOf(flags),
    });
  }

  /** Sends the run's events to the editor and saves the run on the way. */
  async #follow(run: Run, file: string): Promise<{ result: RunResult; isCut: boolean }> {
    let isCut = false;
    for await (const event of run) {
      if (isSavedAt(event)) await this.#write(run.save(), file);
      if (event.type === 'agent_turn_start') this.parts.editor.endMessage();
      if ('response' in event && event.response) isCut = event.response.finish_reason === 'length';
      if (event.type === 'agent_reason') this.#report = event.response.context_report ?? this.#report;
      for (const update of this.#updates.updatesFor(event)) await this.parts.editor.send(update);
      this.#isStreaming = event.type.endsWith('_delta');
      await this.#sendPendingNotices();
    }
    return { result: await run.result(), isCut };
  }

  /** Saves the run. A failure is logged to stderr, since the run itself can continue. */
  async #write(run: Trajectory, file: string): Promise<void> {
    await saveRun(run, file).catch((error: Error) =>
      process.stderr.write(`stepwise: The run could not be saved: ${error.message}\n`),
    );
  }

  async #approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
    const { action } = request;
    const { editor, root } = this.parts;
    const isPlain = await isPlainEdit(request, root);
    if (this.#mode === 'accept-edits' && isPlain) return { type: 'allow' };
    const decision = await askPermission(request, signal, {
      editor,
      toolCallId: this.#updates.callId(action.id),
      folder: root.folder,
      hasDiff: isEdit(action.tool_name),
      offersEdits: isPlain,
    });
    if (decision.type === 'accept-edits') {
      await this.setMode('accept-edits');
      return { type: 'allow' };
    }
    if (decision.type === 'always') {
      await this.#rules
        .add(decision.rule)
        .catch((error: Error) => this.#notify(`The rule could not be saved: ${error.message}`));
    }
    return decision;
  }

  readonly #askInput = async (request: InputRequest, signal: AbortSignal): Promise<string> => {
    const answer = await this.parts.editor.askInput(request, signal);
    if (answer !== undefined) return answer;
    this.cancel();
    throw new Error('The person gave no answer.');
  };

  async #attach(callId: string, content: Parameters<RunUpdates['attach']>[1]): Promise<void> {
    await this.parts.editor.send(this.#updates.attach(callId, content));
  }

  #newUpdates(): RunUpdates {
    const { root, flags } = this.parts;
    const { tokenLimit } = llmConfigOf(this.#model.choice, flags);
    return new RunUpdates({ folder: root.folder, prefix: randomId(), tokenLimit });
  }
}

/** Returns true if a person can understand and correct the failure. */
const isReported = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof RequestError;

interface StartOptions extends Pick<ReadPrompt, 'context' | 'attachments'> {
  readonly signal: AbortSignal;
}

/** How the run of a prompt ended. If the run failed, `failure` explains why, in a sentence for the person. */
interface PromptEnd {
  readonly stopReason: StopReason | 'error';
  readonly failure?: string;
  readonly code?: string;
}

/** Stop reasons of the protocol by error code. Editors show all other codes as an error. */
const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['upstream_refusal', 'refusal'],
  ['output_truncated', 'max_tokens'],
]);

/** Maps the end of a run to a stop reason. `isCut` is true if the last reply reached the output limit. */
function stopReasonOf(
  { stopReason, error }: RunResult,
  { signal, isCut }: { readonly signal: AbortSignal; readonly isCut: boolean },
): PromptEnd {
  if (signal.aborted || stopReason === 'stopped') return { stopReason: 'cancelled' };
  if (stopReason === 'step_limit') return { stopReason: 'max_turn_requests' };
  if (stopReason === 'error' && error) {
    const { code } = error;
    return { stopReason: stopReasons.get(code) ?? 'error', failure: explainFailure(error), code };
  }
  return { stopReason: isCut && stopReason === 'answered' ? 'max_tokens' : 'end_turn' };
}
