import type { Display } from '../display/display.js';
import { breakLine } from '../screen/render-proposal.js';
import type { KeyPress } from './decode-keys.js';
import type { Keyboard, KeyListener } from './keyboard.js';

/** A key that answers a question: a character or a key name. */
export type Key = 'escape' | 'enter' | 'ctrl-c' | 'ctrl-d' | (string & {});

/** A choice offered to the person. */
export interface Choice {
  /** The text of the choice, in one line. */
  readonly row: string;
  /** Keys that select the choice directly, besides its number. */
  readonly keys: readonly Key[];
}

export interface PickOptions {
  /** Cancels the question. */
  readonly signal: AbortSignal;
  /** The choice preselected for Enter; by default none, until an arrow key selects one. */
  readonly selected?: number | undefined;
  /** The subject of the question. Set if the subject must stay visible in a window of any size. */
  readonly subject?: Subject | undefined;
}

/** The subject of a question. It was printed above the choices, but may have scrolled out of a small window. */
interface Subject {
  readonly printedRows: number;
  /** Minimum number of rows that the short form needs. */
  readonly minRows: number;
  /** Renders a short form of at most this many rows. */
  render(maxRows: number): readonly string[];
}

interface Asked {
  readonly display: Display;
  readonly keyboard: Keyboard;
}

const FINISH_LINE_FIRST = '(finish the line below first: Enter, or Ctrl-C to drop it)';
const CHOICE_HINT = '    ↑ ↓ and Enter, a number or a letter';

/** Maximum number of choices that can be selected by a digit; further ones need the arrow keys. */
const MAX_DIGIT = 9;
/** Number of rows reserved for the other contents of the window. */
const OTHER_ROWS = 6;
const MIN_ROWS = 3;
/** Minimum number of rows for choices if a subject is visible: one choice, and the number of further choices. */
const MIN_ROWS_BESIDE_SUBJECT = 2;
/** Columns before each choice. */
export const PICKER_INDENT = 4;

/** Keys that select the choice to leave. */
export const LEAVING_KEYS: readonly Key[] = ['escape', 'ctrl-c', 'closed'];

/**
 * Shows choices and resolves to the index that the person selects by number, key, or arrow keys and Enter. Waits until
 * an unfinished line is sent. Rejects with the signal's reason.
 */
export async function pick(
  { display, keyboard }: Asked,
  choices: readonly Choice[],
  { signal, selected, subject }: PickOptions,
): Promise<number> {
  const picker = new Picker(display, choices, { selected, subject });
  try {
    if (!display.isLive) display.print(choices.map(plainRow).join('\n'));
    if (keyboard.isInDraft) picker.draw(FINISH_LINE_FIRST);
    await keyboard.whenFree(signal);
    signal.throwIfAborted();
    return await new Promise<number>((resolve, reject) => {
      const end = () => {
        keys.end();
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        end();
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      picker.onPicked = (index) => {
        end();
        resolve(index);
      };
      const keys = keyboard.listen(picker);
      picker.draw();
    });
  } finally {
    display.show('dialog', []);
  }
}

export const plainRow = ({ row }: Choice, index: number): string =>
  `  ${index < MAX_DIGIT ? index + 1 : ' '} ${row}`;

/** The choices on the screen and the selected one. */
class Picker implements KeyListener {
  onPicked: (index: number) => void = () => undefined;
  readonly #display: Display;
  readonly #choices: readonly Choice[];
  #selected: number | undefined;
  readonly #subject: Subject | undefined;
  /** Index of the first visible choice. */
  #from = 0;

  constructor(
    display: Display,
    choices: readonly Choice[],
    { selected, subject }: Pick<PickOptions, 'selected' | 'subject'>,
  ) {
    this.#display = display;
    this.#choices = choices;
    this.#selected = selected;
    this.#subject = subject;
  }

  /**
   * Selects or picks a choice. `isAlone` is false for keys that arrive together, as in a paste; such keys must not
   * allow anything.
   */
  onKey({ name, text }: KeyPress, isAlone = true): void {
    const move = movements[name];
    if (move) {
      this.#selected = move(this.#selected, this.#choices.length - 1);
      this.draw();
    } else if (name === 'enter') {
      if (isAlone && this.#selected !== undefined) this.onPicked(this.#selected);
    } else if (name !== 'paste' && (isAlone || LEAVING_KEYS.includes(name))) {
      const index = this.#indexOf((text || name).toLowerCase());
      if (index >= 0) this.onPicked(index);
    }
  }

  onResized(): void {
    this.draw();
  }

  draw(hint = CHOICE_HINT): void {
    const { width, height, paint } = this.#display;
    const blocks = this.#choices.map((choice, index) => this.#block(choice, index));
    const allHints = breakLine(hint, width).map((row) => paint('dim', row));
    const all = blocks.flat().length;
    const subject = this.#subjectRows(all + allHints.length);
    const isTight = subject.length > 0 && this.#roomBelow() < subject.length + allHints.length + 2;
    const hints = isTight ? [] : allHints;
    const left = this.#roomBelow() - subject.length - hints.length;
    const room = subject.length === 0 ? Math.max(MIN_ROWS, height - OTHER_ROWS) : Math.max(1, left - 2);
    const to = this.#fit(
      blocks.map(({ length }) => length),
      subject.length > 0 && all <= left ? all : room,
    );
    const hasRoomForBoth = subject.length === 0 || left > 2;
    const visible = [
      ...(this.#from > 0 && hasRoomForBoth ? [`    … ${this.#from} before`] : []),
      ...blocks.slice(this.#from, to).flat(),
      ...(to < blocks.length ? [`    … ${blocks.length - to} more`] : []),
    ];
    // The display drops the first rows if there are too many. So choices are cut here, to keep the subject.
    const fitting = subject.length === 0 ? visible : visible.slice(0, Math.max(0, left));
    this.#display.show('dialog', [...subject, ...fitting, ...hints]);
  }

  /** Returns the number of rows available for this question together with everything above it. */
  #roomBelow(): number {
    return this.#display.liveHeight - this.#display.rowsAround('dialog').below;
  }

  /** Returns the short form of the subject if the printed one is not completely visible above the choices. */
  #subjectRows(choiceRows: number): readonly string[] {
    if (!this.#subject || !this.#display.isLive) return [];
    const { printedRows, minRows, render } = this.#subject;
    const room = this.#roomBelow();
    if (printedRows + this.#display.rowsAround('dialog').above + choiceRows <= room) return [];
    // The subject may push the parts above it out of the window, since the person decides about the subject.
    return render(Math.max(1, room - choiceRows, Math.min(minRows, room - MIN_ROWS_BESIDE_SUBJECT)));
  }

  #block(choice: Choice, index: number): readonly string[] {
    const { width, paint } = this.#display;
    const isSelected = index === this.#selected;
    const [head, row] = [plainRow(choice, index).slice(0, PICKER_INDENT), choice.row];
    return breakLine(row, Math.max(1, width - PICKER_INDENT)).map((part, at) => {
      const shown =
        at > 0 ? ' '.repeat(PICKER_INDENT) + part : (isSelected ? `›${head.slice(1)}` : head) + part;
      return isSelected ? paint('cyan', shown) : shown;
    });
  }

  /** Returns the index after the last visible choice. Scrolls so that the selected choice is visible. */
  #fit(sizes: readonly number[], room: number): number {
    const rowsOf = (from: number, to: number) => sizes.slice(from, to).reduce((sum, size) => sum + size, 0);
    const at = this.#selected ?? 0;
    let from = Math.min(this.#from, at);
    while (from < at && rowsOf(from, at + 1) > room) from += 1;
    let to = at + 1;
    while (to < sizes.length && rowsOf(from, to + 1) <= room) to += 1;
    while (from > 0 && rowsOf(from - 1, to) <= room) from -= 1;
    this.#from = from;
    return to;
  }

  #indexOf(key: Key): number {
    const number = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
    return number >= 0 && number < this.#choices.length
      ? number
      : this.#choices.findIndex(({ keys }) => keys.includes(key));
  }
}

/** Returns the index of the choice that a key selects. The arrow keys continue at the other end of the list. */
type Move = (selected: number | undefined, last: number) => number;
const up: Move = (selected = 0, last) => (selected > 0 ? selected - 1 : last);
const down: Move = (selected = -1, last) => (selected < last ? selected + 1 : 0);
const PAGE = 8;

const movements: Readonly<Record<string, Move>> = {
  ...{ up, 'ctrl-p': up, down, 'ctrl-n': down },
  ...{ home: () => 0, end: (_, last) => last },
  'page-up': (selected = 0) => Math.max(0, selected - PAGE),
  'page-down': (selected = 0, last) => Math.min(last, selected + PAGE),
};
