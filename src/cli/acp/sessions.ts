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
import { Models, toRequestError } from './models.js';
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
  readonly replaysHistory: boolean;
  /** Fires when the editor cancels the request or disconnects. */
  readonly signal: AbortSignal;
}

/** The sessions of one editor. Invalid requests throw `RequestError`. */
export class Sessions {
  readonly #flags: RunFlags;
  readonly #secrets: readonly string[];
  readonly #models: Models;
  readonly #open = new Map<string, AcpSession>();
  /** The running load of each session id, resolved when it has ended. */
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
    return { sessionId: session.parts.id, ...(await this.#openedResponse(session)) };
  }

  /**
   * Continues a saved session. With `replaysHistory`, first sends the conversation so far to the editor. Loads of the
   * same session run one after the other, and each closes the session that the one before opened.
   */
  async load(request: Loading, client: AgentContext, options: LoadOptions): Promise<LoadSessionResponse> {
    const { sessionId } = request;
    const before = this.#loading.get(sessionId) ?? Promise.resolve();
    const loading = before.then(() => this.#load(request, client, options));
    const settled = loading.then(ignore, ignore);
    this.#loading.set(sessionId, settled);
    void settled.then(() => this.#loading.get(sessionId) === settled && this.#loading.delete(sessionId));
    return loading;
  }

  async #load(
    { sessionId, cwd, mcpServers = [] }: Loading,
    client: AgentContext,
    { replaysHistory, signal }: LoadOptions,
  ): Promise<LoadSessionResponse> {
    const { folder } = await openRoot(cwd);
    if (!(await findSavedSession(folder, sessionId))) throw RequestError.sessionNotFound(sessionId);
    await this.#endIfOpen(sessionId);
    // Read again after closing, since closing saves the end of a running prompt.
    const saved = await findSavedSession(folder, sessionId);
    const session = await this.#start({ id: sessionId, cwd, mcpServers, client });
    if (saved) session.resume(saved);
    const updates = saved && replaysHistory ? replayHistory(saved, folder) : [];
    const endIfCancelled = async (): Promise<void> => {
      if (signal.aborted) await this.#endIfOpen(sessionId);
      signal.throwIfAborted();
    };
    for (const update of updates) {
      await endIfCancelled();
      await session.parts.editor.send(update);
    }
    await endIfCancelled();
    return this.#openedResponse(session);
  }

  /** Lists the saved sessions of `cwd`; by default of all folders that this process uses. */
  async list(cwd: string | null | undefined): Promise<ListSessionsResponse> {
    // A folder may have been deleted, but its saved sessions can still be listed.
    const knownFolders = [
      await realpath(this.#flags.dir).catch(() => resolve(this.#flags.dir)),
      ...[...this.#open.values()].map(({ parts }) => parts.root.folder),
    ];
    const folders = cwd ? [(await openRoot(cwd)).folder] : knownFolders;
    const sessions: SessionInfo[] = [];
    for (const folder of new Set(folders))
      for await (const { info } of savedSessions(folder)) sessions.push(info);
    return { sessions };
  }

  async prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    return { stopReason: await this.#session(sessionId).prompt(prompt, signal) };
  }

  /** Cancels a prompt. An unknown session is no error, since it may have just ended. */
  cancel(sessionId: string): void {
    this.#open.get(sessionId)?.cancel();
  }

  setMode(sessionId: string, modeId: string): void {
    const session = this.#session(sessionId);
    const mode = toModeId(modeId);
    if (!mode) throw RequestError.invalidParams({ modeId }, `Unknown mode: ${modeId}.`);
    session.mode = mode;
  }

  async setModel(sessionId: string, configId: string, value: unknown) {
    const session = this.#session(sessionId);
    if (configId !== Models.optionId)
      throw RequestError.invalidParams({ configId }, `Unknown option: ${configId}.`);
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

  /** Closes all sessions after the editor has disconnected. */
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
    const session = await new AcpSession(parts, model).open().catch(toRequestError);
    // The editor may disconnect while its session opens.
    if (this.#isClosed) await session.close();
    this.#open.set(id, session);
    return session;
  }

  /**
   * Returns the response for an opened session. The response is written within this turn of the event loop, so the
   * notices that `setImmediate` sends follow it.
   */
  async #openedResponse(session: AcpSession) {
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

/** Opens the folder of a session. Throws `RequestError` if it does not exist. */
async function openRoot(cwd: string): Promise<ProjectRoot> {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path.');
  try {
    return await ProjectRoot.open(cwd);
  } catch {
    throw RequestError.invalidParams({ cwd }, `The folder ${cwd} does not exist.`);
  }
}
