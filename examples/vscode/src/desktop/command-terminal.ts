import * as vscode from 'vscode';
import { seen } from '../approvals/in-message.js';

/** Maximum output, in characters, buffered until the terminal opens. */
const MAX_WAITING_LENGTH = 100_000;

/** A read-only terminal that shows commands and their unmodified output. */
export class CommandTerminal {
  readonly #output = new vscode.EventEmitter<string>();
  #terminal: vscode.Terminal | undefined;
  #isOpen = false;
  /** Output that waits until the editor has drawn the terminal, because the editor discards earlier output. */
  #waiting = '';

  /** Shows the terminal and the command, without taking the focus. */
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
      // After the person closes the terminal, the next command opens a new one.
      close: () => {
        this.#isOpen = false;
        this.#terminal = undefined;
      },
    };
  }
}
