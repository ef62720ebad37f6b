import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';

/** Where a folder of the disk really lies, over whatever links one comes to it. What is on no disk, or is not there, lies where it says. */
export function realPath(uri: vscode.Uri): string {
  if (uri.scheme !== 'file') return uri.path;
  try {
    return vscode.Uri.file(realpathSync.native(uri.fsPath)).path;
  } catch {
    return uri.path;
  }
}
