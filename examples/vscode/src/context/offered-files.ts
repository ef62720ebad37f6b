import { StoredFolder } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import type { WorkspaceRoots } from '../workspace/workspace-roots.js';
import { workspaceStore } from '../workspace/workspace-store.js';
import { pathForTask, readForTask } from './read-for-task.js';

/** A file offered for the next task, as the view shows it. */
export interface OfferedFile {
  /** Unique among the offered files. */
  readonly id: string;
  readonly kind: 'focus' | 'editor' | 'tagged';
  readonly path: string;
  /** The selected lines of the focused file. */
  readonly selection: { readonly start_line: number; readonly end_line: number } | null;
  /** The reason why the file cannot be sent; null if it can. */
  readonly refusal: string | null;
}

export interface OfferedFilesParts {
  readonly openRoots: () => WorkspaceRoots;
  readonly includesOpenEditors: () => boolean;
  readonly onChange: () => void;
}

/** Maximum number of open editors that are offered: the last ones in the order of the tabs. */
const MAX_OPEN_EDITORS = 10;

/** The files offered for the next task: the focused file, open editors and tagged files. The person can remove each. */
export class OfferedFiles implements vscode.Disposable {
  readonly #tagged = new Map<string, vscode.Uri>();
  readonly #removed = new Set<string>();
  readonly #listeners: readonly vscode.Disposable[];
  readonly #parts: OfferedFilesParts;

  constructor(parts: OfferedFilesParts) {
    const { onChange } = parts;
    this.#parts = parts;
    const onFocus = () => {
      // If the person removes the focused file, it stays removed until another file gets the focus.
      for (const id of this.#removed) if (id.startsWith('focus:')) this.#removed.delete(id);
      onChange();
    };
    this.#listeners = [
      vscode.window.onDidChangeActiveTextEditor(onFocus),
      vscode.window.onDidChangeTextEditorSelection(onChange),
      vscode.window.tabGroups.onDidChangeTabs(onChange),
      vscode.workspace.onDidChangeWorkspaceFolders(onChange),
    ];
  }

  /** Tags a file for the next task; returns the reason if it cannot be sent. */
  async tag(uri: vscode.Uri): Promise<string | undefined> {
    const roots = this.#parts.openRoots();
    const found = pathForTask(roots, uri);
    if ('refusal' in found) return found.refusal;
    const folder = new StoredFolder(workspaceStore(roots));
    const reading = await readForTask(folder, found.path, new AbortController().signal);
    if ('refusal' in reading) return reading.refusal;
    this.#tagged.set(uri.toString(), uri);
    return undefined;
  }

  remove(id: string): void {
    for (const uri of this.#tagged.values())
      if (idOf('tagged', uri) === id) this.#tagged.delete(uri.toString());
    this.#removed.add(id);
  }

  /** Clears tags and removals after a task. */
  reset(): void {
    this.#tagged.clear();
    this.#removed.clear();
  }

  /** Lists tagged files, the focused file and open editors in this order, without duplicates. */
  list(): readonly OfferedFile[] {
    const roots = this.#parts.openRoots();
    const all = [...this.#taggedFiles(roots), ...focusedFile(roots), ...this.#openEditors(roots)];
    const isFirst = ({ path }: OfferedFile, index: number) =>
      all.findIndex((each) => each.path === path) === index;
    return all.filter(
      (file, index) => !this.#removed.has(file.id) && (isFirst(file, index) || file.kind === 'focus'),
    );
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  #taggedFiles(roots: WorkspaceRoots): OfferedFile[] {
    return [...this.#tagged.values()].map((uri) => offer('tagged', uri, roots));
  }

  #openEditors(roots: WorkspaceRoots): OfferedFile[] {
    if (!this.#parts.includesOpenEditors()) return [];
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    return tabs
      .flatMap(({ input }) => (input instanceof vscode.TabInputText && isFile(input.uri) ? input.uri : []))
      .slice(-MAX_OPEN_EDITORS)
      .map((uri) => offer('editor', uri, roots));
  }
}

function focusedFile(roots: WorkspaceRoots): OfferedFile[] {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isFile(editor.document.uri)) return [];
  const { selection } = editor;
  const file = offer('focus', editor.document.uri, roots);
  return [{ ...file, selection: selection.isEmpty ? null : linesOf(selection) }];
}

/** Excludes editors that show no file, such as output panels, diffs and settings. */
const isFile = ({ scheme }: vscode.Uri): boolean =>
  scheme === 'file' || (vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === scheme) ?? false);

/** Returns the selected lines. A selection that ends at the start of a line excludes that line. */
function linesOf({ start, end }: vscode.Selection): NonNullable<OfferedFile['selection']> {
  const last = end.character === 0 ? end.line : end.line + 1;
  return { start_line: start.line + 1, end_line: Math.max(last, start.line + 1) };
}

function offer(kind: OfferedFile['kind'], uri: vscode.Uri, roots: WorkspaceRoots): OfferedFile {
  const found = pathForTask(roots, uri);
  const path = 'path' in found ? found.path : (uri.path.split('/').at(-1) ?? uri.path);
  const refusal = 'refusal' in found ? found.refusal : null;
  return { id: idOf(kind, uri), kind, path, selection: null, refusal };
}

const idOf = (kind: OfferedFile['kind'], uri: vscode.Uri): string => `${kind}:${uri.toString()}`;
