import { skipBlanks } from './scanner.js';

/**
 * `quoted`: what stands on the line is shown, not meant (a fence with prose before it, a blockquote, a
 * table row, a list item). `wrapper`: a fence line that only wraps the reply (SPEC §7.1).
 */
export type LineKind = 'blank' | 'plain' | 'quoted' | 'wrapper';

/** Follows a reply line by line through fences and list items. */
export class MarkdownContext {
  /** The run of backticks or tildes that opened the fence we are in. */
  #fence: string | null = null;
  /** The fence that opened the reply and wraps it. */
  #wrapper: string | null = null;
  /** Column where the text of the current list item starts. */
  #itemColumn: number | null = null;

  get insideFence(): boolean {
    return this.#fence !== null;
  }

  /** Classifies the line from `start` to `end`; `proseBefore` says whether the reply has text before it. */
  enterLine(text: string, start: number, end: number, proseBefore: boolean): LineKind {
    const first = skipBlanks(text, start);
    if (first >= end || text.charAt(first) === '\r') return 'blank';
    const run = fenceRun(text, first, end);
    if (this.#fence !== null) {
      if (closes(this.#fence, run, text, first, end)) this.#fence = null;
      return 'quoted';
    }
    if (run !== '') return this.#enterFence(run, closes(this.#wrapper, run, text, first, end), proseBefore);
    return this.#enterText(text, start, first);
  }

  #enterFence(run: string, closesWrapper: boolean, proseBefore: boolean): LineKind {
    if (closesWrapper) this.#wrapper = null;
    else if (!proseBefore) this.#wrapper = run;
    else {
      this.#fence = run;
      return 'quoted';
    }
    return 'wrapper';
  }

  #enterText(text: string, start: number, first: number): LineKind {
    const mark = text.charAt(first);
    if (mark === '>' || mark === '|') return 'quoted';
    const bullet = bulletEnd(text, first);
    if (bullet > first) {
      this.#itemColumn = skipBlanks(text, bullet) - start;
      return 'quoted';
    }
    if (this.#itemColumn !== null && first - start >= this.#itemColumn) return 'quoted';
    this.#itemColumn = null;
    return 'plain';
  }
}

/** The backticks or tildes of a fence line, `''` if it is none. */
export function fenceRun(text: string, first: number, end: number): string {
  const mark = text.charAt(first);
  if (mark !== '`' && mark !== '~') return '';
  let after = first;
  while (text.charAt(after) === mark) after += 1;
  if (after - first < 3) return '';
  // a line of inline code such as ```x``` is no fence
  const info = mark === '`' ? text.indexOf('`', after) : -1;
  return info >= 0 && info < end ? '' : text.slice(first, after);
}

function closes(open: string | null, run: string, text: string, first: number, end: number): boolean {
  if (open === null || run.length < open.length || run[0] !== open[0]) return false;
  const rest = skipBlanks(text, first + run.length);
  return rest >= end || text.charAt(rest) === '\r';
}

/** Behind `-`, `*`, `+`, `1.` or `1)` when a blank or the line's end follows; else `first`. */
export function bulletEnd(text: string, first: number): number {
  let at = first;
  while (at - first < 9 && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at += 1;
  const mark = text.charAt(at);
  const isBullet = at > first ? mark === '.' || mark === ')' : mark === '-' || mark === '*' || mark === '+';
  const next = text.charAt(at + 1);
  return isBullet && (next === ' ' || next === '\t' || next === '\n' || next === '\r' || next === '')
    ? at + 1
    : first;
}
