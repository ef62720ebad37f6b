import { isSecretPlace } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import type { Platform } from '../platform.js';
import { rootNames } from './root-names.js';

interface Root {
  /** Empty where it is the only one: paths then begin below it. */
  readonly name: string;
  readonly uri: vscode.Uri;
}

/**
 * The workspace's folders as one tree of paths, as a run began with them: a folder that is opened later does not
 * change what a path means, and one that is closed is no longer reached. A place of secrets is none of them, whatever
 * the workspace calls it and over whatever link it is reached.
 */
export class WorkspaceRoots {
  /** One sentence for each folder that is left out. */
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

  /** The folders, in their order. */
  get uris(): readonly vscode.Uri[] {
    return this.#roots.map(({ uri }) => uri);
  }

  get isEmpty(): boolean {
    return this.#roots.length === 0;
  }

  /** The names of the folders on top, where there are several; undefined where `.` is the only one itself. */
  get names(): readonly string[] | undefined {
    return this.#only ? undefined : this.#roots.filter(isOpen).map(({ name }) => name);
  }

  /** Where a path in normal form lies; undefined for what is in none of the folders that are still open. */
  locate(path: string): vscode.Uri | undefined {
    const only = this.#only;
    if (only) return isOpen(only) ? below(only.uri, path) : undefined;
    const [name, ...rest] = path.split('/');
    const root = this.#roots.find((each) => each.name === name);
    return root && isOpen(root) ? below(root.uri, rest.join('/')) : undefined;
  }

  /** The path of a place; undefined for what lies outside. */
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
  `The folder ${name} is a place where secrets are kept, so nothing of it is read or sent.`;

const isOpen = ({ uri }: Root): boolean =>
  vscode.workspace.workspaceFolders?.some((each) => each.uri.toString() === uri.toString()) ?? false;

const below = (uri: vscode.Uri, path: string): vscode.Uri =>
  path === '' || path === '.' ? uri : vscode.Uri.joinPath(uri, ...path.split('/'));
