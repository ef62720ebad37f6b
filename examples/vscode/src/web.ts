import { matchLinesInWorker } from 'stepwise/tools/browser';
import type * as vscode from 'vscode';
import { activateOn } from './extension.js';

/** The worker's module, as text: put there by the build. */
declare const SEARCH_WORKER: string;

/** The extension in a browser: no processes, no commands. */
export function activate(context: vscode.ExtensionContext): Promise<void> {
  const address = URL.createObjectURL(new Blob([SEARCH_WORKER], { type: 'text/javascript' }));
  context.subscriptions.push({ dispose: () => URL.revokeObjectURL(address) });
  return activateOn(context, {
    matchLines: matchLinesInWorker(() => new Worker(address)),
    commandTools: async () => [],
    realPath: ({ path }) => path,
    startService: undefined,
  });
}
