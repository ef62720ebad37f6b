import { isSecretPlace } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import type { Platform } from '../platform.js';
import { rootNames } from './root-names.js';

interface Root {
  /** First part of all paths in this folder; empty if the workspace has only one folder. */
  readonly name: string;
  readonly uri: vscode.Uri;
}

/**
 * The workspace's folders as one tree of paths, fixed when a run begins: folders opened later are not added,
 * closed ones become unreachable. Excludes folders that contain secrets, even under another name or through a
 * link.
 */
export class WorkspaceRoots {
  /** One sentence for each excluded folder. */
  readonly refusals: readonly string[];
  readonly #roots: readonly Root[];

  constructor(realPath: Platform['realPath']) {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const isSecret = ({ uri }: vscode.WorkspaceFolder) =>
      isSecretPlace(uri.path) || isSecretPlace(realPath(uri));
    const names = folders.length === 1 ? [''] : rootNames(folders.map(({ name }) => name));
    this.#roots = folders.flatMap((folder, index) =>
      isSecret(folder) ? [] : [{ name: names[index] ?? '', uri: folder.uri }],
    );
    this.refusals = folders.filter(isSecret).map(({ name }) => refusalOf(name));
  }

  /** The included folders in the workspace's order. */
  get uris(): readonly vscode.Uri[] {
    return this.#roots.map(({ uri }) => uri);
  }

  get isEmpty(): boolean {
    return this.#roots.length === 0;
  }

  /** Names of the folders at the top of the tree; undefined for a single folder, which is `.` itself. */
  get names(): readonly string[] | undefined {
    return this.#only ? undefined : this.#roots.filter(isOpen).map(({ name }) => name);
  }

  /** Resolves a normalized path; undefined if it is in none of the folders that are still open. */
  locate(path: string): vscode.Uri | undefined {
    const only = this.#only;
    if (only) return isOpen(only) ? below(only.uri, path) : undefined;
    const [name, ...rest] = path.split('/');
    const root = this.#roots.find((each) => each.name === name);
    return root && isOpen(root) ? below(root.uri, rest.join('/')) : undefined;
  }

  /** Returns the path of a URI; undefined if it is outside the folders of the workspace. */
  pathOf(uri: vscode.Uri): string | undefined {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    const root = this.#roots.find((each) => each.uri.toString() === folder?.uri.toString());
    if (!root) return undefined;
    const path = uri.path.slice(root.uri.path.length).replace(/^\/+/, '');
    return [root.name, path].filter(Boolean).join('/') || '.';
  }

  get #only(): Root | undefined {
    return this.#roots.find(({ name }) => name === '');
  }
}

const refusalOf = (name: string): string =>
  `The folder ${name} contains secrets, so nothing in it is read or sent.`;

const isOpen = ({ uri }: Root): boolean =>
  vscode.workspace.workspaceFolders?.some((each) => each.uri.toString() === uri.toString()) ?? false;

const below = (uri: vscode.Uri, path: string): vscode.Uri =>
  path === '' || path === '.' ? uri : vscode.Uri.joinPath(uri, ...path.split('/'));
