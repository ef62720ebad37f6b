import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { McpServer } from '../../mcp/mcp-server.js';
import { ProjectRoot } from '../../tools/project-root.js';
import { secretVariables } from '../../tools/run/start-command.js';
import { UsageError } from '../commands/usage.js';
import { hashPrograms } from './project-programs.js';
import { repeatedServers } from './repeated-servers.js';

/** Configuration file of a project, which other agents read too. */
const PROJECT_FILE = '.mcp.json';

/** A server as a file declares it, with `${NAME}` references to environment variables. */
export interface ConfiguredServer {
  readonly name: string;
  /** Name of the file that declares the server, as messages show it. */
  readonly file: string;
  /** The declaration before variables are filled in. */
  readonly declaration: McpServer;
  /**
   * Paths of the project's files that the server's command names. Files that these programs load are not
   * included.
   */
  readonly programs: readonly string[];
  /**
   * Hash of the declaration, the folder and the contents of `programs`. Consent is stored for this hash, so a changed
   * declaration or program needs new consent.
   */
  readonly fingerprint: string;
}

/** The usable servers, and a sentence for each server or file that is unusable. */
export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly string[];
}

/**
 * Reads the servers of the folder's `.mcp.json` and of the `--mcp` file, which takes precedence. Throws `UsageError`
 * only for the latter.
 */
export async function readConfiguredServers(folder: string, mcpFile?: string): Promise<ConfiguredServers> {
  const given = mcpFile === undefined ? noServers : await readMcpFile(folder, mcpFile);
  const project = await readProject(folder);
  const names = new Set(given.servers.map(({ name }) => name));
  return {
    servers: [...given.servers, ...project.servers.filter(({ name }) => !names.has(name))],
    problems: [...given.problems, ...project.problems],
  };
}

const noServers: ConfiguredServers = { servers: [], problems: [] };

async function readMcpFile(folder: string, file: string): Promise<ConfiguredServers> {
  try {
    return await readServers(await readFile(file, 'utf8'), { file, folder });
  } catch (error) {
    throw new UsageError(`The servers of ${file} cannot be read: ${reasonOf(error)}`);
  }
}

/**
 * Reads `.mcp.json` with the safe file reader of the tools, because in an untrusted folder it may be a link to a
 * device or a pipe without a writer.
 */
async function readProject(folder: string): Promise<ConfiguredServers> {
  try {
    const root = await ProjectRoot.open(folder);
    if (!(await root.exists(PROJECT_FILE))) return noServers;
    const { content } = await root.readText(PROJECT_FILE);
    return await readServers(content, { file: PROJECT_FILE, folder });
  } catch (error) {
    return { servers: [], problems: [`${PROJECT_FILE} cannot be read: ${reasonOf(error)}`] };
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Origin {
  readonly file: string;
  readonly folder: string;
}

/** Throws an `Error` if the text is no JSON object with `mcpServers`. */
async function readServers(text: string, { file, folder }: Origin): Promise<ConfiguredServers> {
  // Editors of Windows may begin a file with a byte order mark.
  const { mcpServers } = asRecord(JSON.parse(text.replace(/^\uFEFF/, '')), 'it is not a JSON object');
  const entries = Object.entries(asRecord(mcpServers, 'it has no object "mcpServers"'));
  const repeated = repeatedServers(text);
  const servers: ConfiguredServer[] = [];
  const problems: string[] = [];
  for (const [name, value] of entries) {
    try {
      const declaration = readServer(asRecord(value, 'it is not an object'));
      if (repeated.has(name)) throw new Error('it occurs twice, or one of its fields does');
      const programs = await hashPrograms(expandIfPossible(declaration), folder);
      const fingerprint = createHash('sha256')
        .update(JSON.stringify([folder, declaration, ...programs]))
        .digest('hex');
      servers.push({ name, file, declaration, programs: programs.map(({ path }) => path), fingerprint });
    } catch (error) {
      problems.push(`The server ${name} of ${file} cannot be used: ${reasonOf(error)}.`);
    }
  }
  return { servers, problems };
}

type Fields = Readonly<Record<string, unknown>>;

function readServer({ type, command, args, env, cwd, url, headers }: Fields): McpServer {
  if (url !== undefined && command === undefined) {
    if (typeof url !== 'string') throw new Error('its url is not a string');
    return { type: type === 'sse' ? 'sse' : 'http', url, ...textsOf({ headers }) };
  }
  if (typeof command !== 'string' || command === '') throw new Error('it has neither a command nor a url');
  const given: unknown = args ?? [];
  if (!Array.isArray(given) || !given.every((each) => typeof each === 'string'))
    throw new Error('its args are not a list of strings');
  if (cwd !== undefined && typeof cwd !== 'string') throw new Error('its cwd is not a string');
  return { command, args: given, ...textsOf({ env }), ...(cwd !== undefined && { cwd }) };
}

/** Returns the field with its strings, or `{}` if it is undefined. Throws an `Error` if it is no object of strings. */
function textsOf(field: Fields): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return Object.fromEntries(
    Object.entries(field).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const texts = Object.entries(asRecord(value, `its ${name} is not an object`));
      const isText = (each: [string, unknown]): each is [string, string] => typeof each[1] === 'string';
      if (!texts.every(isText)) throw new Error(`its ${name} contains a value that is not a string`);
      return [[name, Object.fromEntries(texts)]];
    }),
  );
}

function asRecord(value: unknown, problem: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(problem);
  return { ...value };
}

/**
 * Fills in `${NAME}` and `${NAME:-default}` from the environment. Throws an `Error` for an unset variable, and for one
 * that holds a model key or another secret of ours, so that no project file can send it anywhere.
 */
export function expandServer(declaration: McpServer, environment: NodeJS.ProcessEnv): McpServer {
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string') return expandText(value, environment);
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expand(each)]));
  };
  // Cast: `expand` only replaces strings by strings.
  return expand(declaration) as McpServer;
}

/**
 * Fills in variables. Returns the declaration unchanged if a variable is missing; a server with a missing variable
 * never starts.
 */
function expandIfPossible(declaration: McpServer): McpServer {
  try {
    return expandServer(declaration, process.env);
  } catch {
    return declaration;
  }
}

/** Matches a reference to an environment variable. */
export const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Matches settings of the service that may contain secrets: addresses may contain a user and a password, headers a
 * token.
 */
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
