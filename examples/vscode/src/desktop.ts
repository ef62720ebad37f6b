import { homedir } from 'node:os';
import { matchLinesInVm } from 'stepwise/tools';
import * as vscode from 'vscode';
import { createCommandTools } from './desktop/command-tools.js';
import { realPath } from './desktop/real-path.js';
import { activateOn } from './extension.js';

/** Activates the extension on a desktop, where it can run commands and start the service in a terminal. */
export function activate(context: vscode.ExtensionContext): Promise<void> {
  return activateOn(context, {
    matchLines: matchLinesInVm,
    commandTools: createCommandTools,
    realPath,
    startService: () => {
      // The terminal starts in the home directory, since a workspace may contain another program named `stepwise`. npx
      // is not used, because npm's `stepwise` is an unrelated package.
      const terminal = vscode.window.createTerminal({ name: 'Stepwise service', cwd: homedir() });
      terminal.show();
      terminal.sendText('stepwise serve');
    },
  });
}
