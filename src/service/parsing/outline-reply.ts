import type { OfferedTools } from './arguments/offered-tool.js';
import { readAction } from './dialects/read-action.js';
import { callTagAt, readTag } from './dialects/tags.js';
import type { CallReading, WholeCall } from './dialects/written-call.js';
import { SLICE, type Sliced } from './slices.js';
import { character, isRestBlank, LineEnds, skipBlanks } from './text/characters.js';
import { beginsOtherTurn, imaginesTurn, skipChatTokens } from './text/chat-tokens.js';
import { CodeSpans } from './text/code-spans.js';
import { nextThinkClose, nextThinkOpen, thinkTagAt } from './text/inline-marks.js';
import { type Line, LineClassifier } from './text/line-classifier.js';
import { readValue } from './text/literals.js';
import type { Marker } from './text/markers.js';
import { isMentioned, type OwnTag, ownTagAt } from './text/own-fences.js';
import { Scanner } from './text/scanner.js';

/** What a reply turns on: its first action or final answer, or nothing of the kind (rule: first-outcome-wins). */
type TurningPoint =
  | { readonly kind: 'action'; readonly at: number; readonly reading: CallReading }
  | { readonly kind: 'answer'; readonly marker: Marker }
  | { readonly kind: 'none' };

/** Characters from `start` up to `end`. */
export type TextSpan = readonly [start: number, end: number];

/** A code fence after prose: its lines and what stands between them. */
export interface QuotedFence {
  readonly start: number;
  readonly inside: number;
  /** Where its closing line starts and ends; null while it is open. */
  readonly close: TextSpan | null;
}

/** The parts of a reply, found in one walk over its lines. */
export interface ReplyOutline {
  readonly turn: TurningPoint;
  /** Where the reply begins, after chat tokens and after reasoning that was only closed. */
  readonly start: number;
  /** Where the reasoning that was only closed begins, after chat tokens. */
  readonly edge: number;
  readonly thoughts: readonly Marker[];
  /** `<think>` blocks with their tags, in order. */
  readonly reasoning: readonly TextSpan[];
  /** Fence lines that only wrap the reply: a label or the turning point stands in the fence. */
  readonly wrappers: readonly TextSpan[];
  /** The fence line with which the reply begins, whatever it wraps. */
  readonly leadingFence: TextSpan | null;
  readonly lastFence: QuotedFence | null;
  /** Where the last line of prose starts, or the JSON value it begins with; an input or made-up observation is none. */
  readonly lastLine: number | null;
  /** Where the model began to imagine the turn of somebody else (rule: chat-tokens). */
  readonly otherTurn: number | null;
  /** An action in an echoed fence without mark and closer, which may be meant after all (rule: echoed-fence). */
  readonly quotedAction: WholeCall | null;
}

interface Findings {
  readonly thoughts: Marker[];
  readonly reasoning: TextSpan[];
  readonly wrappers: TextSpan[];
  leadingFence: TextSpan | null;
  lastFence: QuotedFence | null;
  lastLine: number | null;
  otherTurn: number | null;
}

/** So many broken or quoted calls are looked at before the rest is taken for prose; keeps the walk linear. */
const MAXIMUM_ATTEMPTS = 64;

/**
 * Walks over a reply once, line by line, up to its turning point. Reasoning that is closed but was never
 * opened (some servers eat the opening tag) starts the walk anew after it, at most once (rule: thinking).
 */
export function* outlineReply(text: string, tools: OfferedTools): Sliced<ReplyOutline> {
  const edge = skipChatTokens(text, 0);
  const first = new Walk(text, edge, tools);
  if (beginsOtherTurn(text, 0, edge))
    return { ...first.outline(), edge: 0, otherTurn: 0, start: 0, quotedAction: null };
  const end = (yield* first.run()) ?? reasoningEndAfter(text, first.turn);
  if (end === null)
    return { ...first.outline(), edge, quotedAction: yield* quotedAction(first, text, tools) };
  const second = new Walk(text, end, tools, { orphanCloseCounts: false });
  yield* second.run();
  return { ...second.outline(), edge, quotedAction: yield* quotedAction(second, text, tools) };
}

function* quotedAction({ openQuotation }: Walk, text: string, tools: OfferedTools): Sliced<WholeCall | null> {
  if (openQuotation === null) return null;
  const inside = new Walk(text, openQuotation, tools, { orphanCloseCounts: false });
  yield* inside.run();
  const reading = inside.turn.kind === 'action' ? inside.turn.reading : null;
  return reading?.kind === 'call' && tools.find(reading.name) ? reading : null;
}

/** After a `</think>` that closes what was read as an action; what follows a final answer is all answer. */
function reasoningEndAfter(text: string, turn: TurningPoint): number | null {
  if (turn.kind !== 'action') return null;
  const from = turn.reading.kind === 'call' ? turn.reading.end : turn.at;
  const close = nextThinkClose(text, from);
  if (!close || text.charAt(close[0] - 1) === '`') return null;
  const open = nextThinkOpen(text, from);
  return open && open[0] < close[0] ? null : close[1];
}

class Walk {
  turn: TurningPoint = { kind: 'none' };
  readonly #text: string;
  readonly #tools: OfferedTools;
  readonly #start: number;
  readonly #orphanCloseCounts: boolean;
  readonly #lines = new LineClassifier();
  readonly #lineEnds: LineEnds;
  readonly #codeSpans: CodeSpans;
  readonly #found: Findings = {
    thoughts: [],
    reasoning: [],
    wrappers: [],
    leadingFence: null,
    lastFence: null,
    lastLine: null,
    otherTurn: null,
  };
  /** After a `</think>` that was never opened. */
  #orphanEnd: number | null = null;
  /** A value that was tried and given up here is not tried again before this place. */
  #triedBefore = 0;
  #tagAhead = -1;
  #quotation = 0;
  #attempts = 0;
  #line: TextSpan = [0, -1];
  #thinkNeverEnds = false;

  constructor(text: string, start: number, tools: OfferedTools, { orphanCloseCounts = true } = {}) {
    this.#text = text;
    this.#start = start;
    this.#tools = tools;
    this.#orphanCloseCounts = orphanCloseCounts;
    this.#codeSpans = new CodeSpans(text);
    this.#lineEnds = new LineEnds(text);
  }

  /** Returns where the reply begins anew, after reasoning that was only closed; else null. */
  *run(): Sliced<number | null> {
    let told = this.#start;
    for (let next: number | null = told; next !== null && next < this.#text.length; ) {
      next = this.#enterLine(next);
      if (next === null || next - told < SLICE) continue;
      yield next - told;
      told = next;
    }
    yield this.#text.length - told;
    return this.#orphanEnd;
  }

  outline(): Omit<ReplyOutline, 'edge' | 'quotedAction'> {
    return { turn: this.turn, start: this.#start, ...this.#found };
  }

  /** Where the quotation begins that an opener without its mark has opened and nothing has closed. */
  get openQuotation(): number | null {
    return this.#lines.insideUnmarkedFence ? this.#quotation : null;
  }

  /** Returns where to go on: the next line, or further on when something was read whole; null to stop. */
  #enterLine(start: number): number | null {
    const text = this.#text;
    const end = this.#lineEnds.after(start);
    this.#line = [start, end];
    const wasInFence = this.#lines.insideCodeFence;
    const wasQuotation = this.#lines.insideUnmarkedFence;
    const line = this.#lines.enter({ text, start, end });
    if (!wasQuotation && this.#lines.insideUnmarkedFence) this.#quotation = end + 1;
    if (line?.kind === 'quoted') this.#trackFence(wasInFence);
    if (!line || line.kind === 'blank' || line.kind === 'quoted' || line.kind === 'wrapper')
      return this.#skipLine(line);
    if (line.kind === 'marker') return this.#enterMarker(line.marker, end);
    this.#found.lastLine = start;
    return (line.kind === 'value' ? this.#skipValue(start) : null) ?? this.#enterProse(start, end);
  }

  #skipLine(line: Line | null): number | null {
    const [start, end] = this.#line;
    this.#codeSpans.endParagraph();
    if (line?.kind === 'wrapper') this.#enterWrapper([start, line.end]);
    if (line?.kind === 'quoted') {
      this.#lines.sawProse();
      if (!this.#enterQuotation(start)) return null;
    }
    return line?.kind === 'wrapper' && line.end < end ? this.#enterProse(line.end, end) : end + 1;
  }

  /** A fence at the start without a label in it wraps nothing: it is a code block of the text. */
  #enterWrapper(line: TextSpan): void {
    const { wrappers, thoughts } = this.#found;
    this.#found.leadingFence ??= line;
    const open = wrappers.at(-1);
    const wrapsLabel = open && (thoughts.at(-1)?.start ?? -1) > open[1];
    if (this.#lines.insideWrapper || wrapsLabel) wrappers.push(line);
    else wrappers.pop();
  }

  /** What the model makes others say is not taken, as if it had stopped there. */
  #stopAtOtherTurn(at: number): null {
    this.#found.otherTurn = at;
    return null;
  }

  #trackFence(wasInFence: boolean): void {
    const [start, end] = this.#line;
    const isInFence = this.#lines.insideCodeFence;
    const { lastFence } = this.#found;
    if (isInFence && !wasInFence) this.#found.lastFence = { start, inside: end + 1, close: null };
    else if (wasInFence && !isInFence && lastFence)
      this.#found.lastFence = { ...lastFence, close: this.#line };
  }

  /** In a quoted line only our own fences count, which may open or close there, and the end of the model's turn; false there. */
  #enterQuotation(from: number): boolean {
    const text = this.#text;
    const [, end] = this.#line;
    for (let at = this.#nextTag(from); at < end; at = this.#nextTag(at + 1)) {
      const tag = this.#ownTagAt(at);
      if (tag) this.#lines.enterOwnTag(tag);
      else if (text.charAt(at - 1) === '>' && !this.#lines.insideFence && imaginesTurn(text, at)) {
        this.#stopAtOtherTurn(at);
        return false;
      }
    }
    return true;
  }

  /** The next `<`; remembered, since many lines may stand before it. */
  #nextTag(from: number): number {
    if (from <= this.#tagAhead) return this.#tagAhead;
    const at = this.#text.indexOf('<', from);
    this.#tagAhead = at < 0 ? this.#text.length : at;
    return this.#tagAhead;
  }

  #ownTagAt(at: number): OwnTag | null {
    const tag = ownTagAt(this.#text, at);
    return tag && tag !== 'partial' && !isMentioned(this.#text, at, tag.end) ? tag : null;
  }

  #enterMarker(marker: Marker, end: number): number | null {
    const quoted = this.#codeSpans.closesAfter(marker.end);
    if (marker.label === 'answer' && !quoted) {
      this.turn = { kind: 'answer', marker };
      return null;
    }
    // what follows an observation the model made up is not taken, as if it had stopped there
    if (marker.label === 'observation' && !quoted && this.#lines.proseBefore) return null;
    if (marker.label !== 'action_input') this.#found.lastLine = this.#line[0];
    if (marker.label === 'thought') this.#found.thoughts.push(marker);
    if (marker.label === 'action' && this.#attempts < MAXIMUM_ATTEMPTS) {
      const reading = readAction(this.#text, marker.end, this.#tools);
      if (reading && this.#isMeant(reading, marker.end)) return this.#act(marker.start, reading);
      // one line may hold many labels, each of which may be read to the end of the line
      if (!reading && this.#goesOnInLine) this.#attempts += 1;
    }
    this.#lines.sawProse();
    return this.#enterProse(Math.min(marker.end, end), end);
  }

  /** After reasoning, or after chat tokens at the edge. */
  get #goesOnInLine(): boolean {
    const [start] = this.#line;
    return start > 0 && this.#text.charCodeAt(start - 1) !== character.newline;
  }

  #act(at: number, reading: CallReading): null {
    this.turn = { kind: 'action', at, reading };
    return null;
  }

  /** Not inside inline code that closes after it. */
  #isMeant(reading: CallReading, fallbackEnd: number): boolean {
    if (!this.#codeSpans.closesAfter(reading.kind === 'call' ? reading.end : fallbackEnd)) return true;
    this.#attempts += 1;
    return false;
  }

  /** A JSON value that starts a line is passed whole: markers in its strings do not count (rule: markers). */
  #skipValue(start: number): number | null {
    const first = skipBlanks(this.#text, start);
    if (first < this.#triedBefore) return null;
    const scanner = new Scanner(this.#text, first);
    const value = readValue(scanner);
    this.#triedBefore = scanner.position;
    if (value === undefined) return null;
    this.#lines.sawProse();
    return this.#enterProse(scanner.position, this.#lineEnds.after(scanner.position));
  }

  /** The rest of a line: inline code, tags that call a tool, reasoning. */
  #enterProse(from: number, end: number): number | null {
    const text = this.#text;
    for (let at = from; at < end; ) {
      const mark = text.charCodeAt(at);
      if (mark === character.backtick) {
        at = this.#codeSpans.enterRun(at);
        this.#lines.sawProse();
      } else if (this.#leavesTurn(mark, at)) {
        return this.#stopAtOtherTurn(at);
      } else if (mark === character.less) {
        const next = this.#enterTag(at);
        // after reasoning a marker may stand as at the start of a line
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

  /** At a `<`: returns where to go on, null to stop. */
  #enterTag(at: number): number | null {
    const text = this.#text;
    const think = thinkTagAt(text, at);
    if (think === 'think') return this.#enterThinking(at);
    if (think === 'think_end' && this.#orphanCloseCounts && !this.#codeSpans.isOpen) {
      this.#orphanEnd = nextThinkClose(text, at)?.[1] ?? at + 1;
      return null;
    }
    const own = this.#ownTagAt(at);
    if (own && own.mark !== null) return this.#leaveToQuotation(at, own);
    this.#lines.sawProse();
    return callTagAt(text, at) ? this.#enterCall(at) : at + 1;
  }

  /** One of our own fences: what is left of the line belongs to it. A closer alone on its line is no text. */
  #leaveToQuotation(at: number, { kind, end }: OwnTag): number | null {
    const [, lineStop] = this.#line;
    if (kind === 'opens' || !isRestBlank(this.#text, end, lineStop)) this.#lines.sawProse();
    return this.#enterQuotation(at) ? lineStop + 1 : null;
  }

  #enterCall(at: number): number | null {
    const reading = this.#attempts < MAXIMUM_ATTEMPTS ? readTag(this.#text, at, this.#tools) : null;
    return reading && this.#counts(reading, at) ? this.#act(at, reading) : at + 1;
  }

  /** A broken call in a tag counts as an action only where the tag starts its line. */
  #counts(reading: CallReading, at: number): boolean {
    if (reading.kind === 'unreadable' && skipBlanks(this.#text, this.#line[0]) < at) {
      this.#attempts += 1;
      return false;
    }
    // however the paragraph's other backticks pair up
    const wrapped = reading.kind === 'call' && this.#text[at - 1] === '`' && this.#text[reading.end] === '`';
    return !wrapped && this.#isMeant(reading, at + 1);
  }

  /** Reasoning up to its closing tag; unclosed only where it starts a line, and then to the end. */
  #enterThinking(at: number): number {
    const text = this.#text;
    const isQuoted = this.#codeSpans.isOpen;
    const close = isQuoted || this.#thinkNeverEnds ? null : nextThinkClose(text, at);
    if (!isQuoted && !close) this.#thinkNeverEnds = true;
    if (!close && (isQuoted || skipBlanks(text, this.#line[0]) < at)) {
      this.#lines.sawProse();
      return at + 1;
    }
    const end = close ? close[1] : text.length;
    this.#found.reasoning.push([at, end]);
    return end;
  }
}
