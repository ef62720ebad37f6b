import { isServiceToken } from '../../sdk/client/stepwise-client.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import type { Service } from '../../service/start.js';
import { ProjectRoot } from '../../tools/project-root.js';
import { AcceptedEdits } from '../approval/accepted-edits.js';
import { ApprovalRules } from '../approval/approval-rules.js';
import { ASK_WHICH } from '../commands/declared-options.js';
import { NO_TASK, type RunFlags } from '../commands/read-arguments.js';
import { UsageError } from '../commands/usage.js';
import { readProjectInstructions } from '../context/project-instructions.js';
import { type McpSession, openMcp } from '../mcp/open-mcp.js';
import type { Screen } from '../screen/screen.js';
import type { Terminal } from '../screen/terminal.js';
import { showTextLine } from '../screen/visible-text.js';
import { findSavedRun, newestSavedRun } from '../state/saved-runs.js';
import { ChangedFiles } from './changed-files.js';
import { findKey, type ModelChoice, offlineModel, offlineNotice } from './choose-model.js';
import { chooseSavedRun } from './choose-saved-run.js';
import { hideKey } from './model-key.js';
import { connectTo } from './network.js';
import { offerOllama } from './ollama.js';
import { folderAt, openTools } from './open-tools.js';
import { readAnswerSchema } from './read-answer-schema.js';
import { DEFAULT_TOKEN_LIMIT, Session, type SessionParts } from './session.js';

export const TOKEN_VARIABLE = 'STEPWISE_TOKEN';

export interface View {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly flags: RunFlags;
  /** Model keys that were in the environment, by variable. */
  readonly keys: NodeJS.ProcessEnv;
}

export interface OpenSession {
  readonly session: Session;
  /** Changes the model, and asks for a key if it needs one. Throws `UsageError`. */
  switchModel(choice: ModelChoice): Promise<void>;
  close(): Promise<void>;
}

/** Opens the tools, the service and the model that the command line names. Throws `UsageError`. */
export async function openSession(
  view: View,
  { interactive, piped }: { interactive: boolean; piped?: string | undefined },
): Promise<OpenSession> {
  const { flags, screen } = view;
  if (interactive && !view.terminal.isInteractive) throw new UsageError(NO_TASK);
  const answerSchema = await readAnswerSchema(flags.answerSchema);
  const folder = await folderAt(flags.dir);
  const root = await ProjectRoot.open(folder);
  const changes = new ChangedFiles(root);
  const tools = changes.watch(await openTools(flags));
  const saved = await savedRunOf(view, folder);
  await screen.prepare({ showsTasks: !interactive });
  const choice = await chooseModel(view, saved);
  screen.introduce(choice, folder);
  if (choice === offlineModel) screen.print(offlineNotice);
  const project = await readProjectInstructions(root, flags.tokenLimit ?? DEFAULT_TOKEN_LIMIT);
  if (project) screen.print(project.notice);
  screen.begin();
  let mcp: McpSession | undefined;
  try {
    const [print, hold] = [screen.print.bind(screen), screen.hold.bind(screen)];
    mcp = await openMcp({ ...view, folder, print, hold });
    const rules = new ApprovalRules(folder);
    const edits = new AcceptedEdits({ root, display: view.terminal.display, needsApproval: !flags.yes });
    const own = { tools, mcp, changes, rules, edits, folder, root };
    const parts = { ...view, ...own, piped, answerSchema, instructions: project?.text };
    const opened = await connect(parts, choice);
    if (saved) continueFrom(opened.session, saved);
    return { ...opened, close: () => closeAll(opened, mcp) };
  } catch (error) {
    await mcp?.close();
    throw error;
  } finally {
    view.screen.hold();
  }
}

async function closeAll(opened: OpenSession, mcp: McpSession | undefined): Promise<void> {
  await Promise.all([opened.close(), mcp?.close()]);
}

/** Returns the run that `--resume` or `--continue` names. */
async function savedRunOf({ flags, terminal }: View, folder: string): Promise<Trajectory | undefined> {
  const { resume, continueNewest } = flags;
  if (resume === ASK_WHICH) return chooseSavedRun(folder, terminal);
  if (resume !== undefined) return findSavedRun(folder, resume);
  return continueNewest ? newestSavedRun(folder) : undefined;
}

function continueFrom(session: Session, saved: Trajectory): void {
  session.resume(saved);
  session.parts.screen.print(`Continuing: ${showTextLine(saved.task)}`);
}

/** Connects to the service of `--server`, or starts one that ends with the session. */
async function connect(
  parts: View & Omit<SessionParts, 'url' | 'token'>,
  choice: ModelChoice,
): Promise<OpenSession> {
  const { server, token: given } = parts.flags;
  const local = server ? undefined : await startService();
  const service = {
    url: server ?? local?.url ?? '',
    // The service inside this process needs no token, and must not get the token of another service.
    token: server ? checkedToken(given || parts.keys[TOKEN_VARIABLE] || undefined) : undefined,
  };
  if (service.token !== undefined) hideKey(service.token);
  try {
    const session = new Session({ ...parts, ...service }, choice, await keyFor(choice, parts, service));
    return {
      session,
      switchModel: async (model) => session.setModel(model, await keyFor(model, parts, service)),
      close: async () => local?.close(),
    };
  } catch (error) {
    await local?.close();
    throw error;
  }
}

/** Throws `UsageError` for a token that a header cannot carry. */
export function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || isServiceToken(token)) return token;
  throw new UsageError(
    'A service token contains only visible ASCII characters and no spaces. Check STEPWISE_TOKEN.',
  );
}

/**
 * Starts a service in this process. Its module is loaded on demand, because loading it takes longer than all other work
 * at the start.
 */
export async function startService(): Promise<Service> {
  const { startLocalService } = await import('./local-service.js');
  return startLocalService();
}

/**
 * Returns the model of the command line, or else that of the saved run. Without either, a person at a terminal may
 * choose a model of a local Ollama; otherwise returns `offline`, and a notice says so.
 */
async function chooseModel({ flags, terminal }: View, saved: Trajectory | undefined): Promise<ModelChoice> {
  const { model, upstream } = flags;
  const before = saved?.options.llmConfig;
  if (model !== undefined) return { name: model, upstream };
  if (before && upstream === undefined)
    return { name: before.modelName, upstream: before.provider ?? undefined };
  if (upstream !== undefined) throw new UsageError('--upstream needs --model.');
  const asks = terminal.isInteractive && !flags.json && !flags.yes;
  const offered = asks ? await offerOllama(terminal) : undefined;
  return offered ?? offlineModel;
}

async function keyFor(
  choice: ModelChoice,
  { terminal, screen, keys }: View,
  { url, token }: Pick<SessionParts, 'url' | 'token'>,
): Promise<string | undefined> {
  const client = connectTo({ baseUrl: url, token });
  const models = await client.models();
  screen.hold();
  const ask = terminal.isInteractive ? (question: string) => terminal.askSecret(question) : undefined;
  const key = await findKey(choice, models, { environment: keys, ask });
  if (key !== undefined) hideKey(key);
  return key;
}
