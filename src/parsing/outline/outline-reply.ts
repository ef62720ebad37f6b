import type { OfferedTools } from '../arguments/offered-tool.js';
import type { CallReading } from '../dialects/written-call.js';
import { inlineMarkAt } from '../formats/inline-marks.js';
import { closerEnd } from '../formats/marks.js';
import { opensBlock } from '../formats/read-block.js';
import type { Pause } from '../pause.js';
import {
  character,
  isOneOf,
  isRestBlank,
  LineEnds,
  lineEnd,
  skipBlanks,
  skipSpace,
} from '../text/characters.js';
import {
  imaginesTurn,
  leadingHeaderEnd,
  opensOtherTurn,
  readTokens,
  responseHeaderEnd,
} from '../text/chat-tokens.js';
import { CodeSpans } from '../text/code-spans.js';
import { type Line, LineClassifier } from '../text/line-classifier.js';
import { readValue } from '../text/literals.js';
import { bulletEnd } from '../text/markdown.js';
import { ANSWER_TAG_CLOSE, type Marker, matchMarker, withInnerLabel } from '../text/markers.js';
import type { OwnTag } from '../text/own-fences.js';
import {
  beginsMark,
  leadingReasoningEnd,
  nextOrphanClose,
  nextReasoningClose,
  openedReasoning,
  type ReasoningMarks,
} from '../text/reasoning-marks.js';
import { Scanner } from '../text/scanner.js';
import { isNamedInText, shownElementAt, shownText } from '../text/shown-elements.js';
import { CallFinder } from './call-finder.js';
import { Quotations } from './quotations.js';
import {
  Findings,
  type QuotedAction,
  type ReplyOutline,
  type TextSpan,
  type TurningPoint,
} from './reply-outline.js';

/**
 * Finds the parts of a reply in one walk over its lines, up to its first action or answer. If reasoning is closed
 * without having been opened, since some servers drop the opening tag, the walk restarts after it, at most once (rule:
 * thinking).
 */
export function outlineReply(text: string, tools: OfferedTools): ReplyOutline {
  const outliner = new Outliner(text, tools);
  while (outliner.advance());
  return outliner.outline;
}

/** Works as `outlineReply`, but awaits `pause` between parts, since some replies of 1 MiB take half a second. */
export async function outlineReplyPausing(
  text: string,
  tools: OfferedTools,
  pause: Pause,
): Promise<ReplyOutline> {
  const outliner = new Outliner(text, tools);
  while (outliner.advance()) await pause();
  return outliner.outline;
}

/**
 * Finds the parts of a reply step by step: in one walk over its lines, a second one if it restarts after reasoning, and
 * one more inside a quotation at the end of the reply if there is one.
 */
class Outliner {
  outline: Findings;
  readonly #text: string;
  readonly #tools: OfferedTools;
  #walk: OutlineWalk | undefined;
  #hasRestarted = false;
  /**
   * Says where the call is, for the message to the model, if the reply ends in a quotation. Set only during the walk
   * through that quotation, which is the last one.
   */
  #where: QuotedAction['where'] | undefined;

  constructor(text: string, tools: OfferedTools) {
    this.#text = text;
    this.#tools = tools;
    const { end, turn } = readTokens(text, 0, (_, at) => opensOtherTurn(text, at) || opensBlock(text, at));
    const header = turn === null ? leadingHeaderEnd(text, skipSpace(text, end)) : null;
    const edge = turn ?? (typeof header === 'number' ? header : end);
    if (turn !== null && opensOtherTurn(text, turn)) {
      this.outline = new Findings(0);
      this.outline.otherTurn = 0;
      return;
    }
    const leading = leadingReasoningEnd(text, edge);
    this.#walk = new OutlineWalk(text, leading ?? edge, tools, { followsReasoning: leading !== null });
    this.outline = this.#walk.found;
    this.outline.edge = edge;
  }

  /** Reads the next part of the reply; false if all of it has been read. */
  advance(): boolean {
    const walk = this.#walk;
    if (!walk) return false;
    if (!walk.advance()) this.#walk = this.#walkAfter(walk);
    return this.#walk !== undefined;
  }

  /** Called when a walk has ended. Returns the next walk over the reply; undefined if the outline is complete. */
  #walkAfter(walk: OutlineWalk): OutlineWalk | undefined {
    const { turn } = walk.found;
    if (this.#where !== undefined) {
      const reading = turn.kind === 'action' ? turn.reading : null;
      if (reading?.kind === 'call' && this.#tools.find(reading.name))
        this.outline.quotedAction = { reading, where: this.#where };
      return undefined;
    }
    const restart = this.#hasRestarted ? null : (walk.orphanEnd ?? reasoningEndAfter(this.#text, turn));
    return restart === null ? this.#walkInQuotation(walk) : this.#restartAt(restart);
  }

  #restartAt(start: number): OutlineWalk {
    this.#hasRestarted = true;
    const options = { orphanCloseCounts: false, followsReasoning: true };
    const walk = new OutlineWalk(this.#text, start, this.#tools, options);
    walk.found.edge = this.outline.edge;
    this.outline = walk.found;
    return walk;
  }

  /** Returns a walk over the quotation with which the reply ends; undefined if there is none. */
  #walkInQuotation({ openQuotation, shown }: OutlineWalk): OutlineWalk | undefined {
    const text = this.#text;
    const endsReply = shown !== null && readTokens(text, shown.after).end >= text.length;
    const [start, end] = endsReply ? shown.inside : [openQuotation, text.length];
    if (start === null || this.outline.quotedAction !== null) return undefined;
    this.#where = endsReply
      ? 'stands in an element that shows text'
      : 'stands in a quotation that is not closed';
    return new OutlineWalk(text.slice(0, end), start, this.#tools, { orphanCloseCounts: false });
  }
}

/**
 * Returns the end of a closing reasoning tag, such as `</think>`, that follows the action and has no opening tag, so
 * that the action was part of the reasoning; null if there is none.
 */
function reasoningEndAfter(text: string, turn: TurningPoint): number | null {
  if (turn.kind !== 'action') return null;
  const { reading } = turn;
  const from =
    reading.kind === 'call' ? (reading.dataEnd ?? reading.blockEnd ?? reading.end) : (reading.end ?? turn.at);
  const close = nextOrphanClose(text, from);
  return !close || text.charAt(close[0] - 1) === '`' ? null : close[1];
}

/**
 * Whether prose of the model follows. A label, tag, fence or chat token is not prose: the rest of an agent's reply
 * begins with one of them.
 */
function followsText(text: string, position: number): boolean {
  const at = readTokens(text, position).end;
  const next = skipSpace(text, at);
  if (next >= text.length || imaginesTurn(text, next) || opensBlock(text, next)) return false;
  if (closerEnd(text, next) !== null || isOneOf('`~', text, next)) return false;
  return matchMarker(text, next) === null;
}

/** Maximum number of unclosed tags in the middle of lines whose closing tag is searched; keeps the walk linear. */
const MAX_UNCLOSED_TAGS = 8;

/** Number of characters after which a walk can be paused, also within a line. */
const CHARACTERS_AT_ONCE = 8_192;

/** The position at which the walk continues; null if it stops. */
type Next = number | null;

/** Walks over a reply line by line up to its first action or answer. */
class OutlineWalk {
  readonly found: Findings;
  readonly #text: string;
  readonly #orphanCloseCounts: boolean;
  readonly #lines = new LineClassifier();
  readonly #lineEnds: LineEnds;
  readonly #codeSpans: CodeSpans;
  readonly #quotations: Quotations;
  readonly #calls: CallFinder;
  readonly #tools: OfferedTools;
  /** Position after a closing tag of reasoning that has no opening tag. */
  #orphanEnd: number | null = null;
  /** End of the last JSON value that could not be read; values before this position are not tried again. */
  #triedBefore = 0;
  #line: TextSpan = [0, -1];
  /** Entries of `reasoningMarks` that have no further closing tag in the reply, so that it is not searched again. */
  readonly #neverClosed = new Set<ReasoningMarks>();
  /** Position of the next line; null at the end of the walk. */
  #next: Next;
  /** The part of a long line that is still to be read. */
  #rest: TextSpan | null = null;
  #openShown: number | null = null;
  #unclosedTags = 0;
  #shown: { readonly inside: TextSpan; readonly after: number } | null = null;

  constructor(
    text: string,
    start: number,
    tools: OfferedTools,
    { orphanCloseCounts = true, followsReasoning = false } = {},
  ) {
    this.found = new Findings(start);
    this.#text = text;
    this.#orphanCloseCounts = orphanCloseCounts;
    this.#codeSpans = new CodeSpans(text);
    this.#lineEnds = new LineEnds(text);
    this.#quotations = new Quotations(text, this.#lines);
    this.#tools = tools;
    this.#calls = new CallFinder(text, tools, this.#codeSpans);
    this.#next = followsReasoning ? this.#afterReasoning(start) : start;
  }

  /** Reads the next lines, or the next part of a long line; false if the walk has ended. */
  advance(): boolean {
    const stop = (this.#next ?? 0) + CHARACTERS_AT_ONCE;
    while (this.#next !== null && this.#next < Math.min(stop, this.#text.length))
      this.#next = this.#rest === null ? this.#enterLine(this.#next) : this.#enterRest(this.#rest);
    return this.#next !== null && this.#next < this.#text.length;
  }

  /** End of reasoning that was closed without having been opened; null if there is none. */
  get orphanEnd(): number | null {
    return this.#orphanEnd;
  }

  /**
   * Start of quoted data that is not closed and whose tag lacks its `mark` attribute, or of the text in an unclosed
   * element that shows text.
   */
  get openQuotation(): number | null {
    return this.#quotations.open ?? this.#openShown;
  }

  /** The last element such as `<pre>` that shows text and is closed. */
  get shown(): { readonly inside: TextSpan; readonly after: number } | null {
    return this.#shown;
  }

  /** Skips a tag such as `<response>` with which the text for the user begins after reasoning. */
  #afterReasoning(end: number): number {
    const start = skipSpace(this.#text, end);
    const header = this.found.response === null ? responseHeaderEnd(this.#text, start) : null;
    if (typeof header !== 'number') return end;
    this.found.response = [start, header];
    return header;
  }

  /**
   * Reads a line and returns where to continue: at the next line, or later if an element or value was read whole; null
   * to stop.
   */
  #enterLine(start: number): Next {
    const end = this.#lineEnds.after(start);
    this.#line = [start, end];
    const wasInside = this.#lines.insideFence;
    const line = this.#classify(this.#line);
    if (line && !wasInside) {
      const block = this.#calls.readLine(line, start);
      if (block) return this.#act(block.at, block.reading);
    }
    if (!line || line.kind === 'blank' || line.kind === 'quoted' || line.kind === 'wrapper')
      return this.#skipLine(line);
    if (line.kind === 'marker') return this.#enterMarker(line.marker, end);
    this.found.enterLine(start, { hasLabel: false });
    const opened = this.#lines.proseBefore ? null : this.#calls.readOpened(start);
    if (opened?.kind === 'call') {
      const at = skipBlanks(this.#text, start);
      if (!followsText(this.#text, opened.blockEnd ?? opened.end)) return this.#act(at, opened);
      this.found.quotedAction = { reading: opened, where: 'has lost its opening tag and has text after it' };
    }
    const callEnd = this.#lines.proseBefore ? this.#laterCallEnd(start, end) : this.#calls.unmarkedEnd(start);
    if (callEnd !== null) {
      this.found.lastValue = skipBlanks(this.#text, start);
      this.#lines.sawProse();
      return this.#enterProse(callEnd, this.#lineEnds.after(callEnd));
    }
    return line.kind === 'value' ? this.#skipValue(start, end) : this.#enterProse(start, end);
  }

  /**
   * Returns the end of a whole call of several lines that begins a line after other text, so that text inside its
   * strings is not read as a label or call; null if there is none.
   */
  #laterCallEnd(start: number, lineStop: number): number | null {
    const end = this.#calls.laterEnd(start);
    if (end === 'cut') this.found.cutCall = true;
    return typeof end === 'number' && end > lineStop ? end : null;
  }

  #classify([start, end]: TextSpan): Line | null {
    const wasInside = this.#lines.insideCodeFence;
    const wasQuoted = this.openQuotation !== null;
    const line = this.#lines.enter({ text: this.#text, start, end });
    if (!wasQuoted) this.#quotations.mayBeginAfter(end);
    const isInside = this.#lines.insideCodeFence;
    if (line?.kind === 'quoted') this.found.enterFenceLine(this.#line, { wasInside, isInside });
    return line;
  }

  #skipLine(line: Line | null): Next {
    const [start, end] = this.#line;
    this.#codeSpans.endParagraph();
    this.found.endParagraph();
    if (line?.kind === 'quoted') {
      this.#lines.sawProse();
      this.found.enterQuotedLine(this.#itemAt(start));
      return this.#leaveQuotedLine(start);
    }
    if (line?.kind !== 'wrapper') return end + 1;
    this.found.enterWrapper([start, line.end], this.#lines.insideWrapper);
    return line.end < end ? this.#enterProse(line.end, end) : end + 1;
  }

  /** Returns the start of the text of the list item that the line begins or continues; null for other lines. */
  #itemAt(lineStart: number): number | null {
    if (this.#lines.insideFence) return null;
    const first = skipBlanks(this.#text, lineStart);
    const item = bulletEnd(this.#text, first);
    if (item > first) return skipBlanks(this.#text, item);
    return this.#lines.insideItem ? this.found.lastItem : null;
  }

  #leaveQuotedLine(from: number): number | null {
    const [, end] = this.#line;
    const otherTurn = this.#quotations.enterLine(from, end);
    return otherTurn === null ? end + 1 : this.#stopAtOtherTurn(otherTurn);
  }

  /** Ends the walk at another role's turn that the model made up. */
  #stopAtOtherTurn(at: number): null {
    this.found.otherTurn = at;
    return null;
  }

  #enterMarker(marker: Marker, end: number): Next {
    const quoted = this.#codeSpans.closesAfter(marker.end);
    if (marker.label === 'answer' && !quoted) {
      const call = marker.close === ANSWER_TAG_CLOSE ? this.#callInAnswer(marker.end) : null;
      if (call) return this.#act(marker.start, call);
      const whole = withInnerLabel(this.#text, marker);
      this.found.turn = { kind: 'answer', marker: whole === 'partial' ? marker : whole };
      return null;
    }
    // Text after an invented observation is ignored, as if the model had stopped there.
    if (marker.label === 'observation' && !quoted && this.#lines.proseBefore) return null;
    if (marker.label !== 'action_input') this.found.enterLine(this.#line[0], { hasLabel: true });
    if (marker.label === 'thought') this.found.thoughts.push(marker);
    return marker.label === 'action' ? this.#enterAction(marker, end) : this.#leaveMarker(marker, end);
  }

  /** Reads the native calls that are all of an `<answer>`, as Hunyuan writes them (rule: first-outcome-wins). */
  #callInAnswer(start: number): CallReading | null {
    const at = skipSpace(this.#text, start);
    const reading = opensBlock(this.#text, at) ? this.#calls.readBlock(at, at) : null;
    if (reading?.kind !== 'call') return reading;
    const end = skipSpace(this.#text, reading.blockEnd ?? reading.end);
    const isClosed = this.#text.startsWith(ANSWER_TAG_CLOSE, end);
    const rest = readTokens(this.#text, isClosed ? end + ANSWER_TAG_CLOSE.length : end);
    return rest.end >= this.#text.length ? reading : null;
  }

  #enterAction(marker: Marker, end: number): Next {
    const reading = this.#calls.readAction(marker.end, this.#line[0]);
    return reading ? this.#act(marker.start, reading) : this.#leaveMarker(marker, end);
  }

  #leaveMarker(marker: Marker, end: number): Next {
    this.#lines.sawProse();
    return this.#enterProse(Math.min(marker.end, end), end);
  }

  #act(at: number, reading: CallReading): Next {
    const explained = this.#explainedUpTo(at, reading);
    if (explained !== null) return this.#leaveWrapper(explained, reading);
    this.found.turn = { kind: 'action', at, reading };
    return null;
  }

  /**
   * Returns the end of the fence that opens the reply and holds this call if other text follows the fence. Such a fence
   * does not wrap the reply but shows an example (rule: whole-reply-fence). Otherwise returns null.
   */
  #explainedUpTo(at: number, reading: CallReading): number | null {
    const { leadingFence } = this.found;
    if (!this.#lines.insideWrapper || leadingFence === null || at < leadingFence[1]) return null;
    const text = this.#text;
    const callEnd = reading.kind === 'call' ? (reading.blockEnd ?? reading.end) : (reading.end ?? at);
    const hasOwnFence =
      reading.kind === 'call' &&
      /```|~~~/.test(text.slice(at, reading.start)) &&
      !/```|~~~/.test(text.slice(callEnd, lineEnd(text, callEnd)));
    const first = this.#lines.wrapperEnd(text, callEnd);
    const close = first !== null && hasOwnFence ? this.#lines.wrapperEnd(text, first) : first;
    return close !== null && followsText(text, close) ? close : null;
  }

  #leaveWrapper(end: number, reading: CallReading): Next {
    this.found.unwrap();
    this.#lines.leaveWrapper();
    this.#codeSpans.endParagraph();
    const isIntended = reading.kind === 'call' && this.#tools.find(reading.name) !== undefined;
    if (isIntended) this.found.quotedAction = { reading, where: 'stands in a code fence before other text' };
    return end + 1;
  }

  /**
   * Skips a JSON value that starts a line, since its strings may contain text that looks like a label (rule: markers).
   */
  #skipValue(start: number, end: number): Next {
    const first = skipBlanks(this.#text, start);
    if (first < this.#triedBefore) return this.#enterProse(start, end);
    const scanner = new Scanner(this.#text, first);
    const value = readValue(scanner);
    this.#triedBefore = scanner.position;
    if (value === undefined) return this.#enterProse(start, end);
    this.#lines.sawProse();
    this.found.lastValue = first;
    return this.#enterProse(scanner.position, this.#lineEnds.after(scanner.position));
  }

  #enterRest([from, lineStop]: TextSpan): Next {
    this.#rest = null;
    return this.#enterProse(from, lineStop);
  }

  /** Reads the rest of a line, or the next part of it: inline code, opening tags of calls, reasoning. */
  #enterProse(from: number, lineStop: number): Next {
    const text = this.#text;
    let at = from;
    let end = lineStop;
    while (at < end) {
      if (at - from >= CHARACTERS_AT_ONCE) {
        this.#rest = [at, end];
        return at;
      }
      const mark = text.charCodeAt(at);
      if (mark === character.backtick) {
        at = this.#codeSpans.enterRun(at);
        this.#lines.sawProse();
      } else if (this.#leavesTurn(mark, at)) {
        return this.#stopAtOtherTurn(at);
      } else if (beginsMark(text, at)) {
        const next = this.#enterTag(at);
        // The text after reasoning is read like a new line, which may begin with a label.
        if (next !== at + 1) return next;
        at = Math.max(next, this.#shown?.after ?? 0);
        if (at > end) end = this.#lineEnds.after(at);
      } else {
        if (mark > character.space) this.#lines.sawProse();
        at += 1;
      }
    }
    return end + 1;
  }

  #leavesTurn(mark: number, at: number): boolean {
    if (mark !== character.less && mark !== character.openBracket) return false;
    return !this.#codeSpans.isOpen && imaginesTurn(this.#text, at);
  }

  /** Reads the tag or token at a `<`, `[`, `]` or `◁`, if there is one, and returns where to continue; null to stop. */
  #enterTag(at: number): Next {
    const text = this.#text;
    const mark = inlineMarkAt(text, at);
    if (mark === null) return this.#skipCharacter(at);
    if (mark !== 'partial' && mark.kind === 'think') return this.#enterThinking(at);
    const endsThinking = mark !== 'partial' && mark.kind === 'think_end';
    if (endsThinking && this.#orphanCloseCounts && !this.#codeSpans.isOpen) {
      this.#orphanEnd = mark.end;
      return null;
    }
    const block = opensBlock(text, at) ? this.#calls.readBlock(at, this.#line[0]) : null;
    if (block) return this.#act(at, block);
    if (text.charCodeAt(at) !== character.less) return this.#skipCharacter(at);
    const own = this.#quotations.tagAt(at);
    if (own && own.mark !== null) return this.#leaveToQuotation(at, own);
    this.#lines.sawProse();
    return this.#afterShown(at);
  }

  /** Skips an element such as `<pre>` that shows text. Calls and labels in it are not read (rule: shown-element). */
  #afterShown(at: number): Next {
    const text = this.#text;
    const element = shownElementAt(text, at);
    if (element === null || element === 'partial' || this.#codeSpans.closesAfter(element.end)) return at + 1;
    const [lineStart, lineStop] = this.#line;
    const startsLine = skipBlanks(text, lineStart) >= at;
    const mayClose = this.#unclosedTags < MAX_UNCLOSED_TAGS && !isNamedInText(text, element, lineStop);
    const inside = startsLine || mayClose ? shownText(text, element) : null;
    if (inside !== null) this.#shown = { inside: [element.end, inside[0]], after: inside[1] };
    else if (startsLine) this.#openShown = element.end;
    else if (mayClose) this.#unclosedTags += 1;
    return this.#openShown === null ? at + 1 : null;
  }

  #skipCharacter(at: number): Next {
    this.#lines.sawProse();
    return at + 1;
  }

  /**
   * Skips the rest of a line with one of the service's data tags, such as `<file mark="1f">`. A closing tag alone on
   * its line is not prose.
   */
  #leaveToQuotation(at: number, { kind, end }: OwnTag): number | null {
    const [, lineStop] = this.#line;
    if (kind === 'opens' || !isRestBlank(this.#text, end, lineStop)) this.#lines.sawProse();
    return this.#leaveQuotedLine(at);
  }

  /** Reads reasoning up to its closing tag; if it starts a line and is never closed, up to the end of the reply. */
  #enterThinking(at: number): Next {
    const text = this.#text;
    const isQuoted = this.#codeSpans.isOpen;
    const close = isQuoted ? null : this.#closeAfter(at);
    if (!close && (isQuoted || skipBlanks(text, this.#line[0]) < at)) return this.#skipCharacter(at);
    const end = close ? close[1] : text.length;
    this.found.reasoning.push([at, end]);
    return this.#afterReasoning(end);
  }

  #closeAfter(at: number): TextSpan | null {
    const marks = openedReasoning(this.#text, at);
    if (marks === null || this.#neverClosed.has(marks)) return null;
    const close = nextReasoningClose(this.#text, at, marks);
    if (close === null) this.#neverClosed.add(marks);
    return close;
  }
}
