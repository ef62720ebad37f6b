import type { Trajectory } from 'stepwise';
import * as vscode from 'vscode';

/** Asks for a location and writes the run to a file that `stepwise view` opens. */
export async function exportRun(saved: Trajectory | null): Promise<void> {
  if (!saved) {
    vscode.window.showInformationMessage('Stepwise: there is no run to export yet.');
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, 'stepwise-run.json') }),
    filters: { 'Stepwise run': ['json'] },
  });
  if (uri) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(JSON.stringify(saved, null, 2)));
}
