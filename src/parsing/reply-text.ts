import { OfferedTools } from './arguments/offered-tool.js';
import { type DiscardedRun, discardedBefore, discardedRuns, tokensIn } from './discarded.js';
import { ANSWER_CLOSE } from './formats/inline-marks.js';
import { opensBlock } from './formats/read-block.js';
import { outlineReply, outlineReplyPausing } from './outline/outline-reply.js';
import type { ReplyOutline, TextSpan } from './outline/reply-outline.js';
import type { Pause } from './pause.js';
import { LineEnds, lineEnd, skipBlanks, skipSpace } from './text/characters.js';
import {
  chatTokenAt,
  leadingHeaderEnd,
  opensOtherTurn,
  RESPONSE_CLOSE,
  readTokens,
} from './text/chat-tokens.js';
import { LineClassifier } from './text/line-classifier.js';
import { isBareFence } from './text/markdown.js';
import type { Marker } from './text/markers.js';
import { strayClosers } from './text/own-fences.js';
import { withoutMarks } from './text/reasoning-marks.js';
import { type TrimmedEnd, trimEnd, trimTokens } from './text/trailing.js';

/**
 * Reads a text that cannot hold actions, such as a summary; drops reasoning and a leading `Thought:`. Awaits `pause`
 * between parts of the text.
 */
export async function readProse(text: string, pause: Pause): Promise<string> {
  const reply = await ReplyText.readPausing(text, new OfferedTools([]), pause);
  return reply.textOf(reply.whole());
}

/** A reply and its parts, without labels, reasoning and wrapping fences. */
export class ReplyText {
  readonly text: string;
  readonly outline: ReplyOutline;
  /** End of the text, before chat tokens and white space. */
  readonly end: number;
  /** Number of characters of complete and incomplete stop words after the end. */
  readonly #stop: number;
  readonly #strays: readonly TextSpan[];
  readonly #tools: OfferedTools;
  /** Chat tokens directly after reasoning, and the tags around the text for the user, such as `<response>`. */
  readonly #headers: readonly DiscardedRun[];

  private constructor(
    text: string,
    outline: ReplyOutline,
    found: {
      readonly trimmed: TrimmedEnd;
      readonly strays: readonly TextSpan[];
      readonly tools: OfferedTools;
    },
  ) {
    this.text = text;
    this.outline = outline;
    this.end = found.trimmed.end;
    this.#stop = found.trimmed.stop;
    this.#strays = found.strays;
    this.#tools = found.tools;
    const headers = this.reasoningSpans().flatMap(([, end]) => headersAfter(text, end));
    this.#headers = [...headers, ...responseTags(text, outline)];
  }

  static read(text: string, tools: OfferedTools): ReplyText {
    return ReplyText.#of(text, outlineReply(text, tools), tools);
  }

  /** Works as `read`, but awaits `pause` between parts of the text. */
  static async readPausing(text: string, tools: OfferedTools, pause: Pause): Promise<ReplyText> {
    return ReplyText.#of(text, await outlineReplyPausing(text, tools, pause), tools);
  }

  static #of(text: string, outline: ReplyOutline, tools: OfferedTools): ReplyText {
    const { start, otherTurn, reasoning } = outline;
    const from = Math.max(start, reasoning.at(-1)?.[1] ?? start); // Tokens in reasoning belong to it.
    const trimmed = otherTurn === null ? trimEnd(text, from) : trimTokens(text, start, otherTurn);
    return new ReplyText(text, outline, { trimmed, strays: strayClosers(text), tools });
  }

  /** Returns the text between the tags of reasoning, even if the opening or closing tag is missing (rule: thinking). */
  reasoning(): string | null {
    const blocks: string[] = [];
    for (const [from, to] of this.reasoningSpans()) {
      const block = withoutMarks(this.text.slice(from, to));
      if (block !== '') blocks.push(block);
    }
    return blocks.join('\n\n') || null;
  }

  /** Returns the spans of reasoning, tags included. */
  reasoningSpans(): readonly TextSpan[] {
    const { edge, start, reasoning } = this.outline;
    return start > edge ? [[edge, start], ...reasoning] : reasoning;
  }

  textOf(spans: readonly TextSpan[]): string {
    return spans.map(([from, to]) => this.text.slice(from, to)).join('');
  }

  /** Returns all text before the action or answer, without labels (rule: thought-and-answer). */
  thoughtBefore(end: number): TextSpan[] {
    const { start } = this.outline;
    const trimmed = trimTokens(this.text, start, end);
    return this.#cut(start, trimmed.end, this.#labels());
  }

  /** Returns the whole reply without a leading `Thought:`. */
  whole(): TextSpan[] {
    const leading = this.leadingThought();
    if (leading) return this.#cut(this.outline.start, this.end, labelSpans(this.text, leading));
    return this.#without(this.outline.start, this.end, this.outline.reasoning);
  }

  /** Returns the text after an answer's label. */
  answer(marker: Marker): TextSpan[] {
    const bold = marker.openBold ? closingBold(this.text, marker.end) : [];
    const close = this.#answerClose(marker);
    const end = this.#beforeWrapper(marker.end, this.end);
    return this.#without(marker.end, Math.max(end, marker.end), [...bold, ...close]);
  }

  /** Lists the discarded text of a reply that is an answer; the label of the answer is at `thoughtEnd`. */
  leftOutOfAnswer(thoughtEnd = this.outline.start): DiscardedRun[] {
    const stop = { kind: 'stop', start: this.end, end: this.text.trimEnd().length } as const;
    return [...this.#leftOut(thoughtEnd, this.end), { chars: this.#stop, ...stop }, ...this.#imagined()];
  }

  /** Lists the text of another role's turn that the model made up, up to the end of the reply. */
  #imagined(): DiscardedRun[] {
    const { otherTurn } = this.outline;
    if (otherTurn === null) return [];
    const { end } = readTokens(this.text, otherTurn);
    const spoken = discardedRuns(this.text, end);
    return [{ kind: 'chat_token', start: otherTurn, end, chars: end - otherTurn }, ...spoken];
  }

  /** Lists the discarded text before and after a call of the named tool; without a name, of an answer. */
  leftOutAround(thoughtEnd: number, call: { start: number; end: number; name?: string }): DiscardedRun[] {
    const { name } = call;
    return [
      ...this.#leftOut(thoughtEnd, thoughtEnd),
      ...discardedBefore(this.text, thoughtEnd, call.start),
      ...discardedRuns(this.text, call.end, name === undefined ? undefined : { name, tools: this.#tools }),
    ];
  }

  #leftOut(thoughtEnd: number, shownEnd: number): DiscardedRun[] {
    const { edge, start } = this.outline;
    const strays = this.#strays.filter(([from]) => from >= start && from < shownEnd);
    const trimmed = trimTokens(this.text, start, thoughtEnd);
    const isAfter = (header: DiscardedRun): boolean => header.start >= thoughtEnd && header.end <= shownEnd;
    const headers = this.#headers.filter(
      (header) => header.start >= start && (header.end <= trimmed.end || isAfter(header)),
    );
    const chars = this.text.slice(0, edge).trim().length;
    return [
      { kind: 'chat_token', start: 0, end: edge, chars },
      ...headers,
      tokensIn(trimmed, thoughtEnd),
      ...strays.map(([from, to]) => ({ kind: 'fence', start: from, end: to, chars: to - from }) as const),
    ];
  }

  /** Returns the start of the content, after reasoning or the opening line of a fence around the reply. */
  contentStart(): number {
    const wrapper = this.outline.leadingFence;
    const [, reasoningEnd] = this.outline.reasoning.at(-1) ?? [0, this.outline.start];
    return skipSpace(this.text, wrapper ? wrapper[1] : reasoningEnd);
  }

  /** Returns true if any text other than reasoning and the opening line of a fence comes before the content. */
  hasTextBefore(content: number): boolean {
    const { start, reasoning, leadingFence } = this.outline;
    const wrapping = leadingFence ? [...reasoning, leadingFence] : reasoning;
    return this.#without(start, content, wrapping).length > 0;
  }

  /**
   * Returns the end of the content, before a closing fence around the reply. Unlike `end`, it is not cut off at a
   * token that opens another role's turn, because a call may quote such a token.
   */
  contentEnd(): number {
    const { start, otherTurn } = this.outline;
    const end = otherTurn === null ? this.end : trimEnd(this.text, start).end;
    return this.#beforeWrapper(this.contentStart(), end);
  }

  /** Returns the `Thought:` with which the content begins; null if there is none. */
  leadingThought(): Marker | null {
    const first = this.outline.thoughts[0];
    return first && !this.hasTextBefore(first.start) ? first : null;
  }

  #labels(): TextSpan[] {
    const lineEnds = new LineEnds(this.text);
    const spans: TextSpan[] = [];
    for (const marker of this.outline.thoughts) {
      spans.push(...labelSpans(this.text, marker, lineEnds));
    }
    return spans;
  }

  /**
   * Finds the closing tag of an answer: the first one of the answer's own tag that is not in inline code, or a
   * `</final_answer>` at the end.
   */
  #answerClose({ close, end }: Marker): TextSpan[] {
    let at = close === null ? -1 : this.text.indexOf(close, end);
    while (close !== null && at >= 0 && this.text.charAt(at - 1) === '`')
      at = this.text.indexOf(close, at + 1);
    if (close !== null && at >= 0) return [[at, at + close.length]];
    return this.text.endsWith(ANSWER_CLOSE, this.end) ? [[this.end - ANSWER_CLOSE.length, this.end]] : [];
  }

  /** Returns the start of the last line if that line closes the fence around the reply; else `end`. */
  #beforeWrapper(from: number, end: number): number {
    if (this.outline.leadingFence === null) return end;
    const lines = new LineClassifier();
    lines.sawProse();
    let last = from;
    let opens = false;
    for (let start = from; start < end; start = lineEnd(this.text, start) + 1) {
      const wasInside = lines.insideCodeFence;
      lines.enter({ text: this.text, start, end: Math.min(lineEnd(this.text, start), end) });
      opens =
        !wasInside && lines.insideCodeFence && isBareFence(this.text, skipBlanks(this.text, start), end);
      last = start;
    }
    return opens ? last : end;
  }

  #cut(start: number, end: number, spans: readonly TextSpan[]): TextSpan[] {
    return this.#without(start, end, [...this.outline.reasoning, ...this.outline.wrappers, ...spans]);
  }

  /**
   * Returns the parts of the text between `start` and `end` that are outside the given spans, without white space
   * at both ends.
   */
  #without(start: number, end: number, spans: readonly TextSpan[]): TextSpan[] {
    const headers = this.#headers.map((header): TextSpan => [header.start, header.end]);
    const inside = [...spans, ...this.#strays, ...headers].filter(
      (span) => span[0] >= start && span[0] < end,
    );
    inside.sort((a, b) => a[0] - b[0]);
    const parts: TextSpan[] = [];
    let done = start;
    for (const [from, to] of inside) {
      if (from > done) parts.push([done, from]);
      done = Math.max(done, to);
    }
    if (end > done) parts.push([done, end]);
    return trimSpans(this.text, parts);
  }
}

/**
 * Lists the chat tokens directly after reasoning, such as those that begin the text for the user (rule:
 * chat-tokens).
 */
function headersAfter(text: string, reasoningEnd: number): DiscardedRun[] {
  const headers: DiscardedRun[] = [];
  for (let start = skipSpace(text, reasoningEnd); ; ) {
    const end = headerEnd(text, start);
    if (end === null) return headers;
    headers.push(tokenRun(start, end));
    start = skipSpace(text, end);
  }
}

/** Lists the tags around the text for the user that follows reasoning (rule: chat-tokens). */
function responseTags(text: string, { response }: ReplyOutline): DiscardedRun[] {
  if (response === null) return [];
  const close = text.indexOf(RESPONSE_CLOSE, response[1]);
  return [tokenRun(...response), ...(close < 0 ? [] : [tokenRun(close, close + RESPONSE_CLOSE.length)])];
}

const tokenRun = (start: number, end: number): DiscardedRun => ({
  kind: 'chat_token',
  start,
  end,
  chars: end - start,
});

function headerEnd(text: string, at: number): number | null {
  const header = leadingHeaderEnd(text, at);
  if (typeof header === 'number') return header;
  const token = chatTokenAt(text, at);
  return token && !opensOtherTurn(text, at) && !opensBlock(text, at) ? at + token.length : null;
}

/** Returns the spans of a label, with the spaces after it, and of the `**` that closes its emphasis. */
function labelSpans(text: string, marker: Marker, lineEnds = new LineEnds(text)): TextSpan[] {
  const label: TextSpan = [marker.start, skipBlanks(text, marker.end)];
  return marker.openBold ? [label, ...closingBold(text, marker.end, lineEnds)] : [label];
}

/** Finds the `**` at the end of a line, as in `**Answer: yes**`. It closes the emphasis that began before the label. */
function closingBold(text: string, from: number, lineEnds = new LineEnds(text)): TextSpan[] {
  let end = lineEnds.after(from);
  while (end > from && ' \t\r'.includes(text.charAt(end - 1))) end -= 1;
  return end - 2 >= from && text.endsWith('**', end) ? [[end - 2, end]] : [];
}

/** Trims white space at the beginning of the first span and the end of the last. */
function trimSpans(text: string, spans: readonly TextSpan[]): TextSpan[] {
  const isBlankSpan = ([from, to]: TextSpan) => text.slice(from, to).trim() === '';
  const first = spans.findIndex((span) => !isBlankSpan(span));
  if (first < 0) return [];
  const last = spans.findLastIndex((span) => !isBlankSpan(span));
  return spans.slice(first, last + 1).map((span, index, kept): TextSpan => {
    if (index > 0 && index < kept.length - 1) return span;
    const [from, to] = span;
    const start = index === 0 ? to - text.slice(from, to).trimStart().length : from;
    const end = index === kept.length - 1 ? from + text.slice(from, to).trimEnd().length : to;
    return [start, end];
  });
}
