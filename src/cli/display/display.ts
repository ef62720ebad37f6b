import { inAscii, supportsUnicode } from './ascii.js';
import { type CursorPlace, type Frame, LiveRegion } from './live-region.js';
import { type Paint, plain } from './paint.js';
import { cut } from './wrap.js';

/** The parts of the live region, from top to bottom. */
const PARTS = ['text', 'output', 'tasks', 'status', 'queue', 'dialog', 'input', 'hint', 'mode'] as const;
export type LivePart = (typeof PARTS)[number];

interface LiveRows {
  readonly rows: readonly string[];
  readonly cursor?: CursorPlace | undefined;
}

/** A terminal, whose size is read again for each frame. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows' | 'on'>;

/** Returns the width of a terminal; 100 for an output that has none or reports 0, as a terminal of a container can. */
export const widthOf = ({ columns }: { readonly columns?: number }): number => columns || 100;

/** Shortest time between two frames; faster changes share a frame. */
const FRAME_MS = 33;

const CLEAR_SCREEN = '\u001b[H\u001b[2J';

/**
 * Writes everything that appears on a terminal. Printed lines are written once and scroll away; below them the live
 * region rewrites only the rows that changed. An output that is no terminal gets the printed lines only.
 */
export class Display {
  readonly paint: Paint;
  readonly #output: Output;
  readonly #isAscii: boolean;
  readonly #isDumb: boolean;
  readonly #parts = new Map<LivePart, LiveRows>();
  readonly #region = new LiveRegion();
  #isSuspended = false;
  /** Lines printed while another program uses the terminal. */
  #held = '';
  #lastFrame = 0;
  readonly #prepared = new Set<() => void>();
  /** Lines printed while a frame is prepared; undefined at other times. */
  #above: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(output: Output, { paint = plain, environment = process.env } = {}) {
    this.#output = output;
    this.paint = paint;
    this.#isAscii = !supportsUnicode(environment);
    this.#isDumb = environment['TERM'] === 'dumb';
    if (this.isLive) output.on('resize', () => this.#redrawAll());
  }

  /** True if the output can redraw rows. */
  get isLive(): boolean {
    return this.#output.isTTY === true && !this.#isDumb;
  }

  get width(): number {
    return widthOf(this.#output);
  }

  get height(): number {
    return this.#output.rows || 40;
  }

  /** Maximum number of rows of the live region. */
  get liveHeight(): number {
    return Math.max(1, this.height - 1);
  }

  /** Returns the number of rows of the other parts of the live region, above and below this one. */
  rowsAround(part: LivePart): { readonly above: number; readonly below: number } {
    const at = PARTS.indexOf(part);
    const count = (parts: readonly LivePart[]) =>
      parts.reduce((sum, each) => sum + (this.#parts.get(each)?.rows.length ?? 0), 0);
    return { above: count(PARTS.slice(0, at)), below: count(PARTS.slice(at + 1)) };
  }

  /**
   * Writes whole lines above the live region. The lines can replace a part of it. While another program uses the
   * terminal, they are stored and printed later.
   */
  print(text: string, replaced?: LivePart): void {
    if (replaced) this.#parts.delete(replaced);
    const lines = `${this.#written(text)}\n`;
    if (this.#above !== undefined) this.#above += lines;
    else this.#draw(lines);
  }

  /** Sets the rows of a part of the live region; an empty list removes the part. Rows wider than the window are cut. */
  show(part: LivePart, rows: readonly string[], cursor?: CursorPlace): void {
    if (!this.isLive) return;
    if (rows.length > 0) this.#parts.set(part, { rows, cursor });
    else if (!this.#parts.delete(part)) return;
    if (this.#above !== undefined) return;
    if (this.#parts.size === 0) this.flush();
    else this.#schedule();
  }

  /** Calls `prepare` once before the next frame. The frame includes all that `prepare` prints and shows. */
  beforeFrame(prepare: () => void): void {
    this.#prepared.add(prepare);
    this.#schedule();
  }

  /** Draws pending changes immediately. */
  flush(): void {
    this.#draw('');
  }

  /** Clears the screen and draws the live region at its top (Ctrl-L). */
  clear(): void {
    if (!this.isLive) return;
    this.#region.forget();
    this.#output.write(CLEAR_SCREEN);
    this.#draw('');
  }

  /** Leaves the terminal to another program, such as an editor, until `work` ends. */
  async without<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    this.leave();
    this.#isSuspended = true;
    try {
      return await work();
    } finally {
      this.#isSuspended = false;
      this.flush();
    }
  }

  #schedule(): void {
    const passed = performance.now() - this.#lastFrame;
    if (passed >= FRAME_MS) this.#draw('');
    else this.#timer ??= setTimeout(() => this.#draw(''), FRAME_MS - passed).unref();
  }

  #draw(lines: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#held += lines;
    if (this.#isSuspended) return;
    const above = this.#prepare() + this.#held;
    this.#held = '';
    const isBelow = !this.#region.isEmpty || this.#parts.size > 0;
    if (!this.isLive || !isBelow) {
      if (above) this.#output.write(above);
      return;
    }
    this.#lastFrame = performance.now();
    const change = this.#region.change({ above, ...this.#composed() }, this.width);
    if (change) this.#output.write(change);
  }

  /** Runs the callbacks waiting for this frame and returns what they printed. */
  #prepare(): string {
    this.#above = '';
    const waiting = [...this.#prepared];
    this.#prepared.clear();
    for (const prepare of waiting) prepare();
    const printed = this.#above;
    this.#above = undefined;
    return printed;
  }

  /** Returns the rows of all parts. If the window is too small for all rows, returns the lowest ones. */
  #composed(): Omit<Frame, 'above'> {
    const rows: string[] = [];
    let cursor: CursorPlace | undefined;
    for (const part of PARTS) {
      const shown = this.#parts.get(part);
      if (shown?.cursor) cursor = { ...shown.cursor, row: rows.length + shown.cursor.row };
      rows.push(...(shown?.rows ?? []));
    }
    const hidden = Math.max(0, rows.length - this.liveHeight);
    const fitting = rows.slice(hidden).map((row) => cut(this.#written(row), this.width));
    return { rows: fitting, cursor: cursor && { ...cursor, row: Math.max(0, cursor.row - hidden) } };
  }

  #redrawAll(): void {
    if (this.#region.isEmpty || this.#isSuspended) return;
    this.#output.write(this.#region.eraseResized(this.width));
    this.#draw('');
  }

  /** Removes the live region and shows the cursor again. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const left = this.#region.leave();
    if (left) this.#output.write(left);
  }

  #written(text: string): string {
    return this.#isAscii ? inAscii(text) : text;
  }
}
