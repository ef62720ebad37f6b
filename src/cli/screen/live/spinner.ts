import { columnsOf } from '../../display/columns.js';
import type { Display } from '../../display/display.js';
import { cut } from '../../display/wrap.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** The status line of a live screen: the activity, its duration, how to stop it, and a note. */
export class Spinner {
  readonly #display: Display;
  #timer: ReturnType<typeof setInterval> | undefined;
  #activity = '';
  #hint = '';
  #since = 0;
  #frame = 0;
  /** Text at the end of the line, if there is room. */
  note = '';

  constructor(display: Display) {
    this.#display = display;
  }

  /** Shows an activity, its duration from now on, and a hint how to stop it. */
  start(activity: string, hint = 'esc to interrupt'): void {
    this.stop();
    if (!this.#display.isLive) return;
    this.#activity = activity;
    this.#hint = hint;
    this.#since = Date.now();
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#draw();
  }

  /** Renames the activity; the clock continues. */
  rename(activity: string): void {
    if (activity === this.#activity) return;
    this.#activity = activity;
    if (this.#timer) this.#draw();
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#display.show('status', []);
  }

  #draw(): void {
    const { paint, width } = this.#display;
    const frame = frames[this.#frame++ % frames.length] ?? '';
    const end = `… ${elapsed(Date.now() - this.#since)} • ${this.#hint}`;
    const shown = cut(this.#activity, Math.max(10, width - columnsOf(end) - 3));
    const row = `${paint('cyan', frame)} ${shown}${end}`;
    const noted = `${row}${paint('dim', ' • ')}${this.note}`;
    this.#display.show('status', [this.note && columnsOf(noted) <= width ? noted : row]);
  }
}

/** Formats a duration: `12s`, `2m 5s`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}
