import { isOneOf, isRestBlank, lineEnd, skipBlanks, skipLanguage, skipRun } from './characters.js';
import { bulletEnd, closesFence, fenceRun } from './markdown.js';
import { type Marker, matchMarker } from './markers.js';
import { EchoedFences, type OwnTag, unmarkedOpenerIn } from './own-fences.js';
import { openedReasoning } from './reasoning-marks.js';

/**
 * The kind of a line in a reply (rule: markers). `quoted`: only displayed, so that no call in it runs (a fence with
 * prose before it, a blockquote, a table row, a list item, a diff, data that the service put into the prompt). `wrapper`: a
 * fence line that only wraps the reply, up to `end`. `value`: begins like a JSON value, so that labels in its strings
 * are not read. `marker`: begins with a label.
 */
export type Line =
  | { readonly kind: 'blank' | 'quoted' | 'value' | 'prose' }
  | { readonly kind: 'wrapper'; readonly end: number }
  | { readonly kind: 'marker'; readonly marker: Marker };

interface ArrivingLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Number of spaces and tabs at the start of the line that are no longer part of `text`. */
  readonly indent?: number;
  /** False if more of the line may arrive. */
  readonly isWhole?: boolean;
}

/** Number of characters of an arriving line that are needed to distinguish text, a list item and a label. */
const LINE_HEAD = 16;
/** Maximum length of a fence line that is held back until it is complete. */
const MAX_FENCE_LINE_LENGTH = 200;

/**
 * Classifies the lines of a reply, one after the other. Tracks the fences, lists and quotations around a line, since a
 * label is read only outside of them.
 */
export class LineClassifier {
  /** The backticks or tildes that opened the current fence. */
  #codeFence: string | null = null;
  /** The backticks or tildes of the fence that opened the reply and wraps it. */
  #wrapper: string | null = null;
  /** Column where the text of the current list item starts. */
  #itemColumn: number | null = null;
  #proseBefore = false;
  #isInHunk = false;
  readonly #echoed = new EchoedFences();

  get insideCodeFence(): boolean {
    return this.#codeFence !== null;
  }

  /** True in a list item, also on the indented lines that continue it. */
  get insideItem(): boolean {
    return this.#itemColumn !== null;
  }

  /** True inside a fence that opened the reply and may wrap it. */
  get insideWrapper(): boolean {
    return this.#wrapper !== null;
  }

  /** True inside a code fence or one of the service's data tags, such as `<file>`. */
  get insideFence(): boolean {
    return this.insideCodeFence || this.#echoed.isInside;
  }

  /**
   * True inside one of the service's data tags (such as `<file>`) whose opening tag was written without its `mark`
   * attribute, so that it may never be closed.
   */
  get insideUnmarkedFence(): boolean {
    return this.#echoed.isInsideUnmarked;
  }

  /** True if the lines read so far contain text other than reasoning and a fence line that wraps the reply. */
  get proseBefore(): boolean {
    return this.#proseBefore;
  }

  /** Returns the end of the line that closes the fence that opened the reply; null if none follows `from`. */
  wrapperEnd(text: string, from: number): number | null {
    for (let start = lineEnd(text, from) + 1; start < text.length; start = lineEnd(text, start) + 1) {
      const [first, end] = [skipBlanks(text, start), lineEnd(text, start)];
      if (closesFence(this.#wrapper, fenceRun(text, first, end), { text, first, end })) return end;
    }
    return null;
  }

  /** Records that the fence that opened the reply does not wrap it. */
  leaveWrapper(): void {
    this.#wrapper = null;
    this.#proseBefore = true;
  }

  sawProse(): void {
    this.#proseBefore = true;
  }

  /**
   * Records one of the service's data tags (such as `<file mark="1f">`) in the current line. Returns `'quotes'` if the
   * text from the next line on is a quotation, `'stray'` for a closing tag without an opening one, and otherwise
   * `'text'`.
   */
  enterOwnTag(tag: OwnTag): 'quotes' | 'stray' | 'text' {
    return this.#echoed.enter(tag);
  }

  /** Classifies a line. Returns null, without any change, if more of the line is needed to decide. */
  enter(line: ArrivingLine): Line | null {
    if (line.isWhole === false && isUndecided(line)) return null;
    const { text, start, end } = line;
    const first = skipBlanks(text, start);
    if (first >= end || text.charAt(first) === '\r') return { kind: 'blank' };
    if (this.#echoed.isInside) return { kind: 'quoted' };
    if (this.#codeFence === null && this.#continuesHunk(line, first)) return this.#quote(text, first);
    const run = fenceRun(text, first, end);
    if (this.#codeFence !== null) {
      if (closesFence(this.#codeFence, run, { text, first, end })) this.#codeFence = null;
      return this.#quote(text, first);
    }
    return run === '' ? this.#enterText(line, first) : this.#enterFence(run, line, first);
  }

  /** Whether the line is in a hunk of a unified diff: its header `@@ -1 +1 @@`, or a line after it with `+`, `-` or a space. */
  #continuesHunk({ text, start, indent = 0 }: ArrivingLine, first: number): boolean {
    const isChange = first + indent > start || isOneOf('+-\\', text, first);
    this.#isInHunk = text.startsWith('@@ -', first) || (this.#isInHunk && isChange);
    return this.#isInHunk;
  }

  #quote(text: string, first: number): Line {
    this.#entersEcho(text, first);
    return { kind: 'quoted' };
  }

  /**
   * Whether the line begins with one of the service's opening data tags (such as `<file>`), written without its `mark`
   * attribute (rule: echoed-fence).
   */
  #entersEcho(text: string, first: number): boolean {
    const tag = unmarkedOpenerIn(text, first);
    if (tag === null || tag === 'partial') return false;
    this.#echoed.enter(tag);
    return true;
  }

  #enterFence(run: string, { text, end }: ArrivingLine, first: number): Line {
    if (closesFence(this.#wrapper, run, { text, first, end })) this.#wrapper = null;
    else if (!this.#proseBefore) this.#wrapper ??= run;
    else {
      this.#codeFence = run;
      return { kind: 'quoted' };
    }
    return { kind: 'wrapper', end: fenceLineEnd(text, first, end) };
  }

  #enterText({ text, start, indent = 0 }: ArrivingLine, first: number): Line {
    if (isOneOf('>|', text, first)) return this.#quote(text, first);
    const column = indent - start;
    const bullet = bulletEnd(text, first);
    if (bullet > first) {
      this.#itemColumn = skipBlanks(text, bullet) + column;
      return this.#quote(text, first);
    }
    if (this.#itemColumn !== null && first + column >= this.#itemColumn) return this.#quote(text, first);
    this.#itemColumn = null;
    const marker = matchMarker(text, start);
    const isEcho = marker && marker !== 'partial' && marker.label === 'observation' && marker.close !== null;
    if ((!marker || (isEcho && !this.#proseBefore)) && this.#entersEcho(text, first))
      return { kind: 'quoted' };
    if (marker && marker !== 'partial') return { kind: 'marker', marker };
    const isValue = isOneOf('{[', text, first) && openedReasoning(text, first) === null;
    return { kind: isValue ? 'value' : 'prose' };
  }
}

/** Whether the line may still become a label, list item or fence. */
function isUndecided({ text, start, end }: ArrivingLine): boolean {
  const first = skipBlanks(text, start);
  const awaited =
    text.startsWith('``', first) || text.startsWith('~~', first) ? MAX_FENCE_LINE_LENGTH : LINE_HEAD;
  if (end - start < awaited) return true;
  const marker = matchMarker(text, start);
  if (marker === 'partial' || (marker !== null && marker.end > end - 2)) return true;
  return unmarkedOpenerIn(text, first) === 'partial';
}

/**
 * Returns the end of the line if at most a language follows the backticks or tildes. Otherwise returns the end of
 * these, since the words after them belong to the reply.
 */
function fenceLineEnd(text: string, first: number, end: number): number {
  const run = skipRun(text, first, text.charAt(first));
  return isRestBlank(text, Math.min(skipLanguage(text, run), end), end) ? end : run;
}
