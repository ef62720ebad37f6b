import { isSecretPath, StoredFolder } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import type { WorkspaceRoots } from '../workspace/workspace-roots.js';
import { workspaceStore } from '../workspace/workspace-store.js';

const MAX_SUGGESTIONS = 8;
/** Maximum number of matching files to collect; the shortest of their paths are suggested. */
const MAX_FOUND = 200;
const MAX_WALKED = 5_000;

/** Suggests workspace paths that contain the text typed after `@`, shortest first. */
export async function suggestPaths(roots: WorkspaceRoots, query: string): Promise<readonly string[]> {
  const letters = query.replaceAll(/[*?{}[\]!\\]/g, '').toLowerCase();
  const paths = isSearched() ? await foundPaths(roots, letters) : await walkedPaths(roots);
  return paths
    .filter((path) => path.toLowerCase().includes(letters) && !isSecretPath(path))
    .sort((one, other) => one.length - other.length || (one < other ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS);
}

/**
 * Whether `findFiles` can search the workspace. It works only for disks, local or remote; elsewhere it returns
 * nothing or never ends.
 */
const isSearched = (): boolean =>
  (vscode.workspace.workspaceFolders ?? []).every(({ uri }) =>
    ['file', 'vscode-remote'].includes(uri.scheme),
  );

async function foundPaths(roots: WorkspaceRoots, letters: string): Promise<readonly string[]> {
  const found = await vscode.workspace.findFiles(`**/*${letters.split('/').at(-1)}*`, undefined, MAX_FOUND);
  return found.flatMap((uri) => roots.pathOf(uri) ?? []);
}

async function walkedPaths(roots: WorkspaceRoots): Promise<readonly string[]> {
  const paths: string[] = [];
  const folder = new StoredFolder(workspaceStore(roots));
  const { signal } = new AbortController();
  for await (const { path, type } of folder.walk('.', { signal })) {
    if (type === 'file') paths.push(path);
    if (paths.length >= MAX_WALKED) break;
  }
  return paths;
}
