import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';

/**
 * Resolves all symbolic links in the path of a folder on disk. Returns the URI's own path if the folder is elsewhere or
 * missing.
 */
export function realPath(uri: vscode.Uri): string {
  if (uri.scheme !== 'file') return uri.path;
  try {
    return vscode.Uri.file(realpathSync.native(uri.fsPath)).path;
  } catch {
    return uri.path;
  }
}
