import type { OfferedTool } from './arguments/offered-tool.js';
import { callTags } from './dialects/tags.js';
import { type ParsedCompletion, type ParseOptions, parseCompletion } from './parse-completion.js';
import { MarkdownContext } from './text/markdown.js';
import { type Marker, matchMarker } from './text/markers.js';
import { skipBlanks } from './text/scanner.js';
import { stopWords } from './text/trailing.js';

/** A piece of a reply under way (SPEC §9). `draft` is prose whose role is not decided: no label so far. */
export interface ParseDelta {
  readonly type: 'reasoning' | 'draft' | 'thought' | 'answer';
  readonly delta: string;
}

/** `held`: an action or something like it has begun; only the whole text tells what it is. */
type Role = ParseDelta['type'] | 'held';

const think = '<think>';
const thinkEnd = '</think>';
const answerEnd = '</final_answer>';
const tags = [think, thinkEnd, answerEnd, ...callTags.map((tag) => `<${tag}>`), ...stopWords];
/** So much of a line is awaited before it is taken for text: enough to tell a list item from a label. */
const lineHead = 16;
/** A fence line is awaited to its end, up to this length. */
const longestFenceLine = 200;
const deepestIndent = 99;

/**
 * Reads a completion while it arrives. Deltas hold no label and no half-written marker; `end` gives what
 * `parseCompletion` says of the whole text, and the deltas still missing. The work is linear in the text.
 *
 * Where labels are written, joined `thought` and `answer` deltas equal the final fields. Prose without a
 * label arrives as `draft`: it becomes the thought or the answer. A reply that turns out to be no action
 * after all (`Action: None`) or one that cannot be read gets its whole text as one `answer` delta at the end.
 */
export class IncrementalParser {
  readonly #tools: readonly OfferedTool[];
  readonly #chunks: string[] = [];
  readonly #sent: Record<ParseDelta['type'], string> = { reasoning: '', draft: '', thought: '', answer: '' };
  #deltas: ParseDelta[] = [];
  /** Text that is not decided yet, from `#at` on. */
  #pending = '';
  #at = 0;
  #role: Role = 'draft';
  /** The role that goes on behind a `<think>` block. */
  #outerRole: Role = 'draft';
  #outerGap = '';
  #outerFieldBegins = true;
  /** The next text is the first of its field, which starts without white space. */
  #fieldBegins = true;
  /** White space, stop words and wrapping fences: sent only if text follows. */
  #gap = '';
  #lineBegins = true;
  #lineHasText = false;
  #indent = 0;
  #quoted = false;
  #proseBefore = false;
  #wrapped = false;
  /** A line began like a JSON value, in whose strings markers do not count. */
  #valueBegan = false;
  #openBold = false;
  #openTag = false;
  #markdown = new MarkdownContext();

  constructor(tools: readonly OfferedTool[]) {
    this.#tools = tools;
  }

  /** Takes the next piece of the completion and returns what can be shown. */
  push(text: string): ParseDelta[] {
    this.#chunks.push(text);
    if (this.#role === 'held') return [];
    this.#pending = this.#pending.slice(this.#at) + text;
    this.#at = 0;
    while (this.#at < this.#pending.length && this.#advance());
    return this.#takeDeltas();
  }

  /** The completion as a whole, with the deltas that were held back. */
  end(options: ParseOptions = {}): { deltas: ParseDelta[]; completion: ParsedCompletion } {
    const completion = parseCompletion(this.#chunks.join(''), this.#tools, options);
    const { thought, answer, answerLabelled } = completion;
    const { draft, thought: sentThought } = this.#sent;
    this.#sendRest('reasoning', completion.reasoning, this.#sent.reasoning);
    if (completion.outcome === 'action') this.#sendRest('thought', thought, draft + sentThought);
    else this.#sendRest('thought', thought, sentThought);
    if (answerLabelled || draft === '' || sentThought !== '')
      this.#sendRest('answer', answer, this.#sent.answer);
    else if (answer?.startsWith(draft)) this.#sendRest('draft', answer, draft);
    else this.#sendRest('answer', answer, '');
    return { deltas: this.#takeDeltas(), completion };
  }

  #sendRest(type: ParseDelta['type'], whole: string | null, sent: string): void {
    if (whole?.startsWith(sent)) this.#send(type, whole.slice(sent.length));
  }

  #takeDeltas(): ParseDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  #send(type: ParseDelta['type'], delta: string): void {
    if (delta === '') return;
    this.#sent[type] += delta;
    const last = this.#deltas.at(-1);
    if (last?.type === type) this.#deltas[this.#deltas.length - 1] = { type, delta: last.delta + delta };
    else this.#deltas.push({ type, delta });
  }

  /** Does one step; false when more text is needed to decide. */
  #advance(): boolean {
    if (this.#role === 'held') return false;
    if (this.#role === 'reasoning' || !this.#lineBegins) return this.#advanceInLine();
    return this.#takeIndent() && this.#beginLine();
  }

  /** Moves the blanks a line starts with into the gap. */
  #takeIndent(): boolean {
    const text = skipBlanks(this.#pending, this.#at);
    this.#indent += text - this.#at;
    this.#gap += this.#pending.slice(this.#at, text);
    this.#at = text;
    return text < this.#pending.length;
  }

  #beginLine(): boolean {
    const line = this.#lineSoFar();
    if (line === null) return false;
    const marker = matchMarker(line.text, 0);
    const undecided = marker === 'partial' || (marker !== null && marker.end > line.text.length - 2);
    if (undecided && !line.complete) return false;
    const indented = ' '.repeat(Math.min(this.#indent, deepestIndent)) + line.text;
    const kind = this.#markdown.enterLine(indented, 0, indented.length, this.#proseBefore);
    this.#lineBegins = false;
    this.#lineHasText = false;
    this.#indent = 0;
    this.#openBold = false;
    this.#quoted = kind === 'quoted';
    if (kind === 'wrapper') {
      this.#wrapped = true;
      return this.#keep(line.text.length);
    }
    if (this.#role === 'answer') return this.#beginAnswerLine(line.text, kind);
    if (kind === 'plain' && marker && marker !== 'partial') this.#enterMarker(marker);
    else if (kind === 'plain' && '{['.includes(line.text.charAt(0))) this.#valueBegan = true;
    return true;
  }

  /** The line without its break as far as it has arrived; null if too little of it has. */
  #lineSoFar(): { text: string; complete: boolean } | null {
    const end = this.#pending.indexOf('\n', this.#at);
    const text = this.#pending.slice(this.#at, end < 0 ? undefined : end);
    if (end >= 0) return { text, complete: true };
    const fence = text.startsWith('``') || text.startsWith('~~');
    return text.length < (fence ? longestFenceLine : lineHead) ? null : { text, complete: false };
  }

  /** Puts the next characters into the gap: they are sent only if text follows. */
  #keep(length: number): true {
    this.#gap += this.#pending.slice(this.#at, this.#at + length);
    this.#at += length;
    return true;
  }

  #enterMarker(marker: Marker): void {
    if (marker.label === 'action' || this.#valueBegan) this.#role = 'held';
    if (marker.label === 'observation' && this.#proseBefore) this.#role = 'held';
    if (marker.label === 'action_input' || marker.label === 'observation' || this.#role === 'held') return;
    if (this.#role === 'draft') this.#leaveDraft(marker.label === 'thought');
    const role = marker.label === 'answer' ? 'answer' : 'thought';
    if (role === 'answer') this.#gap = '';
    if (role !== this.#role) this.#fieldBegins = true;
    this.#role = role;
    this.#openBold = marker.openBold;
    this.#openTag = marker.tag;
    this.#proseBefore = true;
    this.#at = skipBlanks(this.#pending, this.#at + marker.end);
    if (marker.label === 'answer') this.#markdown = new MarkdownContext();
  }

  /** The white space between a draft and a labelled thought belongs to the draft. */
  #leaveDraft(towardsThought: boolean): void {
    if (towardsThought && this.#sent.draft !== '') this.#send('draft', this.#gap);
    this.#gap = '';
  }

  /** In an answer no marker counts; a line that may be cut-off stop word or a closing fence waits for text. */
  #beginAnswerLine(line: string, kind: string): true {
    const stop = stopWords.find((word) => line.startsWith(word));
    if (stop) this.#keep(stop.length);
    else if (this.#wrapped && kind === 'quoted' && /^(?:```|~~~)/.test(line)) this.#keep(line.length);
    return true;
  }

  #advanceInLine(): boolean {
    const text = this.#pending;
    const stop = nextStop(text, this.#at, this.#openBold);
    this.#sendText(text.slice(this.#at, stop));
    this.#at = stop;
    if (stop >= text.length) return false;
    if (text.charAt(stop) === '\n') return this.#endLine();
    if (text.charAt(stop) === '*') return this.#enterBold();
    const tag = tags.find((each) => text.startsWith(each, stop));
    if (tag) return this.#enterTag(tag);
    if (tags.some((each) => each.startsWith(text.slice(stop)))) return false;
    this.#sendText('<');
    this.#at += 1;
    return true;
  }

  #endLine(): true {
    this.#lineBegins = true;
    this.#openBold = false;
    return this.#keep(1);
  }

  /** `**` at the end of a line closes the emphasis a label left open, and is no text. */
  #enterBold(): boolean {
    const after = skipBlanks(this.#pending, this.#at + 2);
    if (after >= this.#pending.length) return false;
    const closes = this.#pending.startsWith('**', this.#at) && '\r\n'.includes(this.#pending.charAt(after));
    const length = closes ? 2 : 1;
    if (!closes) this.#sendText('*');
    this.#at += length;
    return true;
  }

  #enterTag(tag: string): boolean {
    const inCode = this.#pending.charAt(this.#at - 1) === '`';
    if (this.#role === 'reasoning') return tag === thinkEnd ? this.#endThinking(tag) : this.#passTag(tag);
    if (this.#role === 'answer') {
      const closes = tag === answerEnd && this.#openTag && !inCode;
      if (closes) this.#openTag = false;
      if (closes) this.#at += tag.length;
      else if (tag === think || tag === thinkEnd) return this.#passTag(tag);
      else this.#keep(tag.length);
      return true;
    }
    if (this.#quoted || tag === answerEnd) return this.#passTag(tag);
    if (stopWords.some((word) => word === tag)) return this.#keep(tag.length);
    if (tag === think && !this.#lineHasText) return this.#beginThinking(tag);
    this.#role = 'held';
    return false;
  }

  #passTag(tag: string): true {
    this.#sendText(tag);
    this.#at += tag.length;
    return true;
  }

  #beginThinking(tag: string): true {
    this.#outerRole = this.#role;
    this.#role = 'reasoning';
    this.#at += tag.length;
    if (this.#sent.reasoning !== '') this.#send('reasoning', '\n\n');
    this.#outerGap = this.#gap;
    this.#outerFieldBegins = this.#fieldBegins;
    this.#gap = '';
    this.#fieldBegins = true;
    return true;
  }

  /** Behind reasoning a marker may stand as at the start of a line. */
  #endThinking(tag: string): true {
    this.#role = this.#outerRole;
    this.#gap = this.#outerGap;
    this.#fieldBegins = this.#outerFieldBegins;
    this.#at += tag.length;
    this.#lineBegins = true;
    return true;
  }

  /** Sends text without the white space at its end, which waits in the gap. */
  #sendText(text: string): void {
    const solid = text.trimEnd();
    if (solid !== '' && this.#role !== 'held') {
      this.#send(this.#role, this.#fieldBegins ? (this.#gap + solid).trimStart() : this.#gap + solid);
      this.#fieldBegins = false;
      this.#gap = text.slice(solid.length);
      this.#lineHasText = true;
      if (this.#role !== 'reasoning') this.#proseBefore = true;
    } else this.#gap += text;
  }
}

/** Where the text next needs a look: a line break, a `<`, or emphasis that may close. */
function nextStop(text: string, from: number, openBold: boolean): number {
  for (let at = from; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === 10 || mark === 60 || (mark === 42 && openBold)) return at;
  }
  return text.length;
}
