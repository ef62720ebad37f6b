import type { ChangedFile } from 'stepwise/tools/browser';
import * as vscode from 'vscode';

export const CHANGE_SCHEME = 'stepwise-change';

/** A proposed change that is open in the editor's diff. */
export interface ChangeDocument {
  show(): Promise<void>;
  close(): Promise<void>;
  /** Reports whether the diff at this URI shows this change. */
  isAt(place: vscode.Uri): boolean;
}

/** Provides both sides of a proposed change as read-only documents, so that the person approves exactly this text. */
export class ChangeDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? 'This change was already accepted or rejected.';
  }

  /**
   * Creates the documents for both sides of a change. The result shows them in the editor's diff, and closes the diff.
   */
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
