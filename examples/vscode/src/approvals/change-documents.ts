import type { ChangedFile } from 'stepwise/tools/browser';
import * as vscode from 'vscode';

export const CHANGE_SCHEME = 'stepwise-change';

/** A change in the editor's own diff. */
export interface ChangeDocument {
  show(): Promise<void>;
  close(): Promise<void>;
  /** Whether it is this change that is shown there. */
  isAt(place: vscode.Uri): boolean;
}

/** The two sides of a proposed change, as documents of their own: what is agreed to is this text and no other. */
export class ChangeDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? 'This change is decided.';
  }

  /** Shows a change in the editor's own diff; what is given back shows it again or closes it. */
  open({ path, before, after }: ChangedFile): ChangeDocument {
    const place = vscode.Uri.from({ scheme: CHANGE_SCHEME, path: `/${path}` });
    const number = ++this.#count;
    const [left, right] = ['now', 'proposed'].map((side) => place.with({ query: `${side}-${number}` }));
    if (!left || !right) throw new Error('A change has two sides.');
    this.#texts.set(left.toString(), before ?? '').set(right.toString(), after);
    return {
      isAt: (shown) => [left, right].some((side) => side.toString() === shown.toString()),
      show: async () => {
        const title = `${path} (${before === undefined ? 'new file' : 'change'} by Stepwise)`;
        await vscode.commands.executeCommand('vscode.diff', left, right, title, {
          preview: true,
          preserveFocus: true,
        });
      },
      close: async () => {
        this.#texts.delete(left.toString());
        this.#texts.delete(right.toString());
        await vscode.window.tabGroups.close(tabsOf(right), true);
      },
    };
  }
}

const tabsOf = (uri: vscode.Uri): vscode.Tab[] =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString(),
    );
