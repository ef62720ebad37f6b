import type { Step } from '../../../contract/step.js';
import type { ModelCallView, RunView } from '../../../sdk/view/run-view.js';
import type { Display } from '../../display/display.js';
import type { Paint } from '../../display/paint.js';
import type { MarkdownStream } from '../markdown/markdown-stream.js';

type Role = 'thought' | 'answer';

/** Creates the Markdown renderer, whose module is loaded when a run begins. */
export type StartText = (view: { paint?: Paint; width: number }) => MarkdownStream;

/** Maximum row width in columns, for readability. */
const MAX_WIDTH = 120;

export const FULL_REPLY_LABEL = '(the full reply, as parsed:)';

/**
 * Shows what the model writes in a step. Final rows scroll away; rows that can still change are redrawn. A draft, which
 * may become thought or answer, looks like an answer, since most drafts turn out to be one.
 */
export class LiveReply {
  readonly #display: Display;
  readonly #startText: StartText;
  #role: Role | undefined;
  #text: MarkdownStream | undefined;

  constructor(display: Display, startText: StartText) {
    this.#display = display;
    this.#startText = startText;
  }

  add(part: 'draft' | Role, delta: string): void {
    this.#write(part === 'draft' ? 'answer' : part, delta);
  }

  /** Ends the reply. If the parsed reply differs from the streamed text, shows it again in full. */
  end(texts: ReplyTexts, streamed: StreamedTexts): void {
    const wasShown = this.#text !== undefined;
    const missing = missingTexts(streamed, texts);
    if (missing) {
      this.keep();
      this.show('answer', missing.answer);
      return;
    }
    this.drop();
    if (wasShown) this.#display.print(this.#display.paint('dim', FULL_REPLY_LABEL));
    this.show('thought', texts.thought);
    this.show('answer', texts.answer);
  }

  /** Shows a complete text. */
  show(role: Role, text: string): void {
    if (text.trim() !== '') this.#write(role, text);
    this.keep();
  }

  /** Makes all rows final, also those of a reply that was interrupted. */
  keep(): void {
    const rows = this.#text?.end() ?? [];
    if (rows.length > 0) this.#display.print(rows.map(this.#styled).join('\n'), 'text');
    this.#text = undefined;
    this.#role = undefined;
    this.#display.show('text', []);
  }

  /** Removes the rows that are not final. */
  drop(): void {
    this.#text = undefined;
    this.#role = undefined;
    this.#display.show('text', []);
  }

  #write(role: Role, delta: string): void {
    if (role !== this.#role) this.#begin(role);
    this.#text?.add(delta);
    this.#display.beforeFrame(this.#draw);
  }

  #begin(role: Role): void {
    this.keep();
    this.#role = role;
    const width = Math.min(this.#display.width - 1, MAX_WIDTH);
    const { paint } = this.#display;
    this.#text = this.#startText(role === 'answer' ? { paint, width } : { width: width - INDENT.length });
    this.#display.print('');
  }

  readonly #draw = (): void => {
    if (!this.#text) return;
    const rows = this.#text.take();
    if (rows.length > 0) this.#display.print(rows.map(this.#styled).join('\n'));
    this.#display.show('text', this.#text.open().map(this.#styled));
  };

  readonly #styled = (row: string): string =>
    this.#role === 'thought' && row !== '' ? this.#display.paint('dim', INDENT + row) : row;
}

const INDENT = '  ';

export interface ReplyTexts {
  readonly thought: string;
  readonly answer: string;
}

/** The texts of a reply as streamed so far. */
export type StreamedTexts = Pick<ModelCallView, 'draft' | 'thought' | 'answer'>;

/** Returns the texts of a response. A text that is both thought and answer, as in the phase `observe`, is the answer only. */
export function replyTexts({ thought, control, direct_response }: Step): ReplyTexts {
  const answer = direct_response ?? '';
  const thinking = thought ?? control?.plan ?? control?.observation ?? '';
  return { thought: isSame(thinking, answer) ? '' : thinking, answer };
}

/**
 * Returns the texts of a reply that were not streamed: none, or the answer after a streamed thought. If the streamed
 * texts differ from the reply, returns undefined: then the whole reply has to be shown.
 */
export function missingTexts(streamed: StreamedTexts, texts: ReplyTexts): ReplyTexts | undefined {
  if (matchesStreamed(streamed, texts)) return { thought: '', answer: '' };
  const isThoughtShown = isSame(streamed.draft + streamed.thought, texts.thought);
  return isThoughtShown && streamed.answer.trim() === '' ? { thought: '', answer: texts.answer } : undefined;
}

/**
 * Returns true if the streamed texts equal those of the parsed reply. A streamed draft may have become thought or
 * answer.
 */
const matchesStreamed = (streamed: StreamedTexts, { thought, answer }: ReplyTexts): boolean =>
  (isSame(streamed.draft + streamed.thought, thought) && isSame(streamed.answer, answer)) ||
  (thought === '' && streamed.thought === '' && isSame(streamed.draft + streamed.answer, answer));

const isSame = (a: string, b: string): boolean => a.trim() === b.trim();

/** Returns the texts that the newest model call has streamed; empty texts if that attempt failed. */
export function streamedTexts({ steps }: RunView): StreamedTexts {
  const call = steps.at(-1)?.calls.at(-1);
  return call && !call.isStale ? call : { draft: '', thought: '', answer: '' };
}

/** Returns the last answer in the responses of the run; empty if there is none. */
export const lastAnswer = ({ steps }: RunView): string =>
  steps
    .flatMap(({ calls }) => calls.flatMap(({ response }) => response?.direct_response ?? []))
    .findLast((answer) => answer !== '') ?? '';
