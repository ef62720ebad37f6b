import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { readConfig } from '../../service/config.js';
import { editorOf } from '../input/edit-in-file.js';
import { McpAgreements } from '../mcp/agreements.js';
import { readConfiguredServers } from '../mcp/configured-servers.js';
import { showExactLine } from '../screen/shown-text.js';
import { ollamaModels, ollamaUrl } from '../session/ollama.js';
import { configFolder, makeFolder, stateFolder } from '../state/user-files.js';
import type { RunFlags } from './read-arguments.js';
import { exitCodes } from './usage.js';

/** Result of one check: fine (ok), optional (--), or a reason why no run can work (!!). */
interface Finding {
  readonly mark: 'ok' | '--' | '!!';
  readonly what: string;
  readonly says: string;
}

/** A server that does not answer within this time counts as unreachable. */
const TIMEOUT_MS = 3_000;

const keyVariables = ['STEPWISE_LLM_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'STEPWISE_TOKEN'];

/**
 * Checks the environment without a model call, and prints no secret: of a key only whether it is set, of an address
 * only the host. Resolves to the exit code, which is an error if no run could work.
 */
export async function examine(flags: RunFlags, keys: NodeJS.ProcessEnv): Promise<number> {
  const found = await Promise.all([
    nodeVersion(),
    projectFolder(flags.dir),
    ownFolder('Settings', configFolder()),
    ownFolder('Saved runs', stateFolder()),
    ...keyVariables.map((name) => key(name, keys)),
    ...upstreams({ ...process.env, ...keys }),
    ...(await mcpServers(flags)),
    ollama(),
    ...(flags.server === undefined ? [] : [ownServer(`${flags.server}/healthz`)]),
    terminal(),
  ]);
  const lines = found.map(({ mark, what, says }) => `${mark}  ${what.padEnd(24)}${showExactLine(says)}`);
  process.stdout.write(`${lines.join('\n')}\n`);
  return found.some(({ mark }) => mark === '!!') ? exitCodes.error : exitCodes.answered;
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return {
    mark: isEnough ? 'ok' : '!!',
    what: 'Node.js',
    says: `${process.version}, needed is 20.19 or newer`,
  };
}

async function projectFolder(dir: string): Promise<Finding> {
  try {
    const folder = await realpath(dir);
    await access(folder, constants.R_OK);
    const canWrite = await access(folder, constants.W_OK).then(
      () => 'can be read and written',
      () => 'can be read, not written',
    );
    return { mark: 'ok', what: 'Folder', says: `${folder}: ${canWrite}` };
  } catch {
    return { mark: '!!', what: 'Folder', says: `${dir} cannot be read` };
  }
}

async function ownFolder(what: string, folder: string): Promise<Finding> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
    return { mark: 'ok', what, says: folder };
  } catch {
    return { mark: '--', what, says: `${folder} cannot be written: nothing is kept` };
  }
}

const key = (name: string, keys: NodeJS.ProcessEnv): Finding =>
  keys[name] ? { mark: 'ok', what: name, says: 'is set' } : { mark: '--', what: name, says: 'is not set' };

/** Checks the upstreams that a service in this process would have. */
function upstreams(environment: NodeJS.ProcessEnv): Promise<Finding>[] {
  try {
    const config = readConfig(environment, { ignoreOthers: true });
    const named = Object.entries(config.UPSTREAMS).map(
      ([name, { url }]) => [`Upstream ${name}`, url] as const,
    );
    const vendors = [
      ['OpenAI', config.OPENAI_UPSTREAM_URL],
      ['Anthropic', config.ANTHROPIC_UPSTREAM_URL],
    ] as const;
    return [...vendors, ...named].map(([what, url]) => reach(what, url));
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    return [Promise.resolve({ mark: '!!', what: 'Settings of the service', says })];
  }
}

/** Checks the service of `--server`, without which no run can work. */
async function ownServer(url: string): Promise<Finding> {
  const found = await reach('Service of --server', url);
  return { ...found, mark: found.mark === 'ok' ? 'ok' : '!!' };
}

/** Checks whether a server answers. Any status counts, because a server without a key answers with 401. */
async function reach(what: string, url: string): Promise<Finding> {
  const address = withoutCredentials(url);
  const place = `${address?.host ?? 'its address'}${address && address.href !== new URL(url).href ? IGNORED : ''}`;
  try {
    const { status } = await fetch(address ?? url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    return { mark: 'ok', what, says: `${place} answers (${status})` };
  } catch {
    return { mark: '--', what, says: `${place} does not answer` };
  }
}

const IGNORED = ' (the user and password in its address are not sent)';

/** Removes user and password, as the service does. Returns undefined for an invalid address. */
function withoutCredentials(url: string): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  [address.username, address.password] = ['', ''];
  return address;
}

/** Checks the MCP servers of the configuration files without starting them. */
async function mcpServers({ dir, mcp }: RunFlags): Promise<readonly Finding[]> {
  const folder = await realpath(dir).catch(() => dir);
  const { servers, problems } = await readConfiguredServers(folder, mcp);
  const agreements = new McpAgreements(folder);
  const found = servers.map(async (server): Promise<Finding> => {
    const isAgreed = await agreements.isAgreed(server);
    const what = `MCP server ${showExactLine(server.name)}`;
    const says = isAgreed ? 'agreed to' : 'not agreed to yet; stepwise at a terminal asks';
    return { mark: isAgreed ? 'ok' : '--', what, says: `in ${server.file}, ${says}` };
  });
  const faults = problems.map((says): Finding => ({ mark: '--', what: 'MCP servers', says }));
  return [...(await Promise.all(found)), ...faults];
}

async function ollama(): Promise<Finding> {
  const models = await ollamaModels();
  if (models.length === 0)
    return { mark: '--', what: 'Ollama', says: `nothing at ${new URL(ollamaUrl).host}` };
  return { mark: 'ok', what: 'Ollama', says: `${models.length} models: ${models.slice(0, 5).join(', ')}` };
}

function terminal(): Finding {
  const { stdout, env } = process;
  const says = stdout.isTTY
    ? `${env['TERM'] ?? 'unknown'}, ${stdout.columns} columns`
    : 'output is not a terminal';
  const editor = editorOf(env) ? 'an editor is set' : 'VISUAL and EDITOR are not set';
  return { mark: stdout.isTTY ? 'ok' : '--', what: 'Terminal', says: `${says}; ${editor}` };
}
