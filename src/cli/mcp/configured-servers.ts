import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { McpServer } from '../../mcp/mcp-server.js';
import { ProjectRoot } from '../../tools/project-root.js';
import { secretVariables } from '../../tools/run/start-command.js';
import { UsageError } from '../commands/usage.js';
import { repeatedServers } from './repeated-servers.js';

/** The file of a project, as other agents read it. */
const PROJECT_FILE = '.mcp.json';

/** A server as a file names it; `${NAME}` stands for variables of the environment. */
export interface ConfiguredServer {
  readonly name: string;
  /** Which names it, as a person knows it. */
  readonly file: string;
  /** As it is written there. */
  readonly written: McpServer;
  /** Of what is written, and of the folder it would run in: what a person agreed to has this one. */
  readonly fingerprint: string;
}

/** What the files name, and what of it cannot be used, in a sentence each. */
export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly string[];
}

/** Servers of `.mcp.json` of the folder and of the file of `--mcp`, which wins. Throws `UsageError` for the latter alone. */
export async function readConfiguredServers(folder: string, mcpFile?: string): Promise<ConfiguredServers> {
  const given = mcpFile === undefined ? nothing : await readGiven(folder, mcpFile);
  const project = await readProject(folder);
  const names = new Set(given.servers.map(({ name }) => name));
  return {
    servers: [...given.servers, ...project.servers.filter(({ name }) => !names.has(name))],
    problems: [...given.problems, ...project.problems],
  };
}

const nothing: ConfiguredServers = { servers: [], problems: [] };

async function readGiven(folder: string, file: string): Promise<ConfiguredServers> {
  try {
    return readServers(await readFile(file, 'utf8'), { file, folder });
  } catch (error) {
    throw new UsageError(`The servers of ${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** What a stranger put into the folder may be a link to a device, or a pipe that nobody writes to: it is read as tools read. */
async function readProject(folder: string): Promise<ConfiguredServers> {
  try {
    const root = await ProjectRoot.open(folder);
    if (!(await root.exists(PROJECT_FILE))) return nothing;
    const { content } = await root.readText(PROJECT_FILE);
    return readServers(content, { file: PROJECT_FILE, folder });
  } catch (error) {
    return { servers: [], problems: [`${PROJECT_FILE} cannot be read: ${reasonOf(error)}`] };
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Place {
  readonly file: string;
  readonly folder: string;
}

/** Throws an `Error` for a text that is not of this kind at all. */
function readServers(text: string, { file, folder }: Place): ConfiguredServers {
  const { mcpServers } = asRecord(JSON.parse(text), 'it is no JSON object');
  const entries = Object.entries(asRecord(mcpServers, 'it has no object "mcpServers"'));
  const repeated = repeatedServers(text);
  const servers: ConfiguredServer[] = [];
  const problems: string[] = [];
  for (const [name, value] of entries) {
    try {
      const written = readServer(asRecord(value, 'it is no object'));
      if (repeated.has(name)) throw new Error('it is written twice, or a part of it is');
      const fingerprint = createHash('sha256')
        .update(JSON.stringify([folder, written]))
        .digest('hex');
      servers.push({ name, file, written, fingerprint });
    } catch (error) {
      problems.push(`The server ${name} of ${file} cannot be used: ${reasonOf(error)}.`);
    }
  }
  return { servers, problems };
}

type Fields = Readonly<Record<string, unknown>>;

function readServer({ type, command, args, env, cwd, url, headers }: Fields): McpServer {
  if (url !== undefined && command === undefined) {
    if (typeof url !== 'string') throw new Error('its url is no text');
    return { type: type === 'sse' ? 'sse' : 'http', url, ...textsOf({ headers }) };
  }
  if (typeof command !== 'string' || command === '') throw new Error('it has neither a command nor a url');
  const given: unknown = args ?? [];
  if (!Array.isArray(given) || !given.every((each) => typeof each === 'string'))
    throw new Error('its args are no list of texts');
  if (cwd !== undefined && typeof cwd !== 'string') throw new Error('its cwd is no text');
  return { command, args: given, ...textsOf({ env }), ...(cwd !== undefined && { cwd }) };
}

/** A field of texts by their names, where it is there. */
function textsOf(field: Fields): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return Object.fromEntries(
    Object.entries(field).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const texts = Object.entries(asRecord(value, `its ${name} is no object`));
      const isText = (each: [string, unknown]): each is [string, string] => typeof each[1] === 'string';
      if (!texts.every(isText)) throw new Error(`its ${name} holds what is no text`);
      return [[name, Object.fromEntries(texts)]];
    }),
  );
}

function asRecord(value: unknown, problem: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(problem);
  return { ...value };
}

/**
 * What is written, with `${NAME}` and `${NAME:-otherwise}` filled in from the environment. Throws an `Error` for a variable
 * that is not set, and for one that holds a model key or another secret of ours: no file of a project may send that anywhere.
 */
export function expandServer(written: McpServer, environment: NodeJS.ProcessEnv): McpServer {
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string') return expandText(value, environment);
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expand(each)]));
  };
  // Texts become texts, all else stays.
  return expand(written) as McpServer;
}

/** A reference to a variable of the environment. */
export const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Addresses may hold a user and a password, headers a token. */
const secretSettings =
  /^(?:UPSTREAMS|REDIS_URL|CONTEXT_SERVICE_URL|(?:OPENAI|ANTHROPIC)_UPSTREAM_URL|OTEL_\w*HEADERS)$/i;

function expandText(text: string, environment: NodeJS.ProcessEnv): string {
  return text.replace(reference, (_, name: string, otherwise: string | undefined) => {
    if (secretVariables.test(name)) throw new Error(`it asks for ${name}, which holds a model key`);
    if (secretSettings.test(name))
      throw new Error(`it asks for ${name}, a setting of the service that may hold secrets`);
    const value = environment[name] || otherwise;
    if (value === undefined) throw new Error(`the variable ${name} is not set`);
    return value;
  });
}
