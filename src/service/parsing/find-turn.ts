import type { OfferedTools } from './arguments/offered-tool.js';
import { readAction } from './dialects/read-action.js';
import { callTagAt, readTag } from './dialects/tags.js';
import type { CallReading } from './dialects/written-call.js';
import { CodeSpans } from './text/code-spans.js';
import { readValue } from './text/literals.js';
import { MarkdownContext } from './text/markdown.js';
import { type Marker, matchMarker } from './text/markers.js';
import { lineEnd, Scanner, skipBlanks, skipSpace } from './text/scanner.js';

/** What the reply turns on: its first action or final answer, or nothing of the kind (SPEC §7.2). */
export type Turn =
  | { readonly kind: 'action'; readonly at: number; readonly reading: CallReading }
  | { readonly kind: 'answer'; readonly marker: Marker }
  | { readonly kind: 'none' };

export type Span = readonly [start: number, end: number];

export interface Outline {
  readonly turn: Turn;
  /** Where the reply begins, behind reasoning that was only closed. */
  readonly start: number;
  readonly thoughts: readonly Marker[];
  /** `<think>` blocks with their tags, in order. */
  readonly reasoning: readonly Span[];
  /** Fence lines that only wrap the reply. */
  readonly wrappers: readonly Span[];
}

const thinkOpen = '<think>';
const thinkClose = '</think>';
/** So many broken or quoted calls are looked at before the rest is taken for prose; keeps the walk linear. */
const maximumAttempts = 64;

/**
 * Walks over a reply once, line by line, up to its turn. Reasoning that is closed but was never opened
 * (some servers eat the opening tag) starts the walk anew behind it, at most once (SPEC §7.14).
 */
export function outline(text: string, tools: OfferedTools): Outline {
  const first = new Walk(text, 0, tools, true).run();
  const end = strayThinkEnd(text, first);
  return end === null ? first : new Walk(text, end, tools, false).run();
}

/** Behind a `</think>` that closes what was read as the reply so far. */
function strayThinkEnd(text: string, found: Outline & { strayEnd?: number }): number | null {
  if (found.strayEnd !== undefined) return found.strayEnd;
  const { turn } = found;
  if (turn.kind === 'none') return null;
  const from =
    turn.kind === 'answer' ? turn.marker.end : turn.reading.kind === 'call' ? turn.reading.end : turn.at;
  const close = text.indexOf(thinkClose, from);
  if (close < 0 || text.charAt(close - 1) === '`') return null;
  const open = text.indexOf(thinkOpen, from);
  if (open >= 0 && open < close) return null;
  const end = close + thinkClose.length;
  if (turn.kind === 'action') return end;
  const lineStart = text.lastIndexOf('\n', close) + 1;
  const alone = skipBlanks(text, lineStart) === close && lineStart > from;
  return alone && skipSpace(text, end) < text.length ? end : null;
}

class Walk {
  readonly #text: string;
  readonly #tools: OfferedTools;
  readonly #start: number;
  readonly #strayEndCounts: boolean;
  readonly #markdown = new MarkdownContext();
  readonly #codeSpans: CodeSpans;
  readonly #thoughts: Marker[] = [];
  readonly #reasoning: Span[] = [];
  readonly #wrappers: Span[] = [];
  #proseBefore = false;
  #strayEnd: number | undefined;
  /** A value that was tried and given up here is not tried again before this place. */
  #triedBefore = 0;
  #attempts = 0;
  #lineStart = 0;
  #lineEnd = -1;
  #thinkNeverEnds = false;
  #turn: Turn = { kind: 'none' };

  constructor(text: string, start: number, tools: OfferedTools, strayEndCounts: boolean) {
    this.#text = text;
    this.#start = start;
    this.#tools = tools;
    this.#strayEndCounts = strayEndCounts;
    this.#codeSpans = new CodeSpans(text);
  }

  run(): Outline & { strayEnd?: number } {
    let next: number | null = this.#start;
    while (next !== null && next < this.#text.length) next = this.#enterLine(next);
    return {
      turn: this.#turn,
      start: this.#start,
      thoughts: this.#thoughts,
      reasoning: this.#reasoning,
      wrappers: this.#wrappers,
      ...(this.#strayEnd !== undefined && { strayEnd: this.#strayEnd }),
    };
  }

  /** Returns where to go on: the next line, or further on when something was read whole; null to stop. */
  #enterLine(start: number): number | null {
    const text = this.#text;
    this.#lineStart = start;
    // behind reasoning a line goes on: its end is known
    if (start > this.#lineEnd) this.#lineEnd = lineEnd(text, start);
    const end = this.#lineEnd;
    const kind = this.#markdown.enterLine(text, start, end, this.#proseBefore);
    if (kind === 'wrapper') this.#wrappers.push([start, infoEnd(text, start, end)]);
    if (kind !== 'plain') {
      this.#codeSpans.endParagraph();
      if (kind === 'quoted') this.#proseBefore = true;
      return end + 1;
    }
    const marker = matchMarker(text, start);
    if (marker && marker !== 'partial') return this.#enterMarker(marker, end);
    return this.#skipValue(start) ?? this.#enterProse(start, end);
  }

  #enterMarker(marker: Marker, end: number): number | null {
    const quoted = this.#codeSpans.closesBehind(marker.end);
    if (marker.label === 'answer' && !quoted) {
      this.#turn = { kind: 'answer', marker };
      return null;
    }
    // what follows an observation the model made up is not taken, as if it had stopped there
    if (marker.label === 'observation' && !quoted && this.#proseBefore) return null;
    if (marker.label === 'thought') this.#thoughts.push(marker);
    if (marker.label === 'action' && this.#attempts < maximumAttempts) {
      const reading = readAction(this.#text, marker.end, this.#tools);
      if (reading && this.#isMeant(reading, marker.end)) return this.#act(marker.start, reading);
    }
    this.#proseBefore = true;
    return this.#enterProse(Math.min(marker.end, end), end);
  }

  #act(at: number, reading: CallReading): null {
    this.#turn = { kind: 'action', at, reading };
    return null;
  }

  /** Not inside inline code that closes behind it. */
  #isMeant(reading: CallReading, fallbackEnd: number): boolean {
    if (!this.#codeSpans.closesBehind(reading.kind === 'call' ? reading.end : fallbackEnd)) return true;
    this.#attempts += 1;
    return false;
  }

  /** A JSON value that starts a line is passed whole: markers in its strings do not count (SPEC §7.1). */
  #skipValue(start: number): number | null {
    const first = skipBlanks(this.#text, start);
    if (!'{['.includes(this.#text.charAt(first)) || first < this.#triedBefore) return null;
    const scanner = new Scanner(this.#text, first);
    const value = readValue(scanner);
    this.#triedBefore = scanner.position;
    if (value === undefined) return null;
    this.#proseBefore = true;
    return this.#enterProse(scanner.position, lineEnd(this.#text, scanner.position));
  }

  /** The rest of a line: inline code, tags that call a tool, reasoning. */
  #enterProse(from: number, end: number): number | null {
    const text = this.#text;
    for (let at = from; at < end; ) {
      const mark = text.charCodeAt(at);
      if (mark === 96) {
        at = this.#codeSpans.enterRun(at);
        this.#proseBefore = true;
      } else if (mark === 60) {
        const next = this.#enterTag(at);
        // behind reasoning a marker may stand as at the start of a line
        if (next !== at + 1) return next;
        at = next;
      } else {
        if (!this.#proseBefore && mark > 32) this.#proseBefore = true;
        at += 1;
      }
    }
    return end + 1;
  }

  /** At a `<`: returns where to go on, null to stop. */
  #enterTag(at: number): number | null {
    const text = this.#text;
    if (text.startsWith(thinkOpen, at)) return this.#enterThinking(at);
    if (text.startsWith(thinkClose, at) && this.#strayEndCounts && !this.#codeSpans.isOpen) {
      this.#strayEnd = at + thinkClose.length;
      return null;
    }
    if (callTagAt(text, at) && this.#attempts < maximumAttempts) {
      const reading = readTag(text, at, this.#tools);
      if (reading && this.#counts(reading, at)) return this.#act(at, reading);
    }
    this.#proseBefore = true;
    return at + 1;
  }

  /** A broken call in a tag counts as an action only where the tag starts its line. */
  #counts(reading: CallReading, at: number): boolean {
    if (reading.kind === 'unreadable' && skipBlanks(this.#text, this.#lineStart) < at) {
      this.#attempts += 1;
      return false;
    }
    // whatever the paragraph's other backticks pair up to
    const wrapped = reading.kind === 'call' && this.#text[at - 1] === '`' && this.#text[reading.end] === '`';
    return !wrapped && this.#isMeant(reading, at + 1);
  }

  /** Reasoning up to its closing tag; unclosed only where it starts a line, and then to the end. */
  #enterThinking(at: number): number {
    const text = this.#text;
    const isQuoted = this.#codeSpans.isOpen;
    const close = isQuoted || this.#thinkNeverEnds ? -1 : text.indexOf(thinkClose, at);
    if (!isQuoted && close < 0) this.#thinkNeverEnds = true;
    if (close < 0 && (isQuoted || skipBlanks(text, this.#lineStart) < at)) {
      this.#proseBefore = true;
      return at + 1;
    }
    const end = close < 0 ? text.length : close + thinkClose.length;
    this.#reasoning.push([at, end]);
    return end;
  }
}

/** Behind a fence and its language; where the line goes on, the rest is text of the reply. */
function infoEnd(text: string, start: number, end: number): number {
  let at = skipBlanks(text, start);
  while (at < end && '`~'.includes(text.charAt(at))) at += 1;
  const run = at;
  while (at < end && /[\w+#.-]/.test(text.charAt(at))) at += 1;
  return skipBlanks(text, at) >= end || text.charAt(at) === '\r' ? end : run;
}
