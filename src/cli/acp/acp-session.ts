import { type ContentBlock, type McpServer, RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { TurnInput } from '../../contract/history.js';
import type { Task } from '../../contract/step-request.js';
import type { ApprovalDecision, ApprovalRequest } from '../../sdk/actions/approval.js';
import type { InputRequest } from '../../sdk/actions/client-tools.js';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { randomId } from '../../sdk/base/random-id.js';
import type { StepwiseClient } from '../../sdk/client/stepwise-client.js';
import type { Run } from '../../sdk/run/run.js';
import type { RunContext } from '../../sdk/run/run-options.js';
import type { RunResult } from '../../sdk/run/run-result.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { isEdit, isPlainEdit } from '../approval/accepted-edits.js';
import { ApprovalRules } from '../approval/approval-rules.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { explainFailure } from '../screen/explain-failure.js';
import { showExactLine } from '../screen/visible-text.js';
import type { ModelChoice } from '../session/choose-model.js';
import { historyAfter, llmConfigOf, onLastIterationOf, savedAt } from '../session/session.js';
import { newRunFile, saveRun } from '../state/saved-runs.js';
import { askPermission } from './editor/ask-permission.js';
import type { Editor } from './editor/editor.js';
import { EditorFolder } from './editor/editor-folder.js';
import type { ModeId } from './modes.js';
import { readPrompt } from './read-prompt.js';
import { SessionServers } from './session-servers.js';
import { openSessionTools } from './session-tools.js';
import { messageChunk, RunUpdates } from './updates/run-updates.js';
import { diffContent } from './updates/tool-call-content.js';

export interface AcpSessionParts {
  readonly id: string;
  readonly root: ProjectRoot;
  readonly editor: Editor;
  readonly flags: RunFlags;
  /** Names of the environment variables that held API keys. */
  readonly secrets: readonly string[];
  /** The project's instructions for agents, such as `AGENTS.md`. */
  readonly instructions: string | undefined;
  readonly mcpServers: readonly McpServer[];
  /** Notices shown with the first prompt, such as that no language model is called. */
  readonly notices: readonly string[];
}

/** The model of a session and a client that sends its API key. */
export interface SessionModel {
  readonly choice: ModelChoice;
  readonly client: StepwiseClient;
}

/** A conversation in an editor: successive prompts that share one history (rule: acp). */
export class AcpSession {
  readonly parts: AcpSessionParts;
  model: SessionModel;
  mode: ModeId = 'ask';
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
  #updates: RunUpdates;
  #cancel: AbortController | undefined;
  /** Resolves when the last prompt has ended. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(parts: AcpSessionParts, model: SessionModel) {
    this.parts = parts;
    this.model = model;
    this.#notices = parts.notices;
    this.#rules = new ApprovalRules(parts.root.folder);
    this.#updates = this.#newUpdates();
    this.#servers = new SessionServers(parts.mcpServers, {
      folder: parts.root.folder,
      onNotice: (notice) => {
        this.#pendingNotices = [...this.#pendingNotices, showExactLine(notice)];
        void this.#sendPendingNotices();
      },
    });
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
      onChange: (callId, change) => this.#attach(callId, diffContent(change, folder)),
      onTerminal: (callId, terminalId) => this.#attach(callId, [{ type: 'terminal', terminalId }]),
    });
    this.#servers.start();
    return this;
  }

  /** Sends pending notices; called once the editor knows the id of the session. */
  async introduce(): Promise<void> {
    this.#isIntroduced = true;
    await this.#sendPendingNotices();
  }

  async #sendPendingNotices(): Promise<void> {
    if (!this.#isIntroduced || this.#isStreaming) return;
    const pending = this.#pendingNotices;
    this.#pendingNotices = [];
    for (const notice of pending) await this.parts.editor.send(messageChunk('answer', `\n\n${notice}\n\n`));
  }

  /** Cancels the current prompt, which then resolves to `cancelled`. */
  cancel(): void {
    this.#cancel?.abort();
  }

  /** Cancels the current prompt and resolves when its commands have ended and its run is saved. */
  async close(): Promise<void> {
    this.cancel();
    await Promise.all([this.#ended, this.#servers.close()]);
  }

  /** Runs a prompt to its end. Throws `RequestError` if a prompt is already running or the run fails. */
  async prompt(blocks: readonly ContentBlock[], requestSignal: AbortSignal): Promise<StopReason> {
    if (this.#cancel)
      throw RequestError.invalidRequest(
        {},
        'This session is already running a prompt. Cancel it first, or wait for its end.',
      );
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
    const { root, editor } = this.parts;
    const folder = new EditorFolder(root, editor, signal);
    const { task, context, remarks } = await readPrompt(blocks, { root, folder });
    for (const notice of [...this.#notices, ...remarks])
      await editor.send(messageChunk('answer', `${notice}\n\n`));
    this.#notices = [];
    const run = await this.#start(task, { context, signal });
    const result = await this.#follow(run, newRunFile(root.folder, task));
    this.resume(run.save());
    return stopReasonOf(result, signal);
  }

  async #start(task: string, options: { context: RunContext; signal: AbortSignal }): Promise<Run> {
    const { id, flags, editor, instructions } = this.parts;
    const { choice, client } = this.model;
    this.#updates = this.#newUpdates();
    return client.run(task, {
      ...options,
      sessionId: id,
      llmConfig: llmConfigOf(choice, flags),
      tools: async () => [...this.#tools, ...(await this.#servers.tools(options.signal))],
      instructions,
      history: this.#history,
      tasks: this.#tasks,
      compaction: { strategy: 'mask' },
      approvalRules: await this.#rules.load(),
      approve: (request, signal) => this.#approve(request, signal),
      ...(editor.asksQuestions && { onInputRequest: this.#askInput }),
      protocol: flags.protocol,
      strategy: flags.strategy,
      maxSteps: flags.maxSteps,
      onLastIteration: onLastIterationOf(flags),
    });
  }

  /** Sends the run's events to the editor and saves the run after each step. */
  async #follow(run: Run, file: string): Promise<RunResult> {
    for await (const event of run) {
      if (savedAt.has(event.type)) await this.#save(run, file);
      for (const update of this.#updates.updatesFor(event)) await this.parts.editor.send(update);
      this.#isStreaming = event.type.endsWith('_delta');
      await this.#sendPendingNotices();
    }
    return run.result();
  }

  /** Saves the run. A failure is logged to stderr, since the run itself can continue. */
  async #save(run: Run, file: string): Promise<void> {
    await saveRun(run.save(), file).catch((error: Error) =>
      process.stderr.write(`stepwise: The run could not be saved: ${error.message}\n`),
    );
  }

  async #approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
    const { action } = request;
    const { editor, root } = this.parts;
    if (this.mode === 'accept-edits' && (await isPlainEdit(request, root))) return { type: 'allow' };
    const decision = await askPermission(request, signal, {
      editor,
      toolCallId: this.#updates.callId(action.id),
      folder: root.folder,
      hasDiff: isEdit(action.tool_name),
    });
    if (decision.type === 'always') await this.#rules.add(decision.rule).catch(() => undefined);
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
    const { tokenLimit } = llmConfigOf(this.model.choice, flags);
    return new RunUpdates({ folder: root.folder, prefix: randomId(), tokenLimit });
  }
}

/** Maps the end of a run to a stop reason. Throws `RequestError` for a failed run, which editors show as an error. */
function stopReasonOf({ stop_reason, error }: RunResult, signal: AbortSignal): StopReason {
  if (signal.aborted || stop_reason === 'stopped') return 'cancelled';
  if (stop_reason === 'step_limit') return 'max_turn_requests';
  if (stop_reason === 'error' && error)
    throw new RequestError(-32603, explainFailure(error), { code: error.code });
  return 'end_turn';
}
