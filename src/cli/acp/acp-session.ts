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
import { tasksFor } from '../../sdk/run/take-up-history.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { isEdit, isPlainEdit } from '../approval/accepted-edits.js';
import { ApprovalRules } from '../approval/approval-rules.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { explainFailure } from '../screen/explain-failure.js';
import { showExactLine } from '../screen/shown-text.js';
import type { ModelChoice } from '../session/choose-model.js';
import { historyAfter, llmConfigOf, savedAt } from '../session/session.js';
import { newRunFile, saveRun } from '../state/saved-runs.js';
import { askPermission } from './editor/ask-permission.js';
import type { Editor } from './editor/editor.js';
import { EditorFolder } from './editor/editor-folder.js';
import type { ModeId } from './modes.js';
import { readPrompt } from './read-prompt.js';
import { SessionServers } from './session-servers.js';
import { openSessionTools } from './session-tools.js';
import { RunUpdates, say } from './updates/run-updates.js';
import { diffContent } from './updates/tool-words.js';

export interface AcpSessionParts {
  readonly id: string;
  readonly root: ProjectRoot;
  readonly editor: Editor;
  readonly flags: RunFlags;
  /** Names of the variables in which keys were. */
  readonly secrets: readonly string[];
  /** What the project tells agents. */
  readonly instructions: string | undefined;
  /** MCP servers that the editor hands over. */
  readonly mcpServers: readonly McpServer[];
  /** Told the person with the first prompt, such as that no language model is called. */
  readonly notices: readonly string[];
}

/** The model of a session, and the client that sends its key. */
export interface SessionModel {
  readonly choice: ModelChoice;
  readonly client: StepwiseClient;
}

/** One conversation of an editor: prompts that follow each other with one history (rule: acp). */
export class AcpSession {
  readonly parts: AcpSessionParts;
  model: SessionModel;
  mode: ModeId = 'ask';
  #tools: readonly Tool[] = [];
  readonly #rules: ApprovalRules;
  readonly #servers: SessionServers;
  /** Told with the next prompt. */
  #notices: readonly string[];
  /** Told at the next moment that is fit for it. */
  #happened: readonly string[] = [];
  #isIntroduced = false;
  /** True in the midst of a sentence of the model's, which no notice is to break. */
  #isWriting = false;
  #history: readonly TurnInput[] = [];
  #tasks: readonly Task[] = [];
  #updates: RunUpdates;
  #cancel: AbortController | undefined;
  /** Resolves when nothing of the last prompt is under way any more. */
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
        this.#happened = [...this.#happened, showExactLine(notice)];
        void this.#tellHappened();
      },
    });
  }

  /** Goes on from a saved run. */
  resume(saved: Trajectory): void {
    this.#history = historyAfter(saved);
    this.#tasks = saved.tasks;
  }

  /** Opens its tools, and starts its servers. Throws `UsageError`. */
  async open(): Promise<this> {
    const { folder } = this.parts.root;
    this.#tools = await openSessionTools({
      ...this.parts,
      onChange: (callId, change) => this.#showWith(callId, diffContent(change, folder)),
      onTerminal: (callId, terminalId) => this.#showWith(callId, [{ type: 'terminal', terminalId }]),
    });
    this.#servers.start();
    return this;
  }

  /** The editor knows of the session from now on, so it can be told something of it. */
  async introduce(): Promise<void> {
    this.#isIntroduced = true;
    await this.#tellHappened();
  }

  async #tellHappened(): Promise<void> {
    if (!this.#isIntroduced || this.#isWriting) return;
    const happened = this.#happened;
    this.#happened = [];
    for (const notice of happened) await this.parts.editor.tell(say('answer', `\n\n${notice}\n\n`));
  }

  /** Ends what is under way, in whatever phase; the prompt resolves to `cancelled`. */
  cancel(): void {
    this.#cancel?.abort();
  }

  /** Ends what is under way and resolves when it has ended: commands are gone, the run is saved. */
  async close(): Promise<void> {
    this.cancel();
    await Promise.all([this.#ended, this.#servers.close()]);
  }

  /** Runs a prompt to its end. Throws `RequestError` where it cannot be run, or the run failed. */
  async prompt(blocks: readonly ContentBlock[], requestSignal: AbortSignal): Promise<StopReason> {
    if (this.#cancel)
      throw RequestError.invalidRequest({}, 'A prompt of this session is under way: cancel it first.');
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
    for (const notice of [...this.#notices, ...remarks]) await editor.tell(say('answer', `${notice}\n\n`));
    this.#notices = [];
    const run = await this.#begin(task, { context, signal });
    const result = await this.#follow(run, newRunFile(root.folder, task));
    this.resume(run.save());
    return stopReasonOf(result, signal);
  }

  async #begin(task: string, options: { context: RunContext; signal: AbortSignal }): Promise<Run> {
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
      tasks: tasksFor(task, { history: this.#history, tasks: this.#tasks }),
      compaction: { strategy: 'mask' },
      approvalRules: await this.#rules.load(),
      approve: (request, signal) => this.#approve(request, signal),
      ...(editor.asksQuestions && { onInputRequest: this.#askInput }),
      protocol: flags.protocol,
      strategy: flags.strategy,
      maxSteps: flags.maxSteps,
    });
  }

  /** Tells the editor what happens, and writes the run down as it goes. */
  async #follow(run: Run, file: string): Promise<RunResult> {
    for await (const event of run) {
      if (savedAt.has(event.type)) await this.#save(run, file);
      for (const update of this.#updates.of(event)) await this.parts.editor.tell(update);
      this.#isWriting = event.type.endsWith('_delta');
      await this.#tellHappened();
    }
    return run.result();
  }

  /** An editor shows no more than that it could not be saved; the run goes on. */
  async #save(run: Run, file: string): Promise<void> {
    await saveRun(run.save(), file).catch((error: Error) =>
      process.stderr.write(`stepwise: The run is not saved: ${error.message}\n`),
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
      isShown: isEdit(action.tool_name),
    });
    if (decision.type === 'always') await this.#rules.add(decision.rule).catch(() => undefined);
    return decision;
  }

  readonly #askInput = async (request: InputRequest, signal: AbortSignal): Promise<string> => {
    const answer = await this.parts.editor.askInput(request, signal);
    if (answer !== undefined) return answer;
    this.cancel();
    throw new Error('There is no answer.');
  };

  async #showWith(callId: string, content: Parameters<RunUpdates['showWith']>[1]): Promise<void> {
    await this.parts.editor.tell(this.#updates.showWith(callId, content));
  }

  #newUpdates(): RunUpdates {
    const { root, flags } = this.parts;
    const { tokenLimit } = llmConfigOf(this.model.choice, flags);
    return new RunUpdates({ folder: root.folder, prefix: randomId(), tokenLimit });
  }
}

/** Throws `RequestError` for a run that failed: editors show that as what it is. */
function stopReasonOf({ stop_reason, error }: RunResult, signal: AbortSignal): StopReason {
  if (signal.aborted || stop_reason === 'stopped') return 'cancelled';
  if (stop_reason === 'step_limit') return 'max_turn_requests';
  if (stop_reason === 'error' && error)
    throw new RequestError(-32603, explainFailure(error), { code: error.code });
  return 'end_turn';
}
