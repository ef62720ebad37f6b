import type { Tool } from 'stepwise';
import { createToolPack } from 'stepwise/tools';
import type * as vscode from 'vscode';
import { CommandTerminal } from './command-terminal.js';

/**
 * Creates the tool pack's `run_command` for the first folder on this machine's disk. Runs each command in its own
 * process, so that its exit is detected and *Stop* ends all its descendants; the terminal shows the output.
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
