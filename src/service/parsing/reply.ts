import type { OfferedTools } from './arguments/offered-tool.js';
import { type Outline, outline, type Span } from './find-turn.js';
import { MarkdownContext } from './text/markdown.js';
import type { Marker } from './text/markers.js';
import { lineEnd, skipBlanks, skipSpace } from './text/scanner.js';
import { trimEnd } from './text/trailing.js';

const answerClose = '</final_answer>';
const thinkTag = /^<think>|<\/think>$/g;

/** A reply and its parts: cuts labels, reasoning and wrapping fences out of the text, and nothing else. */
export class Reply {
  readonly text: string;
  readonly outline: Outline;
  /** Where the text ends, before stop tokens and white space. */
  readonly end: number;
  /** Characters of whole and half stop words behind the end. */
  readonly stop: number;

  constructor(text: string, tools: OfferedTools) {
    this.text = text;
    this.outline = outline(text, tools);
    const { end, stop } = trimEnd(text, this.outline.start);
    this.end = end;
    this.stop = stop;
  }

  /** What stands in `<think>`, with or without its opening or closing tag (SPEC §7.14). */
  reasoning(): string | null {
    const before: Span[] = this.outline.start > 0 ? [[0, this.outline.start]] : [];
    const blocks = [...before, ...this.outline.reasoning].map(([start, end]) =>
      this.text.slice(start, end).trim().replace(thinkTag, '').trim(),
    );
    return blocks.filter((block) => block !== '').join('\n\n') || null;
  }

  /** All text before the turn, without labels (SPEC §7.15). */
  thoughtBefore(end: number): string {
    return this.#cut(this.outline.start, end, this.#labels());
  }

  /** The labelled text before an answer; text before the label is only counted. */
  labelledThought(end: number): { thought: string | null; preamble: number } {
    const first = this.outline.thoughts[0];
    const labelled = first && first.start < end ? first.start : end;
    return {
      thought: labelled < end ? this.#cut(labelled, end, this.#labels()) : null,
      preamble: this.#cut(this.outline.start, labelled, []).length,
    };
  }

  /** The reply as a whole, without a leading `Thought:`. */
  whole(): string {
    const leading = this.#leadingThought();
    if (leading) return this.#cut(this.outline.start, this.end, labelSpans(this.text, leading));
    return this.#without(this.outline.start, this.end, this.outline.reasoning);
  }

  /** The text behind an answer's label. */
  answer(marker: Marker): string {
    const bold = marker.openBold ? closingBold(this.text, marker.end) : [];
    const close = this.#answerClose(marker);
    const end = this.#beforeWrapper(marker.end, this.end);
    return this.#without(marker.end, Math.max(end, marker.end), [...bold, ...close]);
  }

  /** Where the reply's content starts if nothing but that content is in it. */
  contentStart(): number {
    const wrapper = this.outline.wrappers[0];
    const [, reasoningEnd] = this.outline.reasoning.at(-1) ?? [0, this.outline.start];
    return skipSpace(this.text, wrapper ? wrapper[1] : reasoningEnd);
  }

  /** Where the reply's content ends, before the fence that wraps it. */
  contentEnd(): number {
    return this.#beforeWrapper(this.contentStart(), this.end);
  }

  #leadingThought(): Marker | null {
    const first = this.outline.thoughts[0];
    return first && this.contentStart() === first.start ? first : null;
  }

  #labels(): Span[] {
    return this.outline.thoughts.flatMap((marker) => labelSpans(this.text, marker));
  }

  /** The first `</final_answer>` that is not quoted closes an answer in tags, the last one any answer. */
  #answerClose(marker: Marker): Span[] {
    const first = marker.tag ? this.text.indexOf(answerClose, marker.end) : -1;
    const last = this.text.endsWith(answerClose, this.end) ? this.end - answerClose.length : -1;
    const at = first >= 0 && this.text.charAt(first - 1) !== '`' ? first : last;
    return at < 0 ? [] : [[at, at + answerClose.length]];
  }

  /** Before the last line if that is the closing fence of the whole reply. */
  #beforeWrapper(from: number, end: number): number {
    if (this.outline.wrappers.length === 0) return end;
    const markdown = new MarkdownContext();
    let last = from;
    let opens = false;
    for (let start = from; start < end; start = lineEnd(this.text, start) + 1) {
      const wasInside = markdown.insideFence;
      markdown.enterLine(this.text, start, Math.min(lineEnd(this.text, start), end), true);
      opens = !wasInside && markdown.insideFence;
      last = start;
    }
    return opens ? last : end;
  }

  #cut(start: number, end: number, spans: readonly Span[]): string {
    return this.#without(start, end, [...this.outline.reasoning, ...this.outline.wrappers, ...spans]);
  }

  #without(start: number, end: number, spans: readonly Span[]): string {
    const inside = spans.filter((span) => span[0] >= start && span[0] < end).sort((a, b) => a[0] - b[0]);
    const parts: string[] = [];
    let done = start;
    for (const [from, to] of inside) {
      parts.push(this.text.slice(done, Math.max(done, from)));
      done = Math.max(done, to);
    }
    parts.push(this.text.slice(done, Math.max(done, end)));
    return parts.join('').trim();
  }
}

/** A label with the blanks behind it, and the `**` that closes behind its text. */
function labelSpans(text: string, marker: Marker): Span[] {
  const label: Span = [marker.start, skipBlanks(text, marker.end)];
  return marker.openBold ? [label, ...closingBold(text, marker.end)] : [label];
}

/** `**` at the end of the line, where the label left its emphasis open. */
function closingBold(text: string, from: number): Span[] {
  let end = lineEnd(text, from);
  while (end > from && ' \t\r'.includes(text.charAt(end - 1))) end -= 1;
  return end - 2 >= from && text.endsWith('**', end) ? [[end - 2, end]] : [];
}
