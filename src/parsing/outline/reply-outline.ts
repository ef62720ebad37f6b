import type { CallReading, WholeCall } from '../dialects/written-call.js';
import type { Marker } from '../text/markers.js';

/** The first action or final answer of a reply, which decides its outcome (rule: first-outcome-wins). */
export type TurningPoint =
  | { readonly kind: 'action'; readonly at: number; readonly reading: CallReading }
  | { readonly kind: 'answer'; readonly marker: Marker }
  | { readonly kind: 'none' };

/** Characters from `start` up to `end`. */
export type TextSpan = readonly [start: number, end: number];

/** A code fence after prose: the starts of its opening line and of its content, and its closing line. */
export interface QuotedFence {
  readonly start: number;
  readonly inside: number;
  /** The closing line; null if the fence is still open. */
  readonly close: TextSpan | null;
}

/** The parts of a reply, found in one walk over its lines. */
export interface ReplyOutline {
  readonly turn: TurningPoint;
  /** Start of the reply itself, after chat-template tokens and leading reasoning. */
  readonly start: number;
  /**
   * End of the chat-template tokens at the beginning of the reply. The text from here to `start`, if any, is
   * reasoning.
   */
  readonly edge: number;
  readonly thoughts: readonly Marker[];
  /** Blocks of reasoning with their tags, in order. */
  readonly reasoning: readonly TextSpan[];
  /** Opening and closing lines of a fence that only wraps the reply: it contains a label, the action or the answer. */
  readonly wrappers: readonly TextSpan[];
  /** The opening line of a fence at the beginning of the reply, whether or not it wraps the reply. */
  readonly leadingFence: TextSpan | null;
  readonly lastFence: QuotedFence | null;
  /**
   * Start of the last line of prose, or of the JSON value with which that line begins. Inputs of actions and invented
   * observations are not prose.
   */
  readonly lastLine: number | null;
  /** Start of the paragraph that ends with the last line of prose. */
  readonly lastParagraph: number | null;
  /** Start of the last JSON value that starts a line of prose. */
  readonly lastValue: number | null;
  /** Start of the last list item's text, if only blank lines follow the item. */
  readonly lastItem: number | null;
  /** True if the text ends within a call that has no label and begins a line after other text. */
  readonly cutCall: boolean;
  /** The tag directly after reasoning that opens the text for the user (rule: chat-tokens). */
  readonly response: TextSpan | null;
  /** Start of another role's turn that the model made up (rule: chat-tokens). */
  readonly otherTurn: number | null;
  /** A call in a quotation that the model may have intended (rules: echoed-fence, shown-element). */
  readonly quotedAction: QuotedAction | null;
}

/** A call in a quotation, and words that describe to the model where the quotation is. */
export interface QuotedAction {
  readonly reading: WholeCall;
  readonly where: string;
}

/** The parts found so far; `outlineReply` adds `edge` and `quotedAction`. */
export class Findings implements ReplyOutline {
  turn: TurningPoint = { kind: 'none' };
  readonly start: number;
  edge = 0;
  readonly thoughts: Marker[] = [];
  readonly reasoning: TextSpan[] = [];
  readonly wrappers: TextSpan[] = [];
  leadingFence: TextSpan | null = null;
  lastFence: QuotedFence | null = null;
  lastLine: number | null = null;
  lastParagraph: number | null = null;
  lastItem: number | null = null;
  lastValue: number | null = null;
  otherTurn: number | null = null;
  cutCall = false;
  response: TextSpan | null = null;
  quotedAction: QuotedAction | null = null;
  #paragraph: number | null = null;

  constructor(start: number) {
    this.start = start;
  }

  /** Records a line of prose; a line with a label begins a paragraph. */
  enterLine(start: number, { hasLabel }: { hasLabel: boolean }): void {
    this.#paragraph = hasLabel ? start : (this.#paragraph ?? start);
    this.lastParagraph = this.#paragraph;
    this.lastLine = start;
    this.lastItem = null;
  }

  /** Records a quoted line; `item` is the start of a list item's text. */
  enterQuotedLine(item: number | null): void {
    this.#paragraph = null;
    this.lastItem = item;
  }

  endParagraph(): void {
    this.#paragraph = null;
  }

  /**
   * Records the opening or closing line of a fence at the start of the reply. A fence without a label in it wraps
   * nothing; it is a code block of the text.
   */
  enterWrapper(line: TextSpan, isInside: boolean): void {
    this.leadingFence ??= line;
    const open = this.wrappers.at(-1);
    const wrapsLabel = open && (this.thoughts.at(-1)?.start ?? -1) > open[1];
    if (isInside || wrapsLabel) this.wrappers.push(line);
    else this.wrappers.pop();
  }

  /** Records that the fence at the start does not wrap the reply after all, since other text follows it. */
  unwrap(): void {
    this.leadingFence = null;
    this.wrappers.length = 0;
    this.thoughts.length = 0;
  }

  /** Records a line that may open or close a code fence after prose. */
  enterFenceLine(line: TextSpan, { wasInside, isInside }: { wasInside: boolean; isInside: boolean }): void {
    const [start, end] = line;
    if (isInside && !wasInside) this.lastFence = { start, inside: end + 1, close: null };
    else if (wasInside && !isInside && this.lastFence) this.lastFence = { ...this.lastFence, close: line };
  }
}
