import { StoredFolder } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import { inMessage } from '../approvals/in-message.js';
import type { WorkspaceRoots } from './workspace-roots.js';
import { workspaceStore } from './workspace-store.js';

/**
 * Opens a workspace file by path, optionally at lines such as `path:10-40`. Refuses files outside the workspace, and
 * secrets.
 */
export async function openFile(roots: WorkspaceRoots, path: string): Promise<void> {
  const [, name = path, line = '1'] = /^(.*?)(?::(\d+)(?:-\d+)?)?$/s.exec(path) ?? [];
  const folder = new StoredFolder(workspaceStore(roots));
  const isFile = (await folder.kindOf(name).catch(() => undefined)) === 'file';
  const uri = isFile ? roots.locate(await folder.nameOf(name)) : undefined;
  if (!uri) {
    vscode.window.showWarningMessage(`Stepwise: ${inMessage(name)} is not a file of this workspace.`);
    return;
  }
  const at = new vscode.Position(Math.max(0, Number(line) - 1), 0);
  // Uses `vscode.open`, which picks the right editor, for example for an image.
  const options: vscode.TextDocumentShowOptions = { preview: true, selection: new vscode.Range(at, at) };
  await vscode.commands.executeCommand('vscode.open', uri, options);
}
