import xterm from '@xterm/headless';
import type { Output } from '../../src/cli/display/display.js';

/** A headless terminal. It records what a program writes, and renders what a person would see. */
export class Emulator {
  readonly #terminal: xterm.Terminal;
  readonly #listeners: (() => void)[] = [];
  /** The text of each write, in order. */
  readonly writes: string[] = [];

  constructor(columns = 80, rows = 24) {
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 20_000,
      allowProposedApi: true,
      convertEol: true,
    });
  }

  /** An output stream that programs accept as a terminal. */
  get output(): Output {
    const write = (text: string | Uint8Array) => {
      this.writes.push(String(text));
      this.#terminal.write(text);
      return true;
    };
    const on = (_: string, listen: () => void) => this.#listeners.push(listen);
    const output = { write, on, isTTY: true };
    Object.defineProperty(output, 'columns', { get: () => this.#terminal.cols });
    Object.defineProperty(output, 'rows', { get: () => this.#terminal.rows });
    // Cast: the display uses only these members of a stream.
    return output as unknown as Output;
  }

  /** All output as one text. */
  get written(): string {
    return this.writes.join('');
  }

  /** Writes the output of another program, or of a recording, to this terminal. */
  write(text: string): void {
    this.output.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    for (const listen of this.#listeners) listen();
  }

  /** Returns all rows including scrollback, without trailing spaces and empty rows at the end. */
  async rows(): Promise<readonly string[]> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, index) => active.getLine(index));
    const text = rows.map((row) => row?.translateToString(true) ?? '').join('\n');
    return text.trimEnd().split('\n');
  }

  /** Returns the rows that exist only because the terminal wrapped a row that was too long. */
  async wrappedRows(): Promise<readonly string[]> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, index) => active.getLine(index));
    return rows.filter((row) => row?.isWrapped).map((row) => row?.translateToString(true) ?? '');
  }

  /** Returns the rows visible in the window. */
  async window(): Promise<readonly string[]> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, index) =>
      (active.getLine(active.baseY + index)?.translateToString(true) ?? '').trimEnd(),
    );
  }

  /** Returns the position of the cursor in the window, counted from 0. */
  async cursor(): Promise<{ row: number; column: number }> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  /** Returns the style of a text, at the first place where a row contains it. */
  async styleOf(text: string): Promise<{ bold: boolean; dim: boolean; italic: boolean; colour: number }> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    for (let index = 0; index < active.length; index += 1) {
      const line = active.getLine(index);
      const cell = line?.getCell(line.translateToString().indexOf(text));
      if (!line?.translateToString().includes(text) || !cell) continue;
      const [bold, dim, italic] = [cell.isBold(), cell.isDim(), cell.isItalic()].map((is) => is !== 0);
      return { bold: bold === true, dim: dim === true, italic: italic === true, colour: cell.getFgColor() };
    }
    throw new Error(`"${text}" is not on the screen.`);
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write('', resolve));
  }
}
