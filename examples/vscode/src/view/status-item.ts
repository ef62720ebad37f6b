import * as vscode from 'vscode';
import type { ConversationView } from '../run/conversation-view.js';

/** Shows the conversation's tokens in the status bar; a click opens the view. */
export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('stepwise.tokens', vscode.StatusBarAlignment.Right);

  constructor() {
    this.#item.name = 'Stepwise';
    this.#item.command = 'stepwise.show';
  }

  show({ status, usage: { input, cached, output } }: ConversationView): void {
    if (status === 'idle') {
      this.#item.hide();
      return;
    }
    const icon = status === 'running' ? '$(loading~spin)' : '$(list-tree)';
    const words = `${input} tokens in, ${cached} of them from the cache; ${output} out`;
    this.#item.text = `${icon} ${short(input)} in${cached > 0 ? ` (${short(cached)} cached)` : ''} / ${short(output)} out`;
    this.#item.tooltip = `Stepwise: ${words}`;
    this.#item.accessibilityInformation = { label: `Stepwise: ${words}`, role: 'button' };
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

const short = (tokens: number): string => (tokens < 1_000 ? `${tokens}` : `${(tokens / 1_000).toFixed(1)}k`);
