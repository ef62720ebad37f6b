import * as vscode from 'vscode';
import { Agent } from './agent.js';
import { CHANGE_SCHEME, ChangeDocuments } from './approvals/change-documents.js';
import type { Platform } from './platform.js';
import { modelKey, Secrets, serviceToken } from './service/secrets.js';

const VIEW = 'stepwise.run';

/** Activates the extension; shared by desktop and browser. */
export async function activateOn(context: vscode.ExtensionContext, platform: Platform): Promise<void> {
  const secrets = new Secrets(context.secrets);
  const documents = new ChangeDocuments();
  const agent = new Agent({ context, platform, secrets, documents });
  const commands: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> = {
    show: () => vscode.commands.executeCommand(`${VIEW}.focus`),
    ask: (task) => agent.ask(task),
    newTask: () => agent.newTask(),
    stop: () => agent.stop(),
    resume: () => agent.resume(),
    tagFile: (uri, uris) => agent.tag(uri, uris),
    acceptChange: (place) => agent.approvals.acceptChange(place),
    rejectChange: () => agent.rejectChange(),
    forgetApprovals: () => agent.approvals.forget(),
    setModelKey: () => secrets.ask(modelKey),
    clearModelKey: () => secrets.clear(modelKey),
    setServiceToken: () => secrets.ask(serviceToken).then(() => agent.checkService()),
    clearServiceToken: () => secrets.clear(serviceToken).then(() => agent.checkService()),
    checkService: () => agent.checkService(),
    startService: () => agent.startService(),
    exportRun: () => agent.exportRun(),
    copyAsCurl: () => agent.copyAsCurl(),
    openSettings: () => vscode.commands.executeCommand('workbench.action.openSettings', 'stepwise.'),
  };
  context.subscriptions.push(agent);
  await agent.begin(); // the view shows what was kept from its first moment on
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider(VIEW, agent.viewProvider),
    vscode.workspace.registerTextDocumentContentProvider(CHANGE_SCHEME, documents),
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`stepwise.${name}`, run),
    ),
  );
}
