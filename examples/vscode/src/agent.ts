import { StepwiseClient, type Tool } from 'stepwise';
import { createFileReaders, createFileWriters, type Folder, StoredFolder } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import { Approvals, type ApprovalView } from './approvals/approvals.js';
import { askInEditor, notifyOfQuestion } from './approvals/ask-in-editor.js';
import type { ChangeDocuments } from './approvals/change-documents.js';
import { inMessage } from './approvals/in-message.js';
import { gatherContext } from './context/gather-context.js';
import { OfferedFiles } from './context/offered-files.js';
import { suggestPaths } from './context/suggest-paths.js';
import { KeptDraft } from './keeping/kept-draft.js';
import { KeptRun } from './keeping/kept-run.js';
import type { Platform } from './platform.js';
import { Conversation, type RunParts } from './run/conversation.js';
import { exportRun } from './run/export-run.js';
import { renderCurl } from './run/render-curl.js';
import { checking, reachService, type ServiceView } from './service/reach-service.js';
import type { Secrets } from './service/secrets.js';
import { readSettings } from './service/settings.js';
import type { ViewRequest, ViewState } from './view/messages.js';
import { RunViewProvider } from './view/run-view-provider.js';
import { StatusItem } from './view/status-item.js';
import { openFile } from './workspace/open-file.js';
import { WorkspaceRoots } from './workspace/workspace-roots.js';
import { workspaceStore } from './workspace/workspace-store.js';

interface AgentParts {
  readonly context: vscode.ExtensionContext;
  readonly platform: Platform;
  readonly secrets: Secrets;
  readonly documents: ChangeDocuments;
}

/** Connects the conversation with the view, the editor and the settings; one per window. */
export class Agent implements vscode.Disposable {
  readonly approvals: Approvals;
  readonly viewProvider: RunViewProvider;
  readonly #parts: AgentParts;
  readonly #conversation: Conversation;
  readonly #offered: OfferedFiles;
  readonly #kept: KeptRun;
  readonly #draft: KeptDraft;
  readonly #status = new StatusItem();
  readonly #listener: vscode.Disposable;
  #isDisposed = false;
  #service: ServiceView = checking;
  /** The newest check of the service. */
  #check: Promise<ServiceView> | undefined;
  #refusals: readonly string[] = [];

  constructor(parts: AgentParts) {
    const refresh = () => this.#refresh();
    this.#parts = parts;
    this.#kept = new KeptRun(parts.context);
    this.#draft = new KeptDraft(parts.context);
    this.approvals = new Approvals({
      documents: parts.documents,
      onChange: refresh,
      onAsk: (view) => this.#isVisible || this.#askInEditor(view, readSettings().askIn === 'dialog'),
    });
    this.#conversation = new Conversation({
      approvals: this.approvals,
      onChange: refresh,
      onQuestion: (question) => this.#isVisible || notifyOfQuestion(question),
      // After disposal nothing is saved: a run that ends with the window stays stored as interrupted, since the person
      // did not stop it.
      onSaved: async (saved) => {
        if (!this.#isDisposed) await this.#kept.write(saved);
      },
    });
    this.#offered = new OfferedFiles({
      openRoots: () => this.#openRoots(),
      includesOpenEditors: () => readSettings().includesOpenEditors,
      onChange: refresh,
    });
    this.viewProvider = new RunViewProvider({
      extensionUri: parts.context.extensionUri,
      state: () => this.#state,
      onRequest: (request) => void this.#take(request),
      onHidden: () => this.#notifyOfPending(),
    });
    this.#listener = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('stepwise')) void this.checkService();
    });
  }

  /** Restores the run from before a reload; discards a run that cannot be replayed. */
  async begin(): Promise<void> {
    await this.#draft.restore();
    const kept = await this.#kept.read();
    if (!kept) return;
    await this.#conversation.restore(kept.saved, kept.isRunning).catch(() => this.#conversation.clear());
  }

  /** Starts a task; prompts for one if none is given. */
  async ask(given: unknown): Promise<void> {
    const task = typeof given === 'string' ? given : await vscode.window.showInputBox({ prompt: 'The task' });
    if (!task?.trim()) return;
    if (this.#conversation.isRunning) {
      vscode.window.showInformationMessage(
        'Stepwise: a task is under way. Stop it first, or wait for its end.',
      );
      return;
    }
    await this.#conversation.start(task.trim(), (signal) => this.#prepare(task, signal));
    await this.#lookAfterFailure();
  }

  stop(): void {
    this.#conversation.stop();
  }

  newTask(): void {
    this.#conversation.clear();
    this.#offered.reset();
    this.#refusals = [];
    this.#refresh();
  }

  async resume(): Promise<void> {
    await this.#conversation.resume((signal) => this.#prepare('', signal));
  }

  /** Tags the files or folders selected in the explorer, by default the file in the active editor. */
  async tag(given: unknown, selected: unknown): Promise<void> {
    const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
    const all: readonly unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [uri];
    for (const each of all) {
      const refusal = each instanceof vscode.Uri ? await this.#offered.tag(each) : undefined;
      if (refusal !== undefined) vscode.window.showWarningMessage(`Stepwise: ${inMessage(refusal)}`);
    }
    this.#refresh();
  }

  async rejectChange(): Promise<void> {
    const id = this.approvals.view?.id;
    const reason = await vscode.window.showInputBox({ prompt: 'Reason for the model (optional)' });
    if (id !== undefined && reason !== undefined) this.approvals.answer(id, { choice: 'reject', reason });
  }

  async checkService(): Promise<void> {
    this.#service = checking;
    this.#refresh();
    const { platform, secrets } = this.#parts;
    const check = reachService(readSettings(), secrets, platform.startService !== undefined);
    this.#check = check;
    const service = await check;
    if (this.#check !== check) return; // a newer check decides
    this.#service = service;
    this.#refresh();
  }

  startService(): void {
    this.#parts.platform.startService?.();
  }

  async exportRun(): Promise<void> {
    await exportRun(this.#conversation.saved);
  }

  async copyAsCurl(): Promise<void> {
    const request = this.#conversation.lastRequest;
    if (request) await vscode.env.clipboard.writeText(renderCurl(readSettings().serviceUrl, request));
    vscode.window.showInformationMessage(
      request
        ? 'Stepwise: the request is copied; it reads the key from STEPWISE_LLM_KEY.'
        : 'Stepwise: there was no request yet.',
    );
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#conversation.stop();
    this.#offered.dispose();
    this.#status.dispose();
    this.#listener.dispose();
  }

  get #state(): ViewState {
    const { view: run, question } = this.#conversation;
    return {
      service: this.#service,
      model: readSettings().llmConfig.modelName,
      offered: this.#offered.list(),
      refusals: this.#refusals,
      run,
      draft: this.#draft.text,
      approval: this.approvals.view,
      question,
    };
  }

  #refresh(): void {
    this.viewProvider.refresh();
    this.#status.show(this.#conversation.view);
  }

  /**
   * Checks the connection if the run could not reach the service: in a browser, only a separate request reveals the
   * cause.
   */
  async #lookAfterFailure(): Promise<void> {
    if (this.#conversation.view.end?.remedy?.command === 'stepwise.checkService') await this.checkService();
  }

  async #prepare(task: string, signal: AbortSignal): Promise<RunParts> {
    const { serviceUrl, llmConfig, maxSteps, protocol } = readSettings();
    const roots = this.#openRoots();
    const folder = new StoredFolder(workspaceStore(roots));
    const { context, attachments, refusals } = await gatherContext(folder, {
      offered: this.#offered.list(),
      task,
      signal,
    });
    this.#refusals = [...roots.refusals, ...refusals];
    this.#offered.reset();
    const client = new StepwiseClient({ baseUrl: serviceUrl, ...(await this.#parts.secrets.read()) });
    return {
      client,
      context,
      attachments,
      tools: await this.#tools(roots, folder),
      options: { llmConfig, maxSteps, protocol },
    };
  }

  /** Returns the tools of a run. In an untrusted workspace the model gets read-only tools. */
  async #tools(roots: WorkspaceRoots, folder: Folder): Promise<readonly Tool[]> {
    const { matchLines, commandTools } = this.#parts.platform;
    if (roots.isEmpty) return [];
    const readers = createFileReaders(folder, { matchLines });
    if (!vscode.workspace.isTrusted) return readers;
    const writers = createFileWriters(folder, this.approvals.noteChange);
    return [...readers, ...writers, ...(await commandTools(roots.uris))];
  }

  /** Returns the workspace folders as they are open now. */
  #openRoots(): WorkspaceRoots {
    return new WorkspaceRoots(this.#parts.platform.realPath);
  }

  /** True if the view shows approvals and questions to the person, so that no notification is needed. */
  get #isVisible(): boolean {
    return readSettings().askIn === 'view' && this.viewProvider.isVisible;
  }

  /** Notifies the person of a pending approval or question after the view was hidden. */
  async #notifyOfPending(): Promise<void> {
    const { question } = this.#conversation;
    if (this.approvals.view) await this.#askInEditor(this.approvals.view, false);
    else if (question) await notifyOfQuestion(question.question);
  }

  async #askInEditor(view: ApprovalView, isModal: boolean): Promise<void> {
    const answer = await askInEditor(view, isModal);
    if (answer === 'Accept') this.approvals.answer(view.id, { choice: 'accept' });
    if (answer === 'Reject') this.approvals.answer(view.id, { choice: 'reject', reason: '' });
    if (answer === 'Show') await vscode.commands.executeCommand('stepwise.show');
  }

  readonly #answers: { readonly [Type in ViewRequest['type']]: (request: RequestOf<Type>) => unknown } = {
    ready: () => this.checkService(),
    start: ({ task }) => this.ask(task),
    draft: ({ text }) => this.#draft.change(text),
    stop: () => this.stop(),
    newTask: () => this.newTask(),
    resume: () => this.resume(),
    answer: ({ callId, text }) => this.#conversation.answer(callId, text),
    decide: ({ id, answer }) => this.approvals.answer(id, answer),
    showChange: () => this.approvals.showChange(),
    remove: ({ id }) => {
      this.#offered.remove(id);
      this.#refresh();
    },
    openFile: ({ path }) => openFile(this.#openRoots(), path),
    suggest: async ({ query }) =>
      this.viewProvider.post({
        type: 'suggestions',
        query,
        paths: await suggestPaths(this.#openRoots(), query),
      }),
    // The page may run only this extension's own commands, which the person could run as well.
    command: ({ command }) => command.startsWith('stepwise.') && vscode.commands.executeCommand(command),
  };

  /** Carries out a request of the view. Shows a failure to the person. */
  async #take(request: ViewRequest): Promise<void> {
    // The table maps each request type to a function that takes requests of that type.
    const answer = this.#answers[request.type] as (request: ViewRequest) => unknown;
    try {
      await answer(request);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      vscode.window.showErrorMessage(`Stepwise: ${inMessage(reason)}`);
    }
  }
}

/** Member of the union `ViewRequest` that has this type. One member may cover several types. */
type RequestOf<Type, Request = ViewRequest> = Request extends { readonly type: infer Own }
  ? Type extends Own
    ? Request
    : never
  : never;
