import { showTextLine } from './shown-text.js';
import type { Terminal } from './terminal.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** In characters: no line is longer. */
const MAX_DETAIL = 400;

type LiveLine = Pick<Terminal, 'progress' | 'paint' | 'width' | 'isLive'>;

/** The last line of a live screen: what is going on, for how long, and how to stop it. */
export class Spinner {
  readonly #terminal: LiveLine;
  #timer: ReturnType<typeof setInterval> | undefined;
  #verb = '';
  #hint = '';
  #detail = '';
  #topic = '';
  #since = 0;
  #frame = 0;

  constructor(terminal: LiveLine) {
    this.#terminal = terminal;
  }

  /** Shows the verb with a clock that begins now, and how to stop it. */
  start(verb: string, hint = 'esc to interrupt'): void {
    this.stop();
    if (!this.#terminal.isLive) return;
    this.#verb = verb;
    this.#hint = hint;
    this.#detail = '';
    this.#since = Date.now();
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#draw();
  }

  /** More of what the model says of a topic; its end is shown after the clock. Each piece is looked at once. */
  tell(piece: string, topic = ''): void {
    const before = topic === this.#topic ? this.#detail : '';
    this.#topic = topic;
    this.#detail = (before + showTextLine(piece)).slice(-MAX_DETAIL);
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#terminal.progress.write('\r\u001b[K');
  }

  /** Writes above the spinner's line. */
  above(write: () => void): void {
    if (this.#timer !== undefined) this.#terminal.progress.write('\r\u001b[K');
    write();
    if (this.#timer !== undefined) this.#draw();
  }

  #draw(): void {
    const { paint, width, progress } = this.#terminal;
    const frame = frames[this.#frame++ % frames.length] ?? '';
    const seconds = Math.floor((Date.now() - this.#since) / 1000);
    const status = `${this.#verb}… ${seconds}s • ${this.#hint}`;
    const room = width - status.length - 6;
    const detail = this.#detail && room > 10 ? `  ${this.#detail.slice(-room)}` : '';
    progress.write(`\r\u001b[K${paint('cyan', frame)} ${status}${paint('dim', detail)}`);
  }
}
