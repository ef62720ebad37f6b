import { isServiceToken, StepwiseClient } from '../../sdk/client/stepwise-client.js';
import type { Service } from '../../service/start.js';
import { ApprovalRules } from '../approval/approval-rules.js';
import { NO_TASK, type RunFlags } from '../commands/read-arguments.js';
import { UsageError } from '../commands/usage.js';
import type { Screen } from '../screen/screen.js';
import type { Terminal } from '../screen/terminal.js';
import { findKey, type ModelChoice, offlineModel, offlineNotice } from './choose-model.js';
import { offerOllama } from './ollama.js';
import { folderAt, openTools } from './open-tools.js';
import { readSavedRun } from './saved-runs.js';
import { Session, type SessionParts } from './session.js';

const TOKEN_VARIABLE = 'STEPWISE_TOKEN';

export interface View {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly flags: RunFlags;
  /** The model keys that were in the environment, by variable. */
  readonly keys: NodeJS.ProcessEnv;
}

export interface OpenSession {
  readonly session: Session;
  /** Changes the model; asks for a key where it needs one. Throws `UsageError`. */
  switchModel(choice: ModelChoice): Promise<void>;
  close(): Promise<void>;
}

/** Puts together what the command line asked for: tools, service, model, key. Throws `UsageError`. */
export async function openSession(
  view: View,
  { interactive }: { interactive: boolean },
): Promise<OpenSession> {
  const { flags } = view;
  if (interactive && !view.terminal.isInteractive) throw new UsageError(NO_TASK);
  const folder = await folderAt(flags.dir);
  const tools = await openTools(flags);
  const choice = await chooseModel(view);
  view.screen.begin();
  try {
    return await connect({ ...view, tools, rules: new ApprovalRules(folder), folder }, choice);
  } finally {
    view.screen.hold();
  }
}

/** To the service of `--server`, or to one of its own that ends with the session. */
async function connect(
  parts: View & Omit<SessionParts, 'url' | 'token'>,
  choice: ModelChoice,
): Promise<OpenSession> {
  const { server, resume, token: given } = parts.flags;
  const local = server ? undefined : await startService();
  const service = {
    url: server ?? local?.url ?? '',
    // The one inside this process asks for none, and another one's is not to be shown to it.
    token: server ? checkedToken(given || parts.keys[TOKEN_VARIABLE] || undefined) : undefined,
  };
  try {
    const session = new Session({ ...parts, ...service }, choice, await keyFor(choice, parts, service));
    if (resume) session.resume(await readSavedRun(resume));
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

/** What a header could not carry is no token. */
function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || isServiceToken(token)) return token;
  throw new UsageError(
    'The token of a service has no spaces and visible ASCII characters only: check STEPWISE_TOKEN.',
  );
}

/** Loaded only where it is used: that takes longer than all the rest, so the person sees something before. */
async function startService(): Promise<Service> {
  const { startLocalService } = await import('./local-service.js');
  return startLocalService();
}

/** A model is never chosen for a person: what is not named is `offline`, and that is said. */
async function chooseModel({ flags, terminal, screen }: View): Promise<ModelChoice> {
  const { model, upstream } = flags;
  if (model !== undefined) return { name: model, upstream };
  if (upstream !== undefined) throw new UsageError('--upstream needs --model.');
  const asks = terminal.isInteractive && !flags.json && !flags.yes;
  const offered = asks ? await offerOllama(terminal) : undefined;
  if (!offered) screen.print(offlineNotice);
  return offered ?? offlineModel;
}

async function keyFor(
  choice: ModelChoice,
  { terminal, screen, keys }: View,
  { url, token }: Pick<SessionParts, 'url' | 'token'>,
): Promise<string | undefined> {
  const client = new StepwiseClient({ baseUrl: url, token });
  const models = await client.models();
  screen.hold();
  const ask = terminal.isInteractive ? (question: string) => terminal.askSecret(question) : undefined;
  return findKey(choice, models, { environment: keys, ask });
}
