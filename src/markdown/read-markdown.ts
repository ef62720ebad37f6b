import type { MarkedToken, Token, Tokens } from 'marked';
import { lexMarkdown } from './lex-markdown.js';

/**
 * A node of a Markdown text. The node types are limited to those that cannot run code, load a resource or submit a
 * form.
 */
export type MarkdownNode =
  | MarkdownText
  | MarkdownCodeBlock
  | MarkdownLink
  | MarkdownMark
  | MarkdownHeading
  | MarkdownList
  | MarkdownTable
  | MarkdownContainer;

/** Text without further structure. */
export interface MarkdownText {
  /** `code` is a code span within a line. */
  readonly type: 'text' | 'code';
  /** The characters to display. They are not HTML, so set them as text. */
  readonly text: string;
}

/** A fenced or indented block of code. */
export interface MarkdownCodeBlock {
  /** Distinguishes this type of node from the others. */
  readonly type: 'code-block';
  /** The code with its line breaks, without the fences. */
  readonly text: string;
  /** The words after the opening fence, such as `ts`, as the model wrote them; empty if there are none. */
  readonly language: string;
}

/** A link to a web page. */
export interface MarkdownLink {
  /** Distinguishes this type of node from the others. */
  readonly type: 'link';
  /** An absolute address with `http:` or `https:`. */
  readonly href: string;
  /** The text of the link. If the text does not name the address, it ends with the address in brackets. */
  readonly children: readonly MarkdownNode[];
}

/** A node without content. */
export interface MarkdownMark {
  /** `break` begins a new line; `rule` is a horizontal line between blocks. */
  readonly type: 'break' | 'rule';
}

/** A heading. */
export interface MarkdownHeading {
  /** Distinguishes this type of node from the others. */
  readonly type: 'heading';
  /** Level from 1, the highest, to 6, as the model chose it. */
  readonly depth: number;
  /** The text of the heading. */
  readonly children: readonly MarkdownNode[];
}

/** A list with bullets or numbers. */
export interface MarkdownList {
  /** Distinguishes this type of node from the others. */
  readonly type: 'list';
  /** Number of the first item; null for a list with bullets. */
  readonly start: number | null;
  /** The items in order; nested lists are children of an item. */
  readonly items: readonly ListItem[];
}

/** A table. */
export interface MarkdownTable {
  /** Distinguishes this type of node from the others. */
  readonly type: 'table';
  /** One cell for each column. */
  readonly head: readonly Cell[];
  /** The rows below the head, with as many cells as the head has. */
  readonly rows: readonly (readonly Cell[])[];
}

/** A node that only groups others. */
export interface MarkdownContainer {
  /** The HTML element to create. A `plain` node needs no element: its children are inserted in its place. */
  readonly type: 'paragraph' | 'quote' | 'strong' | 'emphasis' | 'deleted' | 'plain';
  /** The content, in order. */
  readonly children: readonly MarkdownNode[];
}

/** The content of a table cell. */
export type Cell = readonly MarkdownNode[];

/** An item of a list, as its nodes. */
export interface ListItem {
  /** State of the item's checkbox; null if it has none. */
  readonly checked: boolean | null;
  /** The item's text, and lists or blocks within it. */
  readonly children: readonly MarkdownNode[];
}

/**
 * Limits against hostile texts, far above the size of a real answer. A text that exceeds a limit is not parsed as
 * Markdown.
 */
const MAX_CHARS = 100_000;
const MAX_NODES = 20_000;
const MAX_DEPTH = 24;
/**
 * Matches long runs of Markdown punctuation. For each character of such a run, the lexer would nest deeper or search
 * to the end of the text.
 */
const costlyMarks = /(?:[>\-*+]\s*){64}|[*_~`[\]()<!]{200}/;

/** Options of `readMarkdown`. */
export interface MarkdownOptions {
  /** Maximum length of a text in UTF-16 code units; a longer one becomes a single text node. Default: 100,000. */
  readonly maxChars?: number | undefined;
}

/**
 * Reads a model's Markdown into nodes, from which a page can build elements without `innerHTML`. HTML, images and links to
 * anything but http(s) become text. If the text of a link differs from its address, the address is added in brackets.
 * Returns a single text node for a text of more than `maxChars` characters (default 100,000), or with too many nodes or levels.
 */
export function readMarkdown(
  text: string,
  { maxChars = MAX_CHARS }: MarkdownOptions = {},
): readonly MarkdownNode[] {
  if (text.length > maxChars || costlyMarks.test(text)) return asText(text);
  try {
    return new Reader().read(lexMarkdown(text), 0);
  } catch {
    return asText(text);
  }
}

const asText = (text: string): readonly MarkdownNode[] => [{ type: 'text', text }];

class Reader {
  #nodes = 0;

  read(tokens: readonly Token[] | undefined, depth: number): MarkdownNode[] {
    this.#nodes += tokens?.length ?? 0;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) throw new RangeError('Too much Markdown.');
    return (tokens ?? []).flatMap((token) => this.#node(token, depth + 1) ?? []);
  }

  #node(token: Token, depth: number): MarkdownNode | undefined {
    // Cast: the lexer has no extensions, so it emits only its own token types, which `type` distinguishes.
    const given = token as MarkedToken;
    switch (given.type) {
      case 'space':
      case 'def':
      case 'checkbox': // the list item has the same state
        return undefined;
      case 'code':
        return { type: 'code-block', text: given.text, language: given.lang ?? '' };
      case 'codespan':
        return { type: 'code', text: given.text };
      case 'br':
        return { type: 'break' };
      case 'hr':
        return { type: 'rule' };
      case 'heading':
        return { type: 'heading', depth: given.depth, children: this.read(given.tokens, depth) };
      case 'list':
        return this.#list(given, depth);
      case 'table':
        return this.#table(given, depth);
      case 'link':
        return this.#link(given, depth);
      case 'image':
        return { type: 'text', text: `[image: ${given.text} ${given.href}]` };
      case 'html':
        return { type: 'text', text: given.raw };
      case 'escape':
        return { type: 'text', text: given.text };
      case 'text':
        return given.tokens
          ? { type: 'plain', children: this.read(given.tokens, depth) }
          : { type: 'text', text: given.text };
      default:
        return this.#container(given, depth);
    }
  }

  #container(token: Token, depth: number): MarkdownNode {
    const type = containers.get(token.type);
    if (!type || !('tokens' in token)) return { type: 'text', text: token.raw };
    return { type, children: this.read(token.tokens, depth) };
  }

  #link({ href, text, tokens }: Tokens.Link, depth: number): MarkdownNode {
    const children = this.read(tokens, depth);
    const words: readonly MarkdownNode[] = isWebAddress(href) ? [{ type: 'link', href, children }] : children;
    const address: readonly MarkdownNode[] = text === href ? [] : [{ type: 'text', text: ` (${href})` }];
    return { type: 'plain', children: [...words, ...address] };
  }

  #list({ ordered, start, items }: Tokens.List, depth: number): MarkdownNode {
    return {
      type: 'list',
      start: ordered ? Number(start) || 1 : null,
      items: items.map(({ task, checked, tokens }) => ({
        checked: task ? checked === true : null,
        children: this.read(tokens, depth),
      })),
    };
  }

  #table({ header, rows }: Tokens.Table, depth: number): MarkdownNode {
    const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => this.read(tokens, depth));
    return { type: 'table', head: cells(header), rows: rows.map(cells) };
  }
}

const containers = new Map<string, 'paragraph' | 'quote' | 'strong' | 'emphasis' | 'deleted'>([
  ['paragraph', 'paragraph'],
  ['blockquote', 'quote'],
  ['strong', 'strong'],
  ['em', 'emphasis'],
  ['del', 'deleted'],
]);

function isWebAddress(href: string): boolean {
  try {
    return /^https?:$/.test(new URL(href).protocol);
  } catch {
    return false;
  }
}
