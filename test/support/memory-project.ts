import type { Tool, ToolArguments } from '../../src/sdk/actions/define-tool.js';
import { matchLinesInVm } from '../../src/tools/match-lines-in-vm.js';
import {
  createFileTools,
  memoryStore,
  type StoredContent,
  StoredFolder,
} from '../../src/tools/portable/index.js';

export interface MemoryProject {
  readonly folder: StoredFolder;
  readonly tools: readonly Tool[];
  /** Calls a tool as a run would. Rejects with the tool's error. */
  call(name: string, args: ToolArguments): Promise<string>;
  /** Returns the preview that a person would see before approving a call of this tool. */
  preview(name: string, args: ToolArguments): Promise<string>;
}

/** Returns a project in memory, or the given one, with file tools for it. */
export function inMemory(
  files: Readonly<Record<string, StoredContent>>,
  folder = new StoredFolder(memoryStore(Object.entries(files))),
): MemoryProject {
  const tools = createFileTools(folder, { matchLines: matchLinesInVm });
  const tool = (name: string): Tool => {
    const found = tools.find((each) => each.name === name);
    if (!found) throw new Error(`No tool ${name}.`);
    return found;
  };
  const context = { signal: new AbortController().signal, callId: 'call_1', earlierCallIds: [] };
  return {
    folder,
    tools,
    call: async (name, args) => String(await tool(name).execute(args, context)),
    preview: async (name, args) => String(await tool(name).preview?.(args, context)),
  };
}
