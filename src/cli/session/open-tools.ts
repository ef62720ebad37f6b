import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { createToolPack } from '../../tools/tool-pack.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { UsageError } from '../commands/usage.js';
import { savedRunsFolder } from '../state/saved-runs.js';
import { usedKeys } from './model-key.js';

type ToolFlags = Pick<RunFlags, 'dir' | 'tools' | 'limits'>;

/** Returns the tool pack for `--dir` and the tools of the `--tools` module. */
export async function openTools({ dir, tools, limits }: ToolFlags): Promise<readonly Tool[]> {
  const folder = await folderAt(dir);
  const pack = await createToolPack(folder, {
    ...limits,
    savedRunsFolder: savedRunsFolder(folder),
    secrets: usedKeys,
  });
  const all = tools === undefined ? pack : [...pack, ...(await loadTools(tools))];
  const names = all.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new UsageError(`There are two tools with the name ${duplicate}.`);
  return all;
}

/** Returns the folder's real path. Throws `UsageError` if there is no folder at the path. */
export async function folderAt(dir: string): Promise<string> {
  const found = await stat(dir).catch(() => undefined);
  if (!found) throw new UsageError(`There is no folder ${dir}.`);
  if (!found.isDirectory()) throw new UsageError(`${dir} is not a folder.`);
  return realpath(dir);
}

/** Returns the `tools` export of a module. */
async function loadTools(file: string): Promise<readonly Tool[]> {
  const module = await loadModule(file);
  const tools = typeof module === 'object' && module !== null && 'tools' in module ? module.tools : undefined;
  if (Array.isArray(tools) && tools.every(isTool)) return tools;
  throw new UsageError(`The module ${file} must export "tools", a list of what defineTool returns.`);
}

/** Loads a module of the person, whose code runs with the person's rights. Throws `UsageError`. */
export async function loadModule(file: string): Promise<unknown> {
  if (!existsSync(file)) throw new UsageError(`The module ${file} cannot be loaded: there is no such file.`);
  return import(pathToFileURL(resolve(file)).href).catch((error: unknown) => {
    throw new UsageError(`The module ${file} cannot be loaded: ${whyNotLoaded(file, error)}`);
  });
}

/** Explains an import error of Node.js: which module is missing, or where the code failed. */
function whyNotLoaded(file: string, error: unknown): string {
  if (!(error instanceof Error)) return `it throws ${String(error)}.`;
  const { message, stack = '', code } = error as NodeJS.ErrnoException;
  const missing = /^Cannot find (?:package|module) '(.+?)'(?: imported from |\nRequire stack:\n- )(.+)/.exec(
    message,
  );
  if (missing) {
    const [, wanted = '', importer] = missing;
    return `${importer} imports ${wanted}, which ${isPath(wanted) ? 'does not exist' : 'is not installed'}.`;
  }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'Node.js loads .js, .mjs and .cjs files; compile it first.';
  if (error instanceof SyntaxError) return `${message}. \`node ${file}\` shows the line.`;
  const [place] = /file:\/\/\S+?:\d+:\d+/.exec(stack) ?? [];
  return `${message}${place ? ` (${place})` : ''}`;
}

const isPath = (name: string): boolean => isAbsolute(name) || /^(?:\.|file:)/.test(name);

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  const tool: Partial<Record<keyof Tool, unknown>> = value;
  const { name, description, inputSchema, execute } = tool;
  return (
    typeof name === 'string' &&
    typeof description === 'string' &&
    typeof inputSchema === 'object' &&
    typeof execute === 'function'
  );
}
