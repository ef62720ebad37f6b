import type { OfferedTools } from '../arguments/offered-tool.js';
import type { CallReading, WholeCall } from '../dialects/written-call.js';
import { thinkTagAt } from '../formats/inline-marks.js';
import { opensBlock } from '../formats/read-block.js';
import { character, isRestBlank, LineEnds, skipBlanks, skipSpace } from '../text/characters.js';
import { imaginesTurn, leadingHeaderEnd, opensOtherTurn, readTokens } from '../text/chat-tokens.js';
import { CodeSpans } from '../text/code-spans.js';
import { type Line, LineClassifier } from '../text/line-classifier.js';
import { readValue } from '../text/literals.js';
import { bulletEnd } from '../text/markdown.js';
import { type Marker, withInnerLabel } from '../text/markers.js';
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
import { CallFinder } from './call-finder.js';
import { Quotations } from './quotations.js';
import { Findings, type ReplyOutline, type TextSpan, type TurningPoint } from './reply-outline.js';

/**
 * Walks over a reply once, line by line, up to its first action or answer. If reasoning is closed without
 * having been opened, since some servers drop the opening tag, the walk restarts after it, at most once
 * (rule: thinking).
 */
export function outlineReply(text: string, tools: OfferedTools): ReplyOutline {
  const { end, turn } = readTokens(text, 0, (_, at) => opensOtherTurn(text, at) || opensBlock(text, at));
  const header = turn === null ? leadingHeaderEnd(text, skipSpace(text, end)) : null;
  const edge = turn ?? (typeof header === 'number' ? header : end);
  if (turn !== null && opensOtherTurn(text, turn)) {
    const imagined = new Findings(0);
    imagined.otherTurn = 0;
    return imagined;
  }
  const leading = leadingReasoningEnd(text, edge);
  const first = new OutlineWalk(text, leading ?? edge, tools);
  const restart = first.run() ?? reasoningEndAfter(text, first.found.turn);
  const walk = restart === null ? first : new OutlineWalk(text, restart, tools, { orphanCloseCounts: false });
  if (restart !== null) walk.run();
  const { found } = walk;
  found.edge = edge;
  found.quotedAction = quotedAction(walk, text, tools);
  return found;
}

function quotedAction({ openQuotation }: OutlineWalk, text: string, tools: OfferedTools): WholeCall | null {
  if (openQuotation === null) return null;
  const inside = new OutlineWalk(text, openQuotation, tools, { orphanCloseCounts: false });
  inside.run();
  const { turn } = inside.found;
  const reading = turn.kind === 'action' ? turn.reading : null;
  return reading?.kind === 'call' && tools.find(reading.name) ? reading : null;
}

/**
 * Returns the end of a closing mark of reasoning after an action that was read inside unopened reasoning; null
 * if there is none.
 */
function reasoningEndAfter(text: string, turn: TurningPoint): number | null {
  if (turn.kind !== 'action') return null;
  const { reading } = turn;
  const from = reading.kind === 'call' ? (reading.blockEnd ?? reading.end) : (reading.end ?? turn.at);
  const close = nextOrphanClose(text, from);
  return !close || text.charAt(close[0] - 1) === '`' ? null : close[1];
}

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
  /** Position after a closing mark of reasoning that was never opened. */
  #orphanEnd: number | null = null;
  /** End of the last unreadable value; values before it are not tried again. */
  #triedBefore = 0;
  #line: TextSpan = [0, -1];
  /** Rows of marks of which no closing mark follows; they are not searched again. */
  readonly #neverClosed = new Set<ReasoningMarks>();

  constructor(text: string, start: number, tools: OfferedTools, { orphanCloseCounts = true } = {}) {
    this.found = new Findings(start);
    this.#text = text;
    this.#orphanCloseCounts = orphanCloseCounts;
    this.#codeSpans = new CodeSpans(text);
    this.#lineEnds = new LineEnds(text);
    this.#quotations = new Quotations(text, this.#lines);
    this.#calls = new CallFinder(text, tools, this.#codeSpans);
  }

  /** Returns the end of reasoning that was closed but never opened; null if there is none. */
  run(): number | null {
    for (let next: Next = this.found.start; next !== null && next < this.#text.length; )
      next = this.#enterLine(next);
    return this.#orphanEnd;
  }

  /** Start of an unclosed quotation whose opening tag lost its mark. */
  get openQuotation(): number | null {
    return this.#quotations.open;
  }

  /** Returns where to continue: the next line, or further on if a construct was read whole; null to stop. */
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
    const callEnd = this.#lines.proseBefore ? null : this.#calls.unmarkedEnd(start);
    if (callEnd !== null) {
      this.found.lastValue = skipBlanks(this.#text, start);
      this.#lines.sawProse();
      return this.#enterProse(callEnd, this.#lineEnds.after(callEnd));
    }
    return line.kind === 'value' ? this.#skipValue(start, end) : this.#enterProse(start, end);
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

  /** Returns the start of a list item's text; null for other lines. */
  #itemAt(lineStart: number): number | null {
    if (this.#lines.insideFence) return null;
    const first = skipBlanks(this.#text, lineStart);
    const item = bulletEnd(this.#text, first);
    return item > first ? skipBlanks(this.#text, item) : null;
  }

  #leaveQuotedLine(from: number): number | null {
    const [, end] = this.#line;
    const otherTurn = this.#quotations.enterLine(from, end);
    return otherTurn === null ? end + 1 : this.#stopAtOtherTurn(otherTurn);
  }

  /** Ends the walk at another role's turn that the model imagined. */
  #stopAtOtherTurn(at: number): null {
    this.found.otherTurn = at;
    return null;
  }

  #enterMarker(marker: Marker, end: number): Next {
    const quoted = this.#codeSpans.closesAfter(marker.end);
    if (marker.label === 'answer' && !quoted) {
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

  #enterAction(marker: Marker, end: number): Next {
    const reading = this.#calls.readAction(marker.end, this.#line[0]);
    return reading ? this.#act(marker.start, reading) : this.#leaveMarker(marker, end);
  }

  #leaveMarker(marker: Marker, end: number): Next {
    this.#lines.sawProse();
    return this.#enterProse(Math.min(marker.end, end), end);
  }

  #act(at: number, reading: CallReading): null {
    this.found.turn = { kind: 'action', at, reading };
    return null;
  }

  /** Skips a JSON value that starts a line, since markers in its strings do not count (rule: markers). */
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

  /** Reads the rest of a line: inline code, call tags, reasoning. */
  #enterProse(from: number, end: number): Next {
    const text = this.#text;
    let at = from;
    while (at < end) {
      const mark = text.charCodeAt(at);
      if (mark === character.backtick) {
        at = this.#codeSpans.enterRun(at);
        this.#lines.sawProse();
      } else if (this.#leavesTurn(mark, at)) {
        return this.#stopAtOtherTurn(at);
      } else if (beginsMark(text, at)) {
        const next = this.#enterTag(at);
        // Markers count after reasoning as at the start of a line.
        if (next !== at + 1) return next;
        at = next;
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

  /** Reads a `<`, `[`, `]` or `◁` and returns where to continue; null to stop. */
  #enterTag(at: number): Next {
    const text = this.#text;
    const think = thinkTagAt(text, at);
    if (think?.kind === 'think') return this.#enterThinking(at);
    if (think?.kind === 'think_end' && this.#orphanCloseCounts && !this.#codeSpans.isOpen) {
      this.#orphanEnd = think.end;
      return null;
    }
    const block = opensBlock(text, at) ? this.#calls.readBlock(at, this.#line[0]) : null;
    if (block) return this.#act(at, block);
    if (text.charCodeAt(at) !== character.less) return this.#skipCharacter(at);
    const own = this.#quotations.tagAt(at);
    if (own && own.mark !== null) return this.#leaveToQuotation(at, own);
    this.#lines.sawProse();
    return at + 1;
  }

  #skipCharacter(at: number): Next {
    this.#lines.sawProse();
    return at + 1;
  }

  /** Treats the rest of the line as part of one of our own fences; omits a closing tag alone on its line. */
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
    return end;
  }

  #closeAfter(at: number): TextSpan | null {
    const marks = openedReasoning(this.#text, at);
    if (marks === null || this.#neverClosed.has(marks)) return null;
    const close = nextReasoningClose(this.#text, at, marks);
    if (close === null) this.#neverClosed.add(marks);
    return close;
  }
}
