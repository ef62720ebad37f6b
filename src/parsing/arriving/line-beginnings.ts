import type { OfferedTools } from '../arguments/offered-tool.js';
import { inlineMarkAt } from '../formats/inline-marks.js';
import { mayBeginBlockLine, opensQuotedLine } from '../formats/read-block.js';
import { mayBeginCallLine } from '../formats/unmarked.js';
import { isOneOf, skipBlanks } from '../text/characters.js';
import { chatTokenAt, leadingHeaderEnd, otherTurnOpener, responseHeaderEnd } from '../text/chat-tokens.js';
import { type Line, LineClassifier } from '../text/line-classifier.js';
import { bulletEnd, isBareFence } from '../text/markdown.js';
import { type Marker, matchMarker } from '../text/markers.js';
import { mayLeadReasoning } from '../text/reasoning-marks.js';
import { isHalfStop, stopWords } from '../text/trailing.js';
import type { ArrivingReply } from './arriving-reply.js';
import { WaitingFences } from './waiting-fences.js';

/** Reads the beginnings of an arriving reply's lines: chat tokens before the text, the kind of each line, labels. */
export class LineBeginnings {
  readonly #reply: ArrivingReply;
  readonly #tools: OfferedTools;
  readonly #fences: WaitingFences;
  /** True if a line began like a JSON value. A label after it may be part of a JSON string. */
  #valueBegan = false;

  constructor(reply: ArrivingReply, tools: OfferedTools) {
    this.#reply = reply;
    this.#tools = tools;
    this.#fences = new WaitingFences(reply, tools);
  }

  /** Reads the next part of the text; false if more text is needed to decide. */
  advance(): boolean {
    return this.#takeIndent() && (this.#reply.edge === null ? this.#beginLine() : this.#leaveEdge());
  }

  /** Holds back the spaces and tabs at the start of a line until text follows. */
  #takeIndent(): boolean {
    const { text, at, line } = this.#reply;
    const end = skipBlanks(text, at);
    line.indent += end - at;
    this.#reply.keepTo(end);
    return end < text.length;
  }

  /** Drops chat tokens before the reply and directly after reasoning (rule: chat-tokens). */
  #leaveEdge(): boolean {
    const { text, at, writer, edge } = this.#reply;
    if (isOneOf('\r\n', text, at)) return this.#beginLine();
    const leads = edge === 'reply' && mayLeadReasoning(text, at);
    if (leads === true) writer.hold();
    if (leads !== false) return false;
    const header = this.#headerEnd();
    const mark = isOneOf('<[', text, at) ? inlineMarkAt(text, at) : null;
    if (mark === 'partial' || header === 'partial') return false;
    if (header !== null) {
      this.#dropTo(header);
      this.#reply.edge = null;
      return true;
    }
    // In the middle of a reply, Harmony's header of the final channel closes reasoning; at the start it is only a
    // chat token.
    const isToken = mark !== null && mark.kind !== 'call' && chatTokenAt(text, at) !== undefined;
    if (!isToken) this.#reply.edge = null;
    if (!isToken) return true;
    if (otherTurnOpener(text, at) !== null) writer.hold();
    this.#dropTo(mark.end);
    return true;
  }

  /**
   * Returns the end of the tag or words with which the text for the user begins, such as `<response>`; `'partial'` if
   * more text is needed to decide.
   */
  #headerEnd(): number | 'partial' | null {
    const { text, at, edge, response } = this.#reply;
    const header = leadingHeaderEnd(text, at);
    if (header !== null || edge !== 'reasoning' || response !== 'before') return header;
    const tag = responseHeaderEnd(text, at);
    if (typeof tag === 'number') this.#reply.response = 'inside';
    return tag;
  }

  #dropTo(end: number): void {
    if (this.#reply.edge === 'reply') this.#reply.writer.dropGap();
    this.#reply.beginLine();
    this.#reply.at = end;
  }

  #beginLine(): boolean {
    const { text, at, lines, code, writer } = this.#reply;
    const block = this.#mayBeginBlock();
    if (block === 'partial') return false;
    const end = this.#reply.lineEnd(at);
    const wasInFence = lines.insideCodeFence;
    const { indent } = this.#reply.line;
    const line = lines.enter({ text, start: at, end, indent, isWhole: end < text.length });
    if (!line) return false;
    if (block && (line.kind === 'prose' || line.kind === 'value' || opensQuotedLine(text, at))) writer.hold();
    if (line.kind === 'quoted' && this.#isLabelledItem()) writer.hold();
    const quoted = line.kind === 'quoted';
    this.#reply.beginLine();
    this.#reply.line.begins = false;
    this.#reply.line.quoted = quoted;
    this.#reply.line.kept = this.#fences.keepsLine(quoted, wasInFence);
    if (line.kind === 'quoted' || line.kind === 'blank' || line.kind === 'wrapper') code.endParagraph();
    if (line.kind === 'wrapper') this.#fences.enterWrapper(line.end);
    else if (writer.role === 'answer') this.#beginAnswerLine(line, end);
    else if (line.kind === 'marker') this.#enterMarker(line.marker);
    else if (line.kind === 'value') this.#valueBegan = true;
    else if (isHalfStop(text, at, end)) this.#reply.keepTo(end);
    return true;
  }

  /**
   * Whether a call without a label may begin this line; never in an answer or a fence. The output limit may cut the call
   * off (rule: billed-outcomes).
   */
  #mayBeginBlock(): boolean | 'partial' {
    const { text, at, lines, writer } = this.#reply;
    if (writer.role === 'answer' || lines.insideFence) return false;
    return mayBeginBlockLine(text, at, this.#tools) || mayBeginCallLine(text, at, this.#tools);
  }

  /** Whether the line is a list item with an action's label. */
  #isLabelledItem(): boolean {
    const { text, at, lines, writer } = this.#reply;
    const item = bulletEnd(text, at);
    if (writer.role === 'answer' || lines.insideFence || item === at) return false;
    const marker = matchMarker(text, item);
    return marker !== null && (marker === 'partial' || marker.label === 'action');
  }

  #enterMarker(marker: Marker): void {
    const { lines, code, writer } = this.#reply;
    const { label } = marker;
    const endsReply = label === 'observation' && lines.proseBefore;
    if (label === 'action' || endsReply || this.#valueBegan || code.mayBeOpen()) writer.hold();
    else if (label === 'thought' || label === 'answer') this.#beginField(label, marker);
    else if (label === 'observation') this.#reply.keepTo(this.#reply.at + marker.end - marker.start);
  }

  #beginField(label: 'thought' | 'answer', marker: Marker): void {
    const { end, openBold, close } = marker;
    const reply = this.#reply;
    reply.waits = label === 'thought' && !(reply.writer.beginsReply && !this.#fences.isWrapped);
    if (!reply.waits) this.#fences.unwrap();
    reply.writer.begin(label);
    reply.line.kept = false;
    reply.line.openBold = openBold;
    reply.closingTag = close;
    reply.answerLabel = label === 'answer' ? marker : null;
    if (label === 'answer') reply.lines = new LineClassifier();
    reply.lines.sawProse();
    reply.at = skipBlanks(reply.text, end);
  }

  /**
   * Begins a line of an answer, in which labels have no meaning. Holds back a line that may be a closing fence or the
   * beginning of a stop word.
   */
  #beginAnswerLine({ kind }: Line, end: number): void {
    const { text, at } = this.#reply;
    const stop = stopWords.find((word) => text.startsWith(word, at));
    const closesWrapper = this.#fences.isWrapped && kind === 'quoted' && isBareFence(text, at, end);
    if (stop) this.#reply.keepTo(at + stop.length);
    else if (closesWrapper || isHalfStop(text, at, end)) this.#reply.keepTo(end);
  }
}
