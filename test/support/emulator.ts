import xterm from '@xterm/headless';
import type { Output } from '../../src/cli/display/display.js';

/** A terminal without a window: what a program writes to it, and what a person would see of that. */
export class Emulator {
  readonly #terminal: xterm.Terminal;
  readonly #listeners: (() => void)[] = [];
  /** What was written, piece by piece as it came. */
  readonly pieces: string[] = [];

  constructor(columns = 80, rows = 24) {
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 20_000,
      allowProposedApi: true,
      convertEol: true,
    });
  }

  /** What a program takes for its terminal. */
  get output(): Output {
    const write = (text: string | Uint8Array) => {
      this.pieces.push(String(text));
      this.#terminal.write(text);
      return true;
    };
    const on = (_: string, listen: () => void) => this.#listeners.push(listen);
    const output = { write, on, isTTY: true };
    Object.defineProperty(output, 'columns', { get: () => this.#terminal.cols });
    Object.defineProperty(output, 'rows', { get: () => this.#terminal.rows });
    // Of a stream the screen uses these alone.
    return output as unknown as Output;
  }

  /** The same as one text. */
  get written(): string {
    return this.pieces.join('');
  }

  /** Writes what another program would, or what was recorded of one. */
  write(text: string): void {
    this.output.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    for (const listen of this.#listeners) listen();
  }

  /** All rows from the first that was ever shown to the last that has something, without spaces at their ends. */
  async rows(): Promise<readonly string[]> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, index) => active.getLine(index));
    const text = rows.map((row) => row?.translateToString(true) ?? '').join('\n');
    return text.trimEnd().split('\n');
  }

  /** The rows that the terminal itself went on with, because the one above was too long for it. */
  async wrappedRows(): Promise<readonly string[]> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, index) => active.getLine(index));
    return rows.filter((row) => row?.isWrapped).map((row) => row?.translateToString(true) ?? '');
  }

  /** The rows that the window shows. */
  async window(): Promise<readonly string[]> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, index) =>
      (active.getLine(active.baseY + index)?.translateToString(true) ?? '').trimEnd(),
    );
  }

  /** Where the next character would be shown, from 0 in the window. */
  async cursor(): Promise<{ row: number; column: number }> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    return { row: active.cursorY, column: active.cursorX };
  }

  /** The style of the first place where the text stands in a row. */
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
