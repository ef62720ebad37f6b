import type { OfferedTools } from './arguments/offered-tool.js';
import { joinedCallAt } from './dialects/joined-call.js';
import { holdsArguments } from './dialects/json-object.js';
import { readUnmarked } from './formats/unmarked.js';
import { lineEnd, skipRun, skipSpace } from './text/characters.js';
import { chatTokenAt } from './text/chat-tokens.js';
import { readValue } from './text/literals.js';
import { isFenceAt, skipDecoration } from './text/markdown.js';
import { ANSWER_TAG_CLOSE, matchMarker } from './text/markers.js';
import { Scanner } from './text/scanner.js';
import { skipClosers, type TrimmedEnd, trimEnd, trimTokens } from './text/trailing.js';

/** Text that is in no field of the result: text after an action, chat tokens, stop words. */
export interface Discarded {
  /** The reason why the text is in no field. */
  readonly kind: DiscardedKind;
  /** Length in UTF-16 code units, without the white space around a line. */
  readonly chars: number;
}

/**
 * The kind of discarded text. `text`, `thought`, `action`, `observation` and `answer`: text after the first action,
 * named after its label; `action` also for calls that directly follow the first one, as in `f(); g()`; `text` also for a word on the line of a code fence around the action. `stop`: chat tokens and
 * stop words at the end. `chat_token`: chat tokens before the text or a call. `fence`: closing tags of the service's
 * data tags, such as `</file 1f>`, without an opening tag.
 */
export type DiscardedKind =
  | 'text'
  | 'thought'
  | 'action'
  | 'observation'
  | 'answer'
  | 'stop'
  | 'chat_token'
  | 'fence';

const kinds = {
  action_input: 'action',
  action: 'action',
  thought: 'thought',
  observation: 'observation',
  answer: 'answer',
} as const;

/** A section of discarded text of one kind. `chars` excludes the white space around its lines. */
export interface DiscardedRun extends Discarded {
  readonly start: number;
  readonly end: number;
}

/** Counts the text after an action by kind, without white space and the call's own wrapping. */
export function describeDiscarded(text: string, from: number): Discarded[] {
  return addUp(discardedRuns(text, from));
}

/** Lists the sections of text after an action, without white space and the call's own wrapping. */
export function discardedRuns(text: string, from: number, call?: DiscardingCall): DiscardedRun[] {
  const { end, stop } = trimEnd(text, from);
  const first = skipWrapping(text, from);
  const runs = tokensBetween(text, from, Math.min(first, end));
  const callsEnd = call ? furtherCallsEnd(text, from, call) : from;
  let label: DiscardedKind = 'text';
  for (let start = first; start < end; ) {
    const marker = matchMarker(text, start);
    if (marker && marker !== 'partial') label = kinds[marker.label];
    const kind = label === 'text' && start < callsEnd ? 'action' : label;
    const lineStop = Math.min(lineEnd(text, start), end);
    const before = runs.at(-1)?.kind === kind ? runs.pop() : undefined;
    const chars = text.slice(start, lineStop).trim().length + (before?.chars ?? 0);
    runs.push({ kind, start: before?.start ?? start, end: lineStop, chars });
    start = lineStop + 1;
  }
  return [...runs, { kind: 'stop', start: end, end: text.trimEnd().length, chars: stop }];
}

/** The call after which text is discarded. */
interface DiscardingCall {
  readonly name: string;
  readonly tools: OfferedTools;
}

/** Maximum number of times that further calls are searched after others; keeps the work linear. */
const MAX_FURTHER = 64;

/**
 * Returns the end of the calls and arguments that follow the first call, on its line or on the next lines (rule:
 * first-action-wins).
 */
function furtherCallsEnd(text: string, from: number, { name, tools }: DiscardingCall): number {
  let end = from;
  for (let found = 0; found < MAX_FURTHER; found += 1) {
    const joined = joinedCallAt(text, end, tools);
    const next = joined ?? skipDecoration(text, skipSpace(text, skipWrapping(text, end)));
    const last = readUnmarked(text, next, tools).calls.at(-1);
    const input = new Scanner(text, next);
    if (last && tools.find(last.name)) end = last.blockEnd ?? last.end;
    else if (holdsArguments(text, next, name, tools) && readValue(input) !== undefined) end = input.position;
    else return joined === null ? end : lineEnd(text, joined);
  }
  return end;
}

/**
 * Matches the marks before a call: backticks, `**`, or the opening line of a fence. Group `info` is the text after the
 * language of a fence, and `word` the text after the backticks if the call is on the same line.
 */
const openingMarks =
  /(?:(?:```|~~~)[`~]*[ \t]*(?:[\w+#.-]*(?<info>[^\n`~]*)\n|(?<word>[\w+#.-]*))|`|\*\*)\s*$/;

/**
 * Lists the discarded text between a label and its call: chat tokens, and words beside the backticks of a fence, except
 * its language on a line of its own.
 */
export function discardedBefore(text: string, from: number, callStart: number): DiscardedRun[] {
  const wrapping = openingMarks.exec(text.slice(from, callStart));
  const wrapped = wrapping ? from + wrapping.index : callStart;
  const tokens = tokensIn(trimTokens(text, from, wrapped), wrapped);
  const { info = '', word = '' } = wrapping?.groups ?? {};
  const words = (info || word).trim();
  if (words === '') return [tokens];
  const start = text.indexOf(words, wrapped + 3);
  return [tokens, { kind: 'text', start, end: start + words.length, chars: words.length }];
}

/** Lists the chat tokens between a call and the text after it. */
function tokensBetween(text: string, from: number, to: number): DiscardedRun[] {
  const runs: DiscardedRun[] = [];
  for (let start = from; start < to; start += 1) {
    const end = start + (chatTokenAt(text, start)?.length ?? 0);
    if (end === start) continue;
    runs.push({ kind: 'chat_token', start, end, chars: end - start });
    start = end - 1;
  }
  return runs;
}

/** Describes the chat tokens that were trimmed from the end of the text, up to position `before`. */
export const tokensIn = ({ end, stop }: TrimmedEnd, before: number): DiscardedRun => ({
  kind: 'chat_token',
  start: end,
  end: before,
  chars: stop,
});

/** Adds up the characters of each kind, in the order of first appearance. */
export function addUp(counts: readonly Discarded[]): Discarded[] {
  const sums = new DiscardedSums();
  for (const { kind, chars } of counts) sums.add(kind, chars);
  return sums.entries;
}

/** Sums of discarded characters by kind. */
export class DiscardedSums {
  readonly #chars = new Map<DiscardedKind, number>();

  add(kind: DiscardedKind, chars: number): void {
    if (chars > 0) this.#chars.set(kind, (this.#chars.get(kind) ?? 0) + chars);
  }

  get entries(): Discarded[] {
    return [...this.#chars].map(([kind, chars]) => ({ kind, chars }));
  }
}

/** Skips the backticks, the closing fence, the `;` or the closing tag of an `<answer>` after a call. */
function skipWrapping(text: string, from: number): number {
  const at = skipSpace(text, skipClosers(text, from));
  if (text.startsWith(ANSWER_TAG_CLOSE, at)) return skipSpace(text, at + ANSWER_TAG_CLOSE.length);
  if (!isFenceAt(text, at)) return chatTokenAt(text, at) ? at : skipClosers(text, from);
  return skipClosers(text, skipRun(text, at, text.charAt(at)));
}
