import type { OfferedTools } from '../arguments/offered-tool.js';
import { type InlineMark, inlineMarkAt } from '../formats/inline-marks.js';
import { mayBeginBareCall } from '../formats/unmarked.js';
import { character, skipBlanks } from '../text/characters.js';
import { chatTokenAt, otherTurnOpener } from '../text/chat-tokens.js';
import { ANSWER_TAG_CLOSE, type Marker, withInnerLabel } from '../text/markers.js';
import { EchoedFences, isMentioned } from '../text/own-fences.js';
import {
  beginsMark,
  openedReasoning,
  type ReasoningMarks,
  reasoningCloseAt,
} from '../text/reasoning-marks.js';
import { isHalfStop } from '../text/trailing.js';
import type { ArrivingReply } from './arriving-reply.js';

/** Reads the contents of an arriving reply's lines: text, reasoning, tags, closing emphasis. */
export class LineContents {
  readonly #reply: ArrivingReply;
  readonly #tools: OfferedTools;
  readonly #ownFences = new EchoedFences();
  /** Opening and closing tags of the reasoning that is being read. */
  #marks: ReasoningMarks | null = null;

  constructor(reply: ArrivingReply, tools: OfferedTools) {
    this.#reply = reply;
    this.#tools = tools;
  }

  /** Reads the next part of the text; false if more text is needed to decide. */
  advance(): boolean {
    const { writer, line } = this.#reply;
    if (this.#reply.answerLabel && !this.#takeInnerLabel(this.#reply.answerLabel)) return false;
    if (this.#reply.mayBeCall && writer.role === 'draft' && !this.#isNoCall()) return false;
    const openBold = line.openBold && writer.role !== 'reasoning';
    const { text } = this.#reply;
    const { at, mark } = this.#nextMark(openBold);
    this.#reply.writeTo(at);
    if (at >= text.length || mark === 'partial') return false;
    if (text.charAt(at) === '\n') return this.#endLine();
    line.closingBold = null;
    if (text.charAt(at) === '*') return this.#enterBold();
    return mark ? this.#enterMark(mark) : this.#reply.keepTo(this.#reply.lineEnd(at));
  }

  /** Skips a second label directly after an answer's label; false if more text is needed to decide. */
  #takeInnerLabel(label: Marker): boolean {
    const reply = this.#reply;
    const both = withInnerLabel(reply.text, { ...label, end: reply.at });
    if (both === 'partial') return false;
    if (both.end > reply.at) reply.at = skipBlanks(reply.text, both.end);
    reply.closingTag = both.close;
    reply.line.openBold = both.openBold;
    reply.answerLabel = null;
    return true;
  }

  /**
   * Returns true if the reply certainly does not begin with a call without a label (rule: bare-call). Returns false
   * while this is undecided.
   */
  #isNoCall(): boolean {
    const begins = mayBeginBareCall(this.#reply.text, this.#reply.at, this.#tools);
    if (begins === true) this.#reply.writer.hold();
    return begins === false;
  }

  /**
   * Finds the next line break, closing emphasis, tag or token with a meaning, or possible beginning of a stop word.
   * `mark` is set only for a tag or token.
   */
  #nextMark(openBold: boolean): { at: number; mark: InlineMark | 'partial' | null } {
    const { text } = this.#reply;
    for (let from = this.#reply.at; ; from += 1) {
      const at = nextStop(text, from, openBold);
      if (at >= text.length || !beginsMark(text, at)) return { at, mark: null };
      const mark = this.#markAt(at);
      if (mark) return { at, mark };
      const end = this.#reply.lineEnd(at);
      if (isHalfStop(text, at, end)) return { at, mark: end < text.length ? null : 'partial' };
      from = at;
    }
  }

  /**
   * Returns the tag or token at `at` that has a meaning. Reasoning ends only at a closing tag from the same entry of
   * `reasoningMarks` as its opening tag.
   */
  #markAt(at: number): InlineMark | 'partial' | null {
    const { text, writer } = this.#reply;
    if (writer.role !== 'reasoning' || this.#marks === null) return inlineMarkAt(text, at);
    const close = reasoningCloseAt(text, at, this.#marks);
    if (close === 'partial') return 'partial';
    if (close !== null) return { kind: 'think_end', end: close };
    const mark = inlineMarkAt(text, at);
    if (mark === null || mark === 'partial' || mark.kind === 'own_fence') return mark;
    return { kind: 'cut', end: at + 1 };
  }

  #endLine(): true {
    const { line, writer, at } = this.#reply;
    if (line.closingBold !== null) writer.dropClosingBold(line.closingBold);
    this.#reply.beginLine();
    return this.#reply.keepTo(at + 1);
  }

  /** Holds back a `**` until the end of its line. At the end, it closes the emphasis of a label and is dropped. */
  #enterBold(): boolean {
    const { text, at, line, writer } = this.#reply;
    if (at + 2 >= text.length) return false;
    if (!text.startsWith('**', at) || text.charAt(at + 2) === '*') return this.#reply.writeTo(at + 1);
    line.closingBold = writer.gap.length;
    return this.#reply.keepTo(at + 2);
  }

  #enterMark(mark: InlineMark): boolean {
    const { writer, line, code } = this.#reply;
    const { kind, end } = mark;
    if (kind === 'own_fence') return this.#enterOwnFence(mark);
    if (writer.role === 'reasoning')
      return kind === 'think_end' ? this.#endThinking(end) : this.#reply.writeTo(end);
    if (kind === 'response_end') return this.#leaveResponse(end);
    if (writer.role === 'answer') return this.#enterAnswerMark(mark);
    if (kind === 'chat_token') return this.#leavesTurn() ? this.#hold() : this.#reply.keepTo(end);
    if (kind === 'cut') return this.#reply.keepTo(end);
    if (line.quoted || kind === 'answer_end') return this.#reply.writeTo(end);
    if (kind === 'think' && !line.hasText && !code.mayBeOpen()) return this.#beginThinking(end);
    return this.#hold();
  }

  /** Drops the tag `</response>` after the text for the user, if `<response>` before it was dropped. */
  #leaveResponse(end: number): true {
    if (this.#reply.response !== 'inside') return this.#reply.writeTo(end);
    this.#reply.response = 'after';
    this.#reply.at = end;
    return true;
  }

  #hold(): false {
    this.#reply.writer.hold();
    return false;
  }

  /** Whether another role's turn may begin at the position; the text of that turn is never sent. */
  #leavesTurn(): boolean {
    const { lines, text, at } = this.#reply;
    return !lines.insideCodeFence && otherTurnOpener(text, at) !== null;
  }

  #enterAnswerMark({ kind, end }: InlineMark): boolean {
    const { text, at, closingTag, writer } = this.#reply;
    const mayBeCall = kind === 'call' && closingTag === ANSWER_TAG_CLOSE && writer.beginsAnswer;
    if (mayBeCall) return this.#hold();
    const isText = (kind === 'think' || kind === 'think_end') && chatTokenAt(text, at) === undefined;
    if (isText) return this.#reply.writeTo(at + 1);
    const isClosed = kind === 'answer_end' && text.slice(at, end) === closingTag;
    if (!isClosed || text.charAt(at - 1) === '`') return this.#reply.keepTo(end);
    this.#reply.closingTag = null;
    this.#reply.at = end;
    return true;
  }

  /**
   * Handles one of the service's data tags, such as `<file mark="1f">`: the text after an opening tag is a quotation,
   * and a closing tag without an opening one is dropped.
   */
  #enterOwnFence({ tag, end }: Extract<InlineMark, { kind: 'own_fence' }>): boolean {
    const { text, at, writer, lines, line } = this.#reply;
    if (text.charAt(at - 1) === '`' && end >= text.length) return false;
    if (isMentioned(text, at, end)) return this.#reply.writeTo(end);
    if (writer.role === 'draft' || writer.role === 'thought') {
      lines.enterOwnTag(tag);
      if (tag.mark !== null) line.quoted = true;
    }
    if (this.#ownFences.enter(tag) !== 'stray') return this.#reply.writeTo(end);
    this.#reply.at = end;
    return true;
  }

  #beginThinking(end: number): true {
    this.#marks = openedReasoning(this.#reply.text, this.#reply.at);
    this.#reply.writer.beginReasoning();
    this.#reply.at = end;
    return true;
  }

  /** Ends reasoning. A label directly after it is read as if it were at the start of a line. */
  #endThinking(end: number): true {
    this.#reply.writer.endReasoning();
    this.#reply.edge = 'reasoning';
    this.#reply.beginLine();
    this.#reply.at = end;
    return true;
  }
}

/** Returns the next line break, beginning of a tag or token, or `*` that may close emphasis. */
function nextStop(text: string, from: number, openBold: boolean): number {
  for (let at = from; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === character.newline || beginsMark(text, at)) return at;
    if (mark === character.asterisk && openBold) return at;
  }
  return text.length;
}
