import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { delimiter, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isStdio, type McpServer, type StdioServer } from '../../mcp/mcp-server.js';

/** A file of the project that a server names as its program or as an argument. */
export interface ProjectProgram {
  /** Path relative to the project. */
  readonly path: string;
  /** SHA-256 of the file's content; links are followed. */
  readonly hash: string;
}

/** Maximum size of a hashed file; hashing a larger one would delay the start. */
const MAX_PROGRAM_BYTES = 64 * 1024 * 1024;
/** Maximum number of arguments and variables that are examined. */
const MAX_VALUES = 200;

/** Endings of files that interpreters run or load. Other arguments may name data files, which change often. */
const codeFile =
  /\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|r|jl|sh|bash|zsh|fish|ps1|bat|cmd|jar|class|wasm|node|so|dylib|dll|exe)$/i;
const EXECUTABLE_BITS = 0o111;

/**
 * Hashes the files of the project that a server names: its program, and code files among its arguments and variables.
 * After a change of one of these files, the person is asked again (rule: mcp-agreement). Files that these files load
 * are not hashed.
 */
export async function hashPrograms(server: McpServer, folder: string): Promise<readonly ProjectProgram[]> {
  if (!isStdio(server)) return [];
  const cwd = resolve(folder, server.cwd ?? '');
  const values = [...(server.args ?? []), ...Object.values(server.env ?? {})].slice(0, MAX_VALUES);
  const named = values.flatMap((value) => [value, value.slice(value.indexOf('=') + 1)]);
  const command = await commandFile(server, cwd);
  const files = new Set([
    ...(command === undefined ? [] : [command]),
    ...named.map((path) => resolve(cwd, path)),
  ]);
  const programs: ProjectProgram[] = [];
  for (const file of files) {
    const hash = await hashIfProgram(file, { folder, isCommand: file === command }).catch(() => undefined);
    if (hash) programs.push({ path: relative(folder, file).split(sep).join('/'), hash });
  }
  return programs;
}

/** Finds the program as the system does: a path, or the first file of that name in a folder of `PATH`. */
async function commandFile({ command, env = {} }: StdioServer, cwd: string): Promise<string | undefined> {
  if (/[/\\]/.test(command)) return resolve(cwd, command);
  const isWindows = process.platform === 'win32';
  const folders = (env['PATH'] ?? process.env['PATH'] ?? '').split(delimiter);
  const endings = isWindows ? ['', '.exe', '.cmd', '.bat', '.com'] : [''];
  for (const each of isWindows ? ['.', ...folders] : folders)
    for (const ending of endings) {
      const file = resolve(cwd, join(each || '.', command + ending));
      if (await isFile(file)) return file;
    }
  return undefined;
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );

/**
 * Hashes a program whose path, or whose real path, is in the project. Returns undefined for other files, for folders
 * and for devices.
 */
async function hashIfProgram(
  file: string,
  { folder, isCommand }: { readonly folder: string; readonly isCommand: boolean },
): Promise<string | undefined> {
  const isInside = [file, await realpath(file)].some((path) => path.startsWith(folder + sep));
  const stats = await stat(file);
  const isProgram = isCommand || codeFile.test(file) || (stats.mode & EXECUTABLE_BITS) !== 0;
  if (!isInside || !isProgram || !stats.isFile() || stats.size > MAX_PROGRAM_BYTES) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
