import type { Tool } from 'stepwise';
import { createToolPack } from 'stepwise/tools';
import * as vscode from 'vscode';
import { CommandTerminal } from './command-terminal.js';

/**
 * The tool pack's `run_command` in the first folder of the workspace that lies on this machine's disk. It runs in a process of
 * its own, so that its end is known and *Stop* ends all of it; the terminal shows what it says.
 */
export async function createCommandTools(): Promise<readonly Tool[]> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  if (!folder) return [];
  const tools = await createToolPack(folder.uri.fsPath);
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
