import { matchLinesInWorker } from 'stepwise/tools/browser';
import type * as vscode from 'vscode';
import { activateOn } from './extension.js';

/** Source text of the worker that matches regular expressions; the build inserts it. */
declare const SEARCH_WORKER: string;

/** Activates the extension in a browser, without processes and commands. */
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
