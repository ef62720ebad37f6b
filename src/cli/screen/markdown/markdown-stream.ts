import type { MarkedToken, Token, Tokens } from 'marked';
import { lexMarkdown } from '../../../markdown/lex-markdown.js';
import { plain } from '../../display/paint.js';
import { showText } from '../visible-text.js';
import { codeRow, renderBlocks, renderItems } from './render-blocks.js';
import type { TextView } from './render-inline.js';

/** Maximum number of characters that are not final. Longer text is split, so that the total work stays linear. */
const MAX_OPEN_CHARS = 2_000;

interface Fence {
  readonly mark: string;
  readonly language: string | undefined;
}

/**
 * Renders streamed Markdown as terminal rows. A block is final when the next block has begun, a list item when the next
 * item has begun, and a line of code when the line has ended. `take` returns each final row once; `open` returns rows
 * that can still change.
 */
export class MarkdownStream {
  readonly #view: TextView;
  /** Complete lines that are not final, made safe to display. */
  #lines = '';
  /** The incomplete last line, as received. */
  #line = '';
  /** True if `#lines` has not grown since it was last parsed. */
  #isParsed = true;
  #fence: Fence | undefined;
  /** Number of final items of the list at the beginning of `#lines`. */
  #itemsTaken = 0;
  #listStart: number | undefined;
  #needsGap = false;

  constructor({ paint = plain, width }: Partial<TextView> & Pick<TextView, 'width'>) {
    this.#view = { paint, width };
  }

  add(piece: string): void {
    const end = piece.lastIndexOf('\n') + 1;
    if (end > 0) this.#keep(this.#line + piece.slice(0, end));
    this.#line = end > 0 ? piece.slice(end) : this.#line + piece;
    if (this.#line.length <= MAX_OPEN_CHARS) return;
    this.#keep(this.#line);
    this.#line = '';
  }

  #keep(text: string): void {
    this.#lines += showText(text);
    this.#isParsed = false;
  }

  /** Returns the rows that have become final. */
  take(): string[] {
    const rows: string[] = [];
    while (!this.#isParsed) {
      const taken = this.#fence ? this.#takeCode(this.#fence) : this.#takeBlocks();
      rows.push(...(taken ?? []));
      this.#isParsed = taken === undefined;
    }
    return rows;
  }

  /** Returns the rows that can still change. */
  open(): string[] {
    const rest = this.#lines + showText(this.#line);
    if (this.#fence) return rest === '' || isClosing(rest, this.#fence) ? [] : [this.#codeRow(rest)];
    return this.#withGap(this.#render(lexMarkdown(rest)));
  }

  /** Ends the text and returns the remaining rows. */
  end(): string[] {
    if (this.#line !== '') this.add('\n');
    const rows = this.take();
    const rest = this.#fence ? [] : this.#withGap(this.#render(lexMarkdown(this.#lines)));
    this.#lines = '';
    return [...rows, ...rest];
  }

  /** Returns the next final rows; undefined if nothing more is final. */
  #takeBlocks(): string[] | undefined {
    const window = firstLines(this.#lines);
    const tokens = lexMarkdown(window);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    if (last > 0) return this.#takeTokens(tokens.slice(0, last));
    // Cast: a lexer without extensions creates only tokens of this type.
    const open = tokens[last] as MarkedToken | undefined;
    if (open?.type === 'code' && open.codeBlockStyle !== 'indented') return this.#openFence(open);
    if (open?.type === 'list' && open.items.length > 1) return this.#takeItems(open);
    return window.length < this.#lines.length ? this.#takePart(tokens) : undefined;
  }

  /** Takes the first part of a block that is too long. The remaining rows of a table get the same header. */
  #takePart(tokens: readonly Token[]): string[] {
    const [head, rule] = this.#lines.split('\n', 2);
    const rows = this.#takeTokens(tokens);
    if (tokens[0]?.type === 'table') this.#lines = `${head}\n${rule}\n${this.#lines}`;
    this.#needsGap = this.#lines.startsWith('\n');
    return rows;
  }

  #takeTokens(tokens: readonly Token[]): string[] {
    const rows = this.#withGap(this.#render(tokens));
    this.#drop(lengthOf(tokens));
    if (rows.length > 0) this.#needsGap = true;
    this.#endList();
    return rows;
  }

  /** Takes all items but the last, which may still grow. */
  #takeItems({ items, ordered, start }: Tokens.List): string[] {
    const final = items.slice(0, -1);
    if (this.#itemsTaken === 0) this.#listStart = ordered ? Number(start || 1) : undefined;
    const rows = this.#withGap(this.#renderItems(final));
    this.#itemsTaken += final.length;
    this.#drop(lengthOf(final));
    return rows;
  }

  #render(tokens: readonly Token[]): string[] {
    const [first, ...more] = tokens;
    if (this.#itemsTaken === 0 || first?.type !== 'list') return renderBlocks(tokens, this.#view);
    const rest = renderBlocks(more, this.#view);
    return [...this.#renderItems((first as Tokens.List).items), ...(rest.length > 0 ? ['', ...rest] : [])];
  }

  #renderItems(items: readonly Tokens.ListItem[]): string[] {
    const start = this.#listStart === undefined ? undefined : this.#listStart + this.#itemsTaken;
    return renderItems(items, { ...this.#view, start });
  }

  #openFence({ raw, lang }: Tokens.Code): string[] {
    const [opening = ''] = raw.split('\n');
    this.#fence = { mark: /`{3,}|~{3,}/.exec(opening)?.[0] ?? '```', language: lang };
    this.#drop(opening.length + 1);
    return this.#needsGap ? [''] : [];
  }

  #takeCode(fence: Fence): string[] | undefined {
    const found = this.#lines.indexOf('\n');
    if (found < 0 && this.#lines.length <= MAX_OPEN_CHARS) return undefined;
    const end = found < 0 ? this.#lines.length : found;
    const line = this.#lines.slice(0, end);
    this.#drop(end + 1);
    if (!isClosing(line, fence)) return [this.#codeRow(line)];
    this.#fence = undefined;
    this.#needsGap = true;
    return [];
  }

  #codeRow(line: string): string {
    return codeRow(line, this.#fence?.language, this.#view.paint);
  }

  /** Adds an empty row after earlier blocks. */
  #withGap(rows: string[]): string[] {
    const goesOn = this.#itemsTaken > 0;
    return this.#needsGap && !goesOn && rows.length > 0 ? ['', ...rows] : rows;
  }

  #endList(): void {
    this.#itemsTaken = 0;
    this.#listStart = undefined;
  }

  #drop(length: number): void {
    this.#lines = this.#lines.slice(length);
  }
}

const lengthOf = (tokens: readonly { readonly raw: string }[]): number =>
  tokens.reduce((length, { raw }) => length + raw.length, 0);

function isClosing(line: string, { mark }: Fence): boolean {
  const text = line.trim();
  return text.startsWith(mark) && text === mark.charAt(0).repeat(text.length);
}

/** Returns the part to parse at once: whole lines if possible. */
function firstLines(text: string): string {
  if (text.length <= MAX_OPEN_CHARS) return text;
  const line = text.lastIndexOf('\n', MAX_OPEN_CHARS);
  return text.slice(0, (line < 0 ? text.lastIndexOf(' ', MAX_OPEN_CHARS) : line) + 1 || MAX_OPEN_CHARS);
}
