import { type OfferedTool, OfferedTools } from './arguments/offered-tool.js';
import { DeltaWriter, type ParseDelta } from './delta-writer.js';
import { addReasoning, type ParsedCompletion, type ParseOptions, parseInSlices } from './parse-completion.js';
import { atOnce, type Sliced } from './slices.js';
import { character, isOneOf, LineEnds, skipBlanks } from './text/characters.js';
import { otherTurnOpener } from './text/chat-tokens.js';
import { ArrivingCode } from './text/code-spans.js';
import { type InlineMark, inlineMarkAt } from './text/inline-marks.js';
import { type Line, LineClassifier } from './text/line-classifier.js';
import { isBareFence } from './text/markdown.js';
import type { Marker } from './text/markers.js';
import { EchoedFences, isMentioned } from './text/own-fences.js';
import { isHalfStop, stopWords, trimTokens } from './text/trailing.js';
import { mayBeginBareCall } from './unmarked-calls.js';

/** A reply as it was read, with the deltas that were held back. */
export interface StreamedReply {
  readonly deltas: ParseDelta[];
  readonly completion: ParsedCompletion;
}

/** The line that is being read. */
interface CurrentLine {
  /** Nothing of it was read but blanks. */
  begins: boolean;
  hasText: boolean;
  /** Blanks it starts with, which stand in the gap already. */
  indent: number;
  quoted: boolean;
  /** It is shown only once text follows it: a fence may turn out to be the action. */
  kept: boolean;
  /** Its label left `**` open. */
  openBold: boolean;
  /** Where in the gap the `**` waits that may close it. */
  closingBold: number | null;
}

const newLine: CurrentLine = {
  begins: true,
  hasText: false,
  indent: 0,
  quoted: false,
  kept: false,
  openBold: false,
  closingBold: null,
};

/**
 * Reads a completion while it arrives. Deltas hold no label and no half-written marker; `end` gives what
 * `parseCompletion` says of the whole text, and the deltas still missing. The work is linear in the text.
 *
 * Where labels are written, joined `draft` and `thought` deltas equal the final thought and `answer` deltas
 * the answer (rule: deltas-join). A reply without label arrives as `draft`, unless it begins like a call by itself:
 * what that is shows only at its end. One that turns out to be no action
 * after all (`Action: None`) is sent as one `answer` delta at the end; the text of an action that cannot be
 * read is sent as nothing (rule: unreadable-never-answer). Prose before a `</think>` that nothing opened has
 * been sent as draft by the time it shows to be reasoning.
 */
export class IncrementalParser {
  readonly #tools: readonly OfferedTool[];
  readonly #chunks: string[] = [];
  readonly #writer = new DeltaWriter();
  readonly #ownFences = new EchoedFences();
  #lines = new LineClassifier();
  readonly #code = new ArrivingCode();
  #line: CurrentLine = { ...newLine };
  /** Text that is not decided yet, from `#at` on, with the one character before it. */
  #pending = '';
  #at = 0;
  #lineEnds = new LineEnds('');
  /** Nothing has come but white space and chat tokens. */
  #atEdge = true;
  #isWrapped = false;
  /** How much waited when a fence opened the reply of which nothing is sent yet. */
  #wrapped: number | null = null;
  /** Null in a code fence of which only the opening line has come. */
  #fenceIsKept: boolean | null = false;
  /** A line began like a JSON value, in whose strings markers do not count. */
  #valueBegan = false;
  /** What closes the answer's tag. */
  #closingTag: string | null = null;
  /** Nothing was sent that is no reasoning: the whole reply may still be a call without any marker. */
  #mayBeCall = true;

  constructor(tools: readonly OfferedTool[]) {
    this.#tools = tools;
  }

  /** Takes the next piece of the completion and returns what can be shown. */
  push(text: string): ParseDelta[] {
    this.#chunks.push(text);
    if (this.#writer.role === 'held') return [];
    const before = Math.max(0, this.#at - 1);
    this.#pending = this.#pending.slice(before) + text;
    this.#at -= before;
    this.#lineEnds = new LineEnds(this.#pending);
    while (this.#at < this.#pending.length && this.#advance());
    return this.#writer.take();
  }

  /** The completion as a whole, with the deltas that were held back. */
  end(options: ParseOptions = {}): StreamedReply {
    return atOnce(this.endInSlices(options));
  }

  /** The same as work that can pause. */
  *endInSlices({ reasoning = null, ...options }: ParseOptions): Sliced<StreamedReply> {
    const completion = yield* parseInSlices(this.#chunks.join(''), this.#tools, options);
    return { deltas: this.finish(completion), completion: addReasoning(completion, { reasoning }) };
  }

  /** The deltas still missing, for a caller that has read the text up to here by itself. */
  finish(completion: ParsedCompletion): ParseDelta[] {
    this.#writer.finish(completion);
    return this.#writer.take();
  }

  /** Does one step; false when more text is needed to decide. */
  #advance(): boolean {
    const { role } = this.#writer;
    if (role === 'held') return false;
    if (role === 'reasoning' || !this.#line.begins) return this.#advanceInLine();
    return this.#takeIndent() && (this.#atEdge ? this.#leaveEdge() : this.#beginLine());
  }

  /** Moves the blanks a line starts with into the gap. */
  #takeIndent(): boolean {
    const text = skipBlanks(this.#pending, this.#at);
    this.#line.indent += text - this.#at;
    this.#keepTo(text);
    return text < this.#pending.length;
  }

  /** Chat tokens before the reply are dropped (rule: chat-tokens). */
  #leaveEdge(): boolean {
    if (isOneOf('\r\n', this.#pending, this.#at)) return this.#beginLine();
    const mark = isOneOf('<[', this.#pending, this.#at) ? inlineMarkAt(this.#pending, this.#at) : null;
    if (mark === 'partial') return false;
    this.#atEdge = mark?.kind === 'chat_token';
    if (mark?.kind !== 'chat_token') return true;
    if (otherTurnOpener(this.#pending, this.#at) !== null) this.#writer.hold();
    this.#writer.dropGap();
    this.#line = { ...newLine };
    this.#at = mark.end;
    return true;
  }

  #beginLine(): boolean {
    const text = this.#pending;
    const end = this.#lineEnds.after(this.#at);
    const wasInFence = this.#lines.insideCodeFence;
    const { indent } = this.#line;
    const line = this.#lines.enter({ text, start: this.#at, end, indent, isWhole: end < text.length });
    if (!line) return false;
    const quoted = line.kind === 'quoted';
    const kept = (quoted && this.#fenceMayAct(wasInFence)) || this.#wrapped !== null;
    this.#line = { ...newLine, begins: false, quoted, kept };
    if (line.kind === 'quoted' || line.kind === 'blank' || line.kind === 'wrapper') this.#code.endParagraph();
    if (line.kind === 'wrapper') this.#enterWrapper(line.end);
    else if (this.#writer.role === 'answer') this.#beginAnswerLine(line, end);
    else if (line.kind === 'marker') this.#enterMarker(line.marker);
    else if (line.kind === 'value') this.#valueBegan = true;
    return true;
  }

  /** A code fence may turn out to hold the action or the answer: after a labelled thought, or where JSON stands in it. */
  #fenceMayAct(wasInFence: boolean): boolean {
    const isInFence = this.#lines.insideCodeFence;
    if (!wasInFence) this.#fenceIsKept = isInFence ? null : false;
    else this.#fenceIsKept ??= this.#writer.role === 'thought' || isOneOf('{[', this.#pending, this.#at);
    return this.#fenceIsKept ?? true;
  }

  /** What stands in a fence that opens the reply waits for a label in it, or for its end: without one it is text. */
  #enterWrapper(end: number): void {
    this.#isWrapped = true;
    if (this.#writer.role !== 'draft') {
      this.#at = end;
      return;
    }
    this.#keepTo(end);
    this.#wrapped = this.#lines.insideWrapper ? this.#writer.gap.length : null;
    this.#line.kept = this.#wrapped !== null;
  }

  /** A label shows that the fence only wraps the reply: what has waited is sent without the fence line. */
  #unwrap(): void {
    if (this.#wrapped === null) return;
    const text = this.#writer.gap.slice(this.#wrapped);
    const { end } = trimTokens(text, 0, text.length);
    this.#wrapped = null;
    this.#writer.dropGap();
    this.#writer.write(text.slice(0, end));
    this.#writer.keep(text.slice(end));
  }

  #keepTo(end: number): void {
    this.#writer.keep(this.#pending.slice(this.#at, end));
    this.#at = end;
  }

  #enterMarker({ label, end, openBold, close }: Marker): void {
    const endsReply = label === 'observation' && this.#lines.proseBefore;
    if (label === 'action' || endsReply || this.#valueBegan || this.#code.mayBeOpen()) this.#writer.hold();
    else if (label === 'thought' || label === 'answer') {
      this.#unwrap();
      this.#writer.begin(label);
      this.#line.openBold = openBold;
      this.#closingTag = close;
      if (label === 'answer') this.#lines = new LineClassifier();
      this.#lines.sawProse();
      this.#at = skipBlanks(this.#pending, end);
    }
  }

  /** In an answer no marker counts; a line that may be a cut-off stop word or a closing fence waits for text. */
  #beginAnswerLine({ kind }: Line, end: number): void {
    const text = this.#pending;
    const stop = stopWords.find((word) => text.startsWith(word, this.#at));
    if (stop) this.#keepTo(this.#at + stop.length);
    else if (isHalfStop(text, this.#at, end)) this.#keepTo(end);
    else if (this.#isWrapped && kind === 'quoted' && isBareFence(text, this.#at, end)) this.#keepTo(end);
  }

  #advanceInLine(): boolean {
    if (this.#mayBeCall && this.#writer.role === 'draft' && !this.#beginCall()) return false;
    const text = this.#pending;
    const openBold = this.#line.openBold && this.#writer.role !== 'reasoning';
    const stop = nextStop(text, this.#at, openBold);
    this.#writeTo(stop);
    if (stop >= text.length) return false;
    if (text.charAt(stop) === '\n') return this.#endLine();
    this.#line.closingBold = null;
    if (text.charAt(stop) === '*') return this.#enterBold();
    const mark = inlineMarkAt(text, stop);
    if (mark === 'partial') return false;
    if (mark) return this.#enterMark(mark);
    const end = this.#lineEnds.after(stop);
    return isHalfStop(text, stop, end) ? this.#keep(end) : this.#pass(stop + 1);
  }

  /** Holds a reply that begins like a call without any marker (rule: bare-call); false when it is held or undecided. */
  #beginCall(): boolean {
    const begins = mayBeginBareCall(this.#pending, this.#at, OfferedTools.of(this.#tools));
    if (begins === true) this.#writer.hold();
    return begins === false;
  }

  /** Sends the text up to `end` as what it is now read as. */
  #writeTo(end: number): void {
    const text = this.#pending.slice(this.#at, end);
    this.#at = end;
    if (this.#line.kept) this.#writer.keep(text);
    else this.#writer.write(text);
    if (text.trim() !== '') this.#line = { ...this.#line, hasText: true, closingBold: null };
    if (this.#writer.role === 'reasoning' || text.trim() === '') return;
    if (!this.#line.quoted) this.#code.enter(text);
    this.#mayBeCall = false;
    this.#lines.sawProse();
  }

  #pass(end: number): true {
    this.#writeTo(end);
    return true;
  }

  #keep(end: number): true {
    this.#keepTo(end);
    return true;
  }

  #endLine(): true {
    const { closingBold } = this.#line;
    if (closingBold !== null) this.#writer.dropClosingBold(closingBold);
    this.#line = { ...newLine };
    return this.#keep(this.#at + 1);
  }

  /** `**` at the end of a line closes the emphasis a label left open, and is no text: it waits for the line's end. */
  #enterBold(): boolean {
    const text = this.#pending;
    if (this.#at + 2 >= text.length) return false;
    if (!text.startsWith('**', this.#at) || text.charAt(this.#at + 2) === '*')
      return this.#pass(this.#at + 1);
    this.#line.closingBold = this.#writer.gap.length;
    return this.#keep(this.#at + 2);
  }

  #enterMark(mark: InlineMark): boolean {
    const { role } = this.#writer;
    if (mark.kind === 'own_fence') return this.#enterOwnFence(mark);
    if (role === 'reasoning')
      return mark.kind === 'think_end' ? this.#endThinking(mark.end) : this.#pass(mark.end);
    if (role === 'answer') return this.#enterAnswerMark(mark);
    if (mark.kind === 'chat_token' && this.#leavesTurn()) {
      this.#writer.hold();
      return false;
    }
    if (mark.kind === 'chat_token') return this.#keep(mark.end);
    if (this.#line.quoted || mark.kind === 'answer_end') return this.#pass(mark.end);
    if (mark.kind === 'cut') return this.#keep(mark.end);
    if (mark.kind === 'think' && !this.#line.hasText && !this.#code.mayBeOpen())
      return this.#beginThinking(mark.end);
    this.#writer.hold();
    return false;
  }

  /** Somebody else's turn may begin here, of which nothing is shown. */
  #leavesTurn(): boolean {
    return !this.#lines.insideCodeFence && otherTurnOpener(this.#pending, this.#at) !== null;
  }

  #enterAnswerMark({ kind, end }: InlineMark): true {
    const inCode = this.#pending.charAt(this.#at - 1) === '`';
    if (kind === 'think' || kind === 'think_end') return this.#pass(end);
    const isClosed = kind === 'answer_end' && this.#pending.slice(this.#at, end) === this.#closingTag;
    if (!isClosed || inCode) return this.#keep(end);
    this.#closingTag = null;
    this.#at = end;
    return true;
  }

  /** Our own fence: quotation from here on, or a closing tag that nothing opened, which is dropped. */
  #enterOwnFence({ tag, end }: Extract<InlineMark, { kind: 'own_fence' }>): boolean {
    const text = this.#pending;
    if (text.charAt(this.#at - 1) === '`' && end >= text.length) return false;
    if (isMentioned(text, this.#at, end)) return this.#pass(end);
    const { role } = this.#writer;
    if (role === 'draft' || role === 'thought') {
      this.#lines.enterOwnTag(tag);
      if (tag.mark !== null) this.#line.quoted = true;
    }
    if (this.#ownFences.enter(tag) !== 'stray') return this.#pass(end);
    this.#at = end;
    return true;
  }

  #beginThinking(end: number): true {
    this.#writer.beginReasoning();
    this.#at = end;
    return true;
  }

  /** After reasoning a marker may stand as at the start of a line. */
  #endThinking(end: number): true {
    this.#writer.endReasoning();
    this.#line = { ...newLine };
    this.#at = end;
    return true;
  }
}

/** Where the text next needs a look: a line break, a `<` or `[`, or emphasis that may close. */
function nextStop(text: string, from: number, openBold: boolean): number {
  for (let at = from; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === character.newline || mark === character.less || mark === character.openBracket) return at;
    if (mark === character.asterisk && openBold) return at;
  }
  return text.length;
}
