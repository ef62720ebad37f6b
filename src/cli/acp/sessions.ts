import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import {
  type AgentContext,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type ListSessionsRequest,
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
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk';
import { randomId } from '../../sdk/base/random-id.js';
import type { JsonSchema } from '../../sdk/base/standard-schema.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import { version } from '../../service/version.js';
import { ProjectRoot } from '../../tools/project-root.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { readProjectInstructions } from '../context/project-instructions.js';
import { showExactLine } from '../screen/visible-text.js';
import { offlineModel, offlineNotice } from '../session/choose-model.js';
import { DEFAULT_TOKEN_LIMIT } from '../session/session.js';
import { AcpSession, type OpeningSettings } from './acp-session.js';
import { Editor } from './editor/editor.js';
import { type KeptSettings, readKeptSettings } from './kept-settings.js';
import { MODEL_OPTION, Models, nameOf } from './models.js';
import { MODE_OPTION, type ModeId, modeState, toModeId } from './modes.js';
import { invalidParams, sessionNotFound, toRequestError } from './request-errors.js';
import { findSavedSession, savedSessions } from './saved-sessions.js';
import { replayHistory } from './updates/replay-history.js';

interface Opening {
  readonly id: string;
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
  readonly client: AgentContext;
  /** Settings to restore, if the session continues an earlier one. */
  readonly settings?: KeptSettings | undefined;
}

type Loading = Pick<LoadSessionRequest, 'sessionId' | 'cwd' | 'additionalDirectories'> & {
  readonly mcpServers?: McpServer[];
};

interface LoadOptions {
  readonly replaysHistory: boolean;
  /** Fires when the editor cancels the request or disconnects. */
  readonly signal: AbortSignal;
}

/** The sessions of one editor. Invalid requests throw `RequestError`. */
export class Sessions {
  readonly #flags: RunFlags;
  readonly #answerSchema: JsonSchema | undefined;
  readonly #secrets: readonly string[];
  readonly #models: Models;
  readonly #open = new Map<string, AcpSession>();
  /** The newest load of each session, by session id. Resolves when the load has ended. */
  readonly #loading = new Map<string, Promise<void>>();
  #isClosed = false;
  #offers: ClientCapabilities = {};

  constructor(flags: RunFlags, keys: NodeJS.ProcessEnv, answerSchema?: JsonSchema) {
    this.#flags = flags;
    this.#answerSchema = answerSchema;
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
        promptCapabilities: { embeddedContext: true, image: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  async create(
    { cwd, mcpServers, additionalDirectories }: NewSessionRequest,
    client: AgentContext,
  ): Promise<NewSessionResponse> {
    refuseMoreFolders(additionalDirectories);
    const session = await this.#start({ id: randomId(), cwd, mcpServers, client });
    return { sessionId: session.parts.id, ...(await this.#openedResponse(session)) };
  }

  /**
   * Continues a saved session. With `replaysHistory`, first sends the conversation so far to the editor. Loads of the
   * same session run one after the other, and each closes the session that the one before opened.
   */
  async load(request: Loading, client: AgentContext, options: LoadOptions): Promise<LoadSessionResponse> {
    const { sessionId } = request;
    refuseMoreFolders(request.additionalDirectories);
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
    const isOpen = this.#open.get(sessionId)?.parts.root.folder === folder;
    if (!isOpen && !(await findSavedSession(folder, sessionId)))
      throw sessionNotFound(
        sessionId,
        'No session with this id is saved for this folder. A session is saved when its first prompt starts.',
      );
    await this.#endIfOpen(sessionId);
    // Finds the saved session again, because closing the open session has saved the end of its running prompt.
    const saved = await findSavedSession(folder, sessionId);
    const settings = await settingsOf({ folder, id: sessionId }, saved);
    const session = await this.#start({ id: sessionId, cwd, mcpServers, client, settings });
    if (saved) session.resume(saved);
    const updates = saved && replaysHistory ? replayHistory(saved, folder) : [];
    const endIfCancelled = async (): Promise<void> => {
      if (signal.aborted) await this.#endIfOpen(sessionId);
      signal.throwIfAborted();
    };
    for (const update of updates) {
      await endIfCancelled();
      session.parts.editor.endMessage(); // each update has a whole message
      await session.parts.editor.send(update);
    }
    await endIfCancelled();
    return this.#openedResponse(session);
  }

  /** Lists the saved sessions of `cwd`; by default of all folders that this process uses. All are on one page. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    if (cursor) throw invalidParams('Unknown cursor: all sessions are on one page.', { cursor });
    const openFolders = [...this.#open.values()].map(({ parts }) => parts.root.folder);
    const folders =
      typeof cwd === 'string'
        ? [await realFolder(absolute(cwd))]
        : [await realFolder(this.#flags.dir), ...openFolders];
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

  async setMode(sessionId: string, modeId: string): Promise<void> {
    await this.#session(sessionId).setMode(checkedMode(modeId));
  }

  /** Changes a setting. Returns all settings. */
  async setOption(request: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse> {
    const { sessionId, configId, value } = request;
    const session = this.#session(sessionId);
    if (typeof value !== 'string')
      throw invalidParams(`The value of ${showExactLine(configId)} must be a text.`, { value });
    if (configId === MODE_OPTION) await session.setMode(checkedMode(value));
    else if (configId === MODEL_OPTION) await session.setModel(value);
    else throw invalidParams(`Unknown option: ${showExactLine(configId)}.`, { configId });
    return { configOptions: await session.options() };
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

  async #start({ id, cwd, mcpServers, client, settings }: Opening): Promise<AcpSession> {
    const root = await openRoot(cwd);
    if (this.#isClosed) throw RequestError.requestCancelled();
    const { notices: changes, ...opening } = await this.#openSettings(settings);
    const isUnchosenOffline =
      this.#flags.model === undefined && opening.model.choice.name === offlineModel.name;
    const project = await readProjectInstructions(root, this.#flags.tokenLimit ?? DEFAULT_TOKEN_LIMIT);
    const notices = [
      ...changes,
      ...(isUnchosenOffline ? [offlineNotice] : []),
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
      answerSchema: this.#answerSchema,
      mcpServers,
      notices,
      models: this.#models,
    };
    const session = await new AcpSession(parts, opening).open().catch(toRequestError);
    // The editor may disconnect while its session opens.
    if (this.#isClosed) await session.close();
    this.#open.set(id, session);
    return session;
  }

  /**
   * Opens the model of an earlier session. If that is no longer possible, opens the default model and adds a
   * notice.
   */
  async #openSettings(
    settings: KeptSettings | undefined,
  ): Promise<OpeningSettings & { readonly notices: readonly string[] }> {
    const { mode = 'ask', model: choice } = settings ?? {};
    try {
      return { mode, model: await this.#models.open(choice), notices: [] };
    } catch (error) {
      if (!choice || !(error instanceof RequestError)) throw error;
      const model = await this.#models.open();
      const [before, now] = [choice, model.choice].map(nameOf).map(showExactLine);
      return { mode, model, notices: [`This session used ${before}: ${error.message} It now uses ${now}.`] };
    }
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

  async #state(session: AcpSession) {
    const configOptions = await session.options();
    return { modes: modeState(session.mode), configOptions };
  }

  #session(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (!session) throw sessionNotFound(sessionId, 'This session is not open. Load it, or open a new one.');
    return session;
  }
}

const ignore = () => undefined;

function checkedMode(modeId: string): ModeId {
  const mode = toModeId(modeId);
  if (!mode) throw invalidParams(`Unknown mode: ${showExactLine(modeId)}.`, { modeId });
  return mode;
}

/** Returns the settings to restore: those stored by an editor, else the model of the saved run. */
async function settingsOf(
  session: { readonly folder: string; readonly id: string },
  saved: Trajectory | undefined,
): Promise<KeptSettings | undefined> {
  const kept = await readKeptSettings(session);
  if (kept || !saved) return kept;
  const { modelName, provider } = saved.options.llmConfig;
  return { mode: 'ask', model: { name: modelName, upstream: provider ?? undefined } };
}

/** Throws `RequestError` if a session asks for more folders than `cwd`, since the tools cannot read them. */
function refuseMoreFolders(folders: readonly string[] | undefined): void {
  if (!folders?.length) return;
  throw invalidParams(
    'Stepwise works in one folder: additionalDirectories are unsupported. Open another session for another folder.',
    { additionalDirectories: folders },
  );
}

/** Returns the real path of a folder, or the path itself if it was deleted, since its sessions can still be listed. */
const realFolder = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

function absolute(cwd: string): string {
  if (!isAbsolute(cwd)) throw invalidParams('cwd must be an absolute path.', { cwd });
  return cwd;
}

/** Opens the folder of a session. Throws `RequestError` if it does not exist. */
async function openRoot(cwd: string): Promise<ProjectRoot> {
  absolute(cwd);
  try {
    return await ProjectRoot.open(cwd);
  } catch {
    throw invalidParams(`The folder ${cwd} does not exist.`, { cwd });
  }
}
