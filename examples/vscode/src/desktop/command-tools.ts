import type { Tool } from 'stepwise';
import { createToolPack } from 'stepwise/tools';
import type * as vscode from 'vscode';
import { CommandTerminal } from './command-terminal.js';

/**
 * The tool pack's `run_command` in the first folder that lies on this machine's disk. It runs in a process of
 * its own, so that its end is known and *Stop* ends all of it; the terminal shows what it says.
 */
export async function createCommandTools(folders: readonly vscode.Uri[]): Promise<readonly Tool[]> {
  const folder = folders.find(({ scheme }) => scheme === 'file');
  if (!folder) return [];
  const tools = await createToolPack(folder.fsPath);
  return tools.filter(({ name }) => name === 'run_command').map(shownInTerminal);
}

const terminal = new CommandTerminal();

const shownInTerminal = (tool: Tool): Tool => ({
  ...tool,
  execute: (args, context) => {
    terminal.begin(String(args['command']));
    const onOutput = (piece: string) => {
      terminal.write(piece);
      context.onOutput?.(piece);
    };
    return tool.execute(args, { ...context, onOutput });
  },
});
