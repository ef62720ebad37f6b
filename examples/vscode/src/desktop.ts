import { homedir } from 'node:os';
import { matchLinesInVm } from 'stepwise/tools';
import * as vscode from 'vscode';
import { createCommandTools } from './desktop/command-tools.js';
import { realPath } from './desktop/real-path.js';
import { activateOn } from './extension.js';

/** The extension on a desktop: commands, and the service in a terminal. */
export function activate(context: vscode.ExtensionContext): Promise<void> {
  return activateOn(context, {
    matchLines: matchLinesInVm,
    commandTools: createCommandTools,
    realPath,
    startService: () => {
      // At home: a workspace may bring a program of that name. Not by npx, which fetches what npm calls stepwise.
      const terminal = vscode.window.createTerminal({ name: 'Stepwise service', cwd: homedir() });
      terminal.show();
      terminal.sendText('stepwise serve');
    },
  });
}
