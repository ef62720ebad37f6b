import * as vscode from 'vscode';
import { seen } from '../approvals/in-message.js';

/** In characters: kept for a terminal that is not open yet. */
const MAX_WAITING_LENGTH = 100_000;

/** A terminal of the editor that shows commands and what they say, as they say it. Nothing can be typed into it. */
export class CommandTerminal {
  readonly #output = new vscode.EventEmitter<string>();
  #terminal: vscode.Terminal | undefined;
  #isOpen = false;
  /** What the editor would lose: it listens only once it has drawn the terminal. */
  #waiting = '';

  /** Shows the terminal, without taking the focus, and the command. */
  begin(command: string): void {
    this.#terminal ??= vscode.window.createTerminal({ name: 'Stepwise', pty: this.#pty });
    this.#terminal.show(true);
    this.write(`\x1b[1m$ ${seen(command)}\x1b[0m\n`); // a model's own escapes are no terminal's
  }

  write(text: string): void {
    const lines = text.replaceAll(/\r?\n/g, '\r\n');
    if (this.#isOpen) this.#output.fire(lines);
    else this.#waiting = (this.#waiting + lines).slice(-MAX_WAITING_LENGTH);
  }

  get #pty(): vscode.Pseudoterminal {
    return {
      onDidWrite: this.#output.event,
      open: () => {
        this.#isOpen = true;
        this.#output.fire(this.#waiting);
        this.#waiting = '';
      },
      // The next command has a new one.
      close: () => {
        this.#isOpen = false;
        this.#terminal = undefined;
      },
    };
  }
}
