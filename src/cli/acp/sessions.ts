import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import {
  type AgentContext,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type LoadSessionResponse,
  type McpServer,
  type NewSessionRequest,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionInfo,
} from '@agentclientprotocol/sdk';
import { randomId } from '../../sdk/base/random-id.js';
import { version } from '../../service/version.js';
import { ProjectRoot } from '../../tools/project-root.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { readProjectInstructions } from '../context/project-instructions.js';
import { offlineModel, offlineNotice } from '../session/choose-model.js';
import { DEFAULT_TOKEN_LIMIT } from '../session/session.js';
import { AcpSession } from './acp-session.js';
import { Editor } from './editor/editor.js';
import { inItsWords, Models } from './models.js';
import { modeState, toModeId } from './modes.js';
import { findSavedSession, savedSessions } from './saved-sessions.js';
import { replayHistory } from './updates/replay-history.js';

interface Opening {
  readonly id: string;
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
  readonly client: AgentContext;
}

type Loading = Pick<LoadSessionRequest, 'sessionId' | 'cwd'> & { readonly mcpServers?: McpServer[] };

interface LoadOptions {
  readonly isTold: boolean;
  /** Fires when the editor does not want it any more, or has gone. */
  readonly signal: AbortSignal;
}

/** The sessions of one editor: opened, found, ended. What it asks wrongly is a `RequestError`. */
export class Sessions {
  readonly #flags: RunFlags;
  readonly #secrets: readonly string[];
  readonly #models: Models;
  readonly #open = new Map<string, AcpSession>();
  /** By the id of a session that is being loaded: resolves when its last load is over. */
  readonly #loading = new Map<string, Promise<void>>();
  #isClosed = false;
  #offers: ClientCapabilities = {};

  constructor(flags: RunFlags, keys: NodeJS.ProcessEnv) {
    this.#flags = flags;
    this.#secrets = Object.keys(keys);
    this.#models = new Models(flags, keys);
  }

  initialize({ clientCapabilities = {} }: InitializeRequest): InitializeResponse {
    this.#offers = clientCapabilities;
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'stepwise', title: 'Stepwise', version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  async create({ cwd, mcpServers }: NewSessionRequest, client: AgentContext): Promise<NewSessionResponse> {
    const session = await this.#start({ id: randomId(), cwd, mcpServers, client });
    return { sessionId: session.parts.id, ...(await this.#opened(session)) };
  }

  /**
   * Goes on from a saved session; with `isTold` the editor is told first what was said in it. Loads of one session follow
   * each other, and each ends what the one before has opened.
   */
  async load(request: Loading, client: AgentContext, how: LoadOptions): Promise<LoadSessionResponse> {
    const { sessionId } = request;
    const before = this.#loading.get(sessionId) ?? Promise.resolve();
    const loading = before.then(() => this.#load(request, client, how));
    const over = loading.then(ignore, ignore);
    this.#loading.set(sessionId, over);
    void over.then(() => this.#loading.get(sessionId) === over && this.#loading.delete(sessionId));
    return loading;
  }

  async #load(
    { sessionId, cwd, mcpServers = [] }: Loading,
    client: AgentContext,
    { isTold, signal }: LoadOptions,
  ): Promise<LoadSessionResponse> {
    const { folder } = await openRoot(cwd);
    if (!(await findSavedSession(folder, sessionId))) throw RequestError.sessionNotFound(sessionId);
    await this.#endIfOpen(sessionId);
    // Read once nothing is under way any more: its end is saved too.
    const saved = await findSavedSession(folder, sessionId);
    const session = await this.#start({ id: sessionId, cwd, mcpServers, client });
    if (saved) session.resume(saved);
    const updates = saved && isTold ? replayHistory(saved, folder) : [];
    const endIfCancelled = async (): Promise<void> => {
      if (signal.aborted) await this.#endIfOpen(sessionId);
      signal.throwIfAborted();
    };
    for (const update of updates) {
      await endIfCancelled();
      await session.parts.editor.tell(update);
    }
    await endIfCancelled();
    return this.#opened(session);
  }

  /** Those over `cwd`, else over the folders that this process knows. */
  async list(cwd: string | null | undefined): Promise<ListSessionsResponse> {
    // One may be gone by now: what was saved of it is there all the same.
    const known = [
      await realpath(this.#flags.dir).catch(() => resolve(this.#flags.dir)),
      ...[...this.#open.values()].map(({ parts }) => parts.root.folder),
    ];
    const folders = cwd ? [(await openRoot(cwd)).folder] : known;
    const sessions: SessionInfo[] = [];
    for (const folder of new Set(folders))
      for await (const { info } of savedSessions(folder)) sessions.push(info);
    return { sessions };
  }

  async prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    return { stopReason: await this.#session(sessionId).prompt(prompt, signal) };
  }

  /** A cancellation may cross the end of its prompt, or of its session. */
  cancel(sessionId: string): void {
    this.#open.get(sessionId)?.cancel();
  }

  setMode(sessionId: string, modeId: string): void {
    const session = this.#session(sessionId);
    const mode = toModeId(modeId);
    if (!mode) throw RequestError.invalidParams({ modeId }, `There is no mode ${modeId}.`);
    session.mode = mode;
  }

  async setModel(sessionId: string, configId: string, value: unknown) {
    const session = this.#session(sessionId);
    if (configId !== Models.optionId)
      throw RequestError.invalidParams({ configId }, `There is no option ${configId}.`);
    session.model = await this.#models.open(String(value));
    return { configOptions: await this.#models.options(session.model.choice) };
  }

  async end(sessionId: string): Promise<void> {
    this.#session(sessionId);
    await this.#endIfOpen(sessionId);
  }

  async #endIfOpen(sessionId: string): Promise<void> {
    const session = this.#open.get(sessionId);
    this.#open.delete(sessionId);
    await session?.close();
  }

  /** Ends everything: the editor has gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.values()].map((session) => session.close()));
    await this.#models.close();
  }

  async #start({ id, cwd, mcpServers, client }: Opening): Promise<AcpSession> {
    const root = await openRoot(cwd);
    if (this.#isClosed) throw RequestError.requestCancelled();
    const model = await this.#models.open();
    const project = await readProjectInstructions(root, this.#flags.tokenLimit ?? DEFAULT_TOKEN_LIMIT);
    const notices = [
      ...(model.choice === offlineModel ? [offlineNotice] : []),
      ...(project ? [project.notice] : []),
    ];
    const editor = new Editor(client, id, this.#offers);
    const parts = {
      id,
      root,
      editor,
      flags: this.#flags,
      secrets: this.#secrets,
      instructions: project?.text,
      mcpServers,
      notices,
    };
    const session = await new AcpSession(parts, model).open().catch(inItsWords);
    // The editor went while its session was opened: nothing of it stays.
    if (this.#isClosed) await session.close();
    this.#open.set(id, session);
    return session;
  }

  /** What the editor is answered; it knows of the session once that is written, which it is within this turn. */
  async #opened(session: AcpSession) {
    const state = await this.#state(session);
    setImmediate(() => void session.introduce());
    return state;
  }

  async #state({ mode, model }: AcpSession) {
    return { modes: modeState(mode), configOptions: await this.#models.options(model.choice) };
  }

  #session(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  }
}

const ignore = () => undefined;

/** Throws `RequestError` for what is no folder of this machine. */
async function openRoot(cwd: string): Promise<ProjectRoot> {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path.');
  try {
    return await ProjectRoot.open(cwd);
  } catch {
    throw RequestError.invalidParams({ cwd }, `There is no folder ${cwd}.`);
  }
}
