/**
 * Number of rows above the cursor that a program may still overwrite. This is enough for progress bars of several
 * lines.
 */
const MAX_OPEN_ROWS = 50;
/** Maximum length of a row that may still be overwritten. A longer row is passed on and can no longer change. */
const MAX_OPEN_CHARS = 8_192;
/** Maximum length of an escape sequence whose end has not arrived yet. */
const MAX_PENDING_CHARS = 4_096;

const CSI = String.raw`(?:\x1b\[|\x9b)`;
/**
 * Matches the beginning of a control string, such as a title or a link (OSC). A control string ends with BEL or
 * ST, and never continues on the next line.
 */
const STRING = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])`;
const STRING_BODY = String.raw`[^\x07\n\x1b\x90\x98\x9c-\x9f]*`;

/**
 * Matches text, an escape sequence, or one control character. The group `open` is a sequence whose end has not
 * arrived yet.
 */
const tokens = new RegExp(
  [
    String.raw`(?<text>[\0\t\v\f\x20-\x7e\u{a0}-\u{10ffff}]+)`,
    `${CSI}(?<args>[0-?]*)[ -/]*(?<csi>[@-~])`,
    String.raw`${STRING}${STRING_BODY}(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]*[0-OQ-WYZ\\\x60-~]`,
    String.raw`(?<open>(?:${CSI}[ -?]*|${STRING}${STRING_BODY}\x1b?|\x1b[ -/]*)$)`,
    `${CSI}[ -?]*|${STRING}`,
    '(?<control>[^])',
  ].join('|'),
  'gu',
);

/**
 * Reduces the output of a command to what a terminal would show in the end: only the last state of overwritten
 * text, and no colours, titles or links (rule: command-output). Takes linear time and bounded memory.
 */
export class LastState {
  /** Rows that may still change. The cursor is in the row at index `#at`. */
  readonly #rows: Row[] = [];
  #at = 0;
  #pending = '';

  /** Adds output. Returns the text that can no longer change. */
  add(chunk: string): string {
    const output = this.#pending + chunk;
    this.#pending = '';
    for (const { groups = {} } of output.matchAll(tokens)) {
      const { text, csi, args = '', open, control } = groups;
      if (text !== undefined) this.#row.write(text);
      else if (csi !== undefined) this.#edit(csi, args);
      else if (open !== undefined && open.length < MAX_PENDING_CHARS) this.#pending = open;
      else if (control !== undefined) this.#move(control);
    }
    return this.#takeFinal();
  }

  /** Returns the text of all rows that are left. */
  end(): string {
    return this.#rows.map((row) => row.text).join('\n');
  }

  get #row(): Row {
    while (this.#rows.length <= this.#at) this.#rows.push(new Row());
    return this.#rows[this.#at] as Row; // the loop has filled the list up to here
  }

  #move(control: string): void {
    if (control === '\n') this.#down(1);
    else if (control === '\r') this.#row.moveTo(0);
    else if (control === '\b') this.#row.moveBy(-1);
  }

  #edit(csi: string, args: string): void {
    const given = Number(args.split(';')[0]);
    const count = given || 1;
    const row = this.#row;
    if (csi === 'K') row.erase(given);
    else if (csi === 'J' && given === 0) this.#eraseBelow();
    else if (csi === 'G') row.moveTo(count - 1);
    else if (csi === 'C') row.moveBy(count);
    else if (csi === 'D') row.moveBy(-count);
    else if (csi === 'P') row.remove(count);
    else if (csi === 'A' || csi === 'F') this.#up(count, csi === 'F' ? 0 : row.column);
    else if (csi === 'B' || csi === 'E') this.#down(count, csi === 'E' ? 0 : row.column);
  }

  #up(count: number, column: number): void {
    this.#at = Math.max(0, this.#at - count);
    this.#row.moveTo(column);
  }

  #down(count: number, column = 0): void {
    this.#row; // A line break completes the row even if nothing was written to it.
    this.#at += Math.min(count, MAX_OPEN_ROWS);
    this.#row.moveTo(column);
  }

  #eraseBelow(): void {
    this.#row.erase(0);
    this.#rows.length = this.#at + 1;
  }

  #takeFinal(): string {
    const row = this.#row;
    const surplus = row.isLong ? this.#at : Math.max(0, this.#at - MAX_OPEN_ROWS);
    const final = this.#rows.splice(0, surplus).map(({ text }) => `${text}\n`);
    this.#at -= surplus;
    return final.join('') + (row.isLong ? row.take() : '');
  }
}

/**
 * A row of a terminal. While text is only appended, the row is a string; once it is overwritten, a list of
 * characters.
 */
class Row {
  #string = '';
  #cells: string[] | undefined;
  /** Position of the cursor in the list of characters. While the row is a string, `#isAtEnd` is the position. */
  #column = 0;
  #isAtEnd = true;

  /** Trailing spaces of an overwritten row are removed, because a program writes them to erase longer text. */
  get text(): string {
    return this.#cells ? this.#cells.join('').replace(/ +$/, '') : this.#string;
  }

  get column(): number {
    this.#toCells();
    return this.#column;
  }

  /** True if the row is too long to be kept, and the cursor is at its end. */
  get isLong(): boolean {
    if (!this.#cells) return this.#isAtEnd && this.#string.length > MAX_OPEN_CHARS;
    return this.#cells.length > MAX_OPEN_CHARS && this.#column === this.#cells.length;
  }

  /** Returns the text of the row, and empties the row. */
  take(): string {
    const { text } = this;
    [this.#string, this.#cells, this.#column, this.#isAtEnd] = ['', undefined, 0, true];
    return text;
  }

  write(text: string): void {
    if (!this.#cells && this.#isAtEnd) {
      this.#string += text;
      return;
    }
    const cells = this.#toCells();
    while (cells.length < this.#column) cells.push(' ');
    for (const character of text) {
      cells[this.#column] = character;
      this.#column += 1;
    }
  }

  moveTo(column: number): void {
    // Moving to column 0 is common, as a carriage return before a line break does so; it does not change the text.
    if (column === 0 && !this.#cells) this.#isAtEnd = this.#string === '';
    else {
      this.#toCells();
      this.#column = Math.max(0, Math.min(column, MAX_OPEN_CHARS));
    }
  }

  moveBy(columns: number): void {
    this.moveTo(this.column + columns);
  }

  /** Erases from the cursor to the end of the row (0), to its beginning (1), or the whole row (2). */
  erase(part: number): void {
    const cells = this.#toCells();
    if (part === 0) cells.length = Math.min(cells.length, this.#column);
    else if (part === 2) cells.length = 0;
    else cells.fill(' ', 0, this.#column + 1);
  }

  /** Removes characters at the cursor, and moves the rest of the row there. */
  remove(count: number): void {
    this.#toCells().splice(this.#column, count);
  }

  #toCells(): string[] {
    if (this.#cells) return this.#cells;
    this.#cells = [...this.#string];
    this.#column = this.#isAtEnd ? this.#cells.length : 0;
    return this.#cells;
  }
}
