import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { UsageError } from '../commands/read-arguments.js';

/** The tools that a module exports as `tools`. Its code runs with the person's rights, as they asked for it. */
export async function loadTools(file: string): Promise<readonly Tool[]> {
  const module: unknown = await import(pathToFileURL(resolve(file)).href).catch((error: Error) => {
    throw new UsageError(`The module ${file} cannot be loaded: ${error.message}`);
  });
  const tools = typeof module === 'object' && module !== null && 'tools' in module ? module.tools : undefined;
  if (Array.isArray(tools) && tools.every(isTool)) return tools;
  throw new UsageError(`The module ${file} must export "tools", a list of what defineTool returns.`);
}

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
