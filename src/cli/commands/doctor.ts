import { constants } from 'node:fs';
import { access, readFile, realpath } from 'node:fs/promises';
import {
  type ConnectionProblem,
  connectionFailureOf,
  connectionProblems,
} from '../../network/connection-problem.js';
import type { ProxySettings } from '../../network/proxies/proxies.js';
import { readConfig } from '../../service/settings/config.js';
import { editorOf } from '../input/edit-in-file.js';
import { McpAgreements } from '../mcp/agreements.js';
import { readConfiguredServers } from '../mcp/configured-servers.js';
import { showExactLine } from '../screen/visible-text.js';
import { networkFetch } from '../session/network.js';
import { ollamaModels, ollamaUrl } from '../session/ollama.js';
import { configFolder, makeFolder, stateFolder } from '../state/user-files.js';
import type { RunFlags } from './read-arguments.js';
import { exitCodes } from './usage.js';

/**
 * Result of one check. The sign `mark` means: everything is fine (ok), something optional is missing (--), or no run
 * can work (!!).
 */
interface Finding {
  readonly mark: 'ok' | '--' | '!!';
  readonly subject: string;
  readonly text: string;
}

/** Time limit for a check. A server that does not answer within it is reported as unreachable. */
const TIMEOUT_MS = 4_000;
/**
 * Time limit for connecting. It is less than that of a check, so that a proxy that does not answer is reported
 * as the cause.
 */
const CONNECT_TIMEOUT_MS = 2_500;

const keyVariables = ['STEPWISE_LLM_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'STEPWISE_TOKEN'];

/**
 * Checks the environment without a model call. Prints no secrets: only whether a key is set, and only the host of an
 * address. Resolves to the exit code, which reports an error if no run could work.
 */
export async function examine(flags: RunFlags, keys: NodeJS.ProcessEnv): Promise<number> {
  const found = await Promise.all([
    checkNodeVersion(),
    checkProjectFolder(flags.dir),
    checkFolder('Settings', configFolder()),
    checkFolder('Saved runs', stateFolder()),
    ...keyVariables.map((name) => checkKey(name, keys)),
    checkAuthorities(process.env['NODE_EXTRA_CA_CERTS']),
    ...checkService({ ...process.env, ...keys }),
    ...(await checkMcpServers(flags)),
    checkOllama(),
    ...(flags.server === undefined ? [] : [checkRemoteService(`${flags.server}/healthz`)]),
    checkTerminal(),
  ]);
  const lines = found.map(
    ({ mark, subject, text }) => `${mark}  ${subject.padEnd(24)}${showExactLine(text)}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return found.some(({ mark }) => mark === '!!') ? exitCodes.error : exitCodes.answered;
}

function checkNodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return {
    mark: isEnough ? 'ok' : '!!',
    subject: 'Node.js',
    text: `${process.version}; 20.19 or newer is required`,
  };
}

async function checkProjectFolder(dir: string): Promise<Finding> {
  try {
    const folder = await realpath(dir);
    await access(folder, constants.R_OK);
    const canWrite = await access(folder, constants.W_OK).then(
      () => 'can be read and written',
      () => 'can be read, not written',
    );
    return { mark: 'ok', subject: 'Folder', text: `${folder}: ${canWrite}` };
  } catch {
    return { mark: '!!', subject: 'Folder', text: `${dir} cannot be read` };
  }
}

async function checkFolder(subject: string, folder: string): Promise<Finding> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
    return { mark: 'ok', subject, text: folder };
  } catch {
    return {
      mark: '--',
      subject,
      text: `${folder} cannot be written, so nothing will be saved there; make the folder writable for your user`,
    };
  }
}

const checkKey = (name: string, keys: NodeJS.ProcessEnv): Finding =>
  keys[name]
    ? { mark: 'ok', subject: name, text: 'is set' }
    : { mark: '--', subject: name, text: 'is not set' };

/** Checks the upstreams, the context service and the proxies that a service in this process would have. */
function checkService(environment: NodeJS.ProcessEnv): (Finding | Promise<Finding>)[] {
  try {
    const config = readConfig(environment, { ignoreOthers: true });
    const { openai, anthropic, ...upstreams } = config.UPSTREAMS;
    const named = Object.entries(upstreams).map(
      ([name, { url, caFile }]) => [`Upstream ${name}`, url, caFile] as const,
    );
    const vendors = [
      ['OpenAI', config.OPENAI_UPSTREAM_URL, openai?.caFile],
      ['Anthropic', config.ANTHROPIC_UPSTREAM_URL, anthropic?.caFile],
    ] as const;
    const context = config.CONTEXT_SERVICE_URL;
    const servers = [
      ...vendors,
      ...named,
      ...(context ? [['Context service', withoutCredentials(context)?.href ?? context] as const] : []),
    ];
    return [
      checkProxies(config),
      ...servers.map(([subject, url, caFile]) => checkServer(subject, url, caFile)),
    ];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [{ mark: '!!', subject: 'Settings of the service', text }];
  }
}

/** Shows the proxies that are set, without user and password. */
function checkProxies({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: ProxySettings): Finding {
  const set = Object.entries({ HTTPS_PROXY, HTTP_PROXY }).filter(([, url]) => url !== undefined);
  const shown = set.map(([name, url = '']) => `${name} ${new URL(url).host}`);
  if (shown.length === 0)
    return { mark: '--', subject: 'Proxy', text: 'HTTPS_PROXY and HTTP_PROXY are not set' };
  return { mark: 'ok', subject: 'Proxy', text: `${shown.join(', ')}; not for ${NO_PROXY ?? 'this machine'}` };
}

/**
 * Checks the file of certificate authorities. If the file cannot be read, Node.js only prints a warning and trusts none
 * of these authorities.
 */
async function checkAuthorities(file: string | undefined): Promise<Finding> {
  const subject = 'NODE_EXTRA_CA_CERTS';
  if (!file) return { mark: '--', subject, text: 'is not set' };
  const isReadable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable
    ? { mark: 'ok', subject, text: file }
    : { mark: '!!', subject, text: `${file} cannot be read: its authorities are not trusted` };
}

/** Checks the service of `--server`, without which no run can work. */
async function checkRemoteService(url: string): Promise<Finding> {
  const found = await checkServer('Service of --server', url);
  return { ...found, mark: found.mark === 'ok' ? 'ok' : '!!' };
}

/**
 * Checks whether a server answers. Trusts the certificates in `caFile`, if the upstream has one. A response with any
 * status means that the server answers: without a key it may be 401.
 */
async function checkServer(subject: string, url: string, caFile?: string): Promise<Finding> {
  const address = withoutCredentials(url);
  const place = `${address?.host ?? 'its address'}${address && address.href !== new URL(url).href ? CREDENTIALS_IGNORED : ''}`;
  try {
    const authority = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
    const options = { connectTimeoutMs: CONNECT_TIMEOUT_MS, authority };
    const { status } = await networkFetch(options)(address ?? url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    return { mark: 'ok', subject, text: `${place} answers (${status})` };
  } catch (error) {
    return { mark: '--', subject, text: `${place} does not answer${reasonOf(error)}` };
  }
}

/**
 * Returns the problem of a failed connection and its remedy (rule: connection-failures). Returns an empty text for an
 * unknown problem.
 */
function reasonOf(error: unknown): string {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const problem: ConnectionProblem | undefined = isLate ? 'timeout' : connectionFailureOf(error)?.problem;
  return problem ? ` (${problem}). ${connectionProblems[problem]}` : '';
}

const CREDENTIALS_IGNORED = ' (the user and password in its address are not sent)';

/** Removes user and password from an address, as the service does. Returns undefined for an invalid address. */
function withoutCredentials(url: string): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  [address.username, address.password] = ['', ''];
  return address;
}

/** Checks the MCP servers of the configuration files without starting them. */
async function checkMcpServers({ dir, mcp }: RunFlags): Promise<readonly Finding[]> {
  const folder = await realpath(dir).catch(() => dir);
  const { servers, problems } = await readConfiguredServers(folder, mcp);
  const agreements = new McpAgreements(folder);
  const found = servers.map(async (server): Promise<Finding> => {
    const isAgreed = await agreements.isAgreed(server);
    const subject = `MCP server ${showExactLine(server.name)}`;
    const text = isAgreed ? 'agreed to' : 'not agreed to yet: run stepwise at a terminal to review it';
    return { mark: isAgreed ? 'ok' : '--', subject, text: `in ${server.file}, ${text}` };
  });
  const faults = problems.map((text): Finding => ({ mark: '--', subject: 'MCP servers', text }));
  return [...(await Promise.all(found)), ...faults];
}

async function checkOllama(): Promise<Finding> {
  const models = await ollamaModels();
  if (models.length === 0)
    return { mark: '--', subject: 'Ollama', text: `nothing at ${new URL(ollamaUrl).host}` };
  return { mark: 'ok', subject: 'Ollama', text: `${models.length} models: ${models.slice(0, 5).join(', ')}` };
}

function checkTerminal(): Finding {
  const { stdout, env } = process;
  const text = stdout.isTTY
    ? `${env['TERM'] ?? 'unknown'}, ${stdout.columns} columns`
    : 'output is not a terminal';
  const editor = editorOf(env) ? 'an editor is set' : 'VISUAL and EDITOR are not set';
  return { mark: stdout.isTTY ? 'ok' : '--', subject: 'Terminal', text: `${text}; ${editor}` };
}
