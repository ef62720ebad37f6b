import { FixedWords } from './characters.js';
import { chatTokenAt, chatTokens } from './chat-tokens.js';
import { type OwnTag, ownTagAt } from './own-fences.js';

/** Tags that announce a call without any marker (rule: tag-call). */
export const callTags = ['tool_call', 'tool_code', 'function_call'] as const;

const thinkNames = ['think', 'thinking', 'reasoning'].flatMap((name) => [
  name,
  name.charAt(0).toUpperCase() + name.slice(1),
  name.toUpperCase(),
]);
const anyThinkOpen = new RegExp(`<(?:${thinkNames.join('|')})>`, 'g');
const anyThinkClose = new RegExp(`</(?:${thinkNames.join('|')})>`, 'g');
/** Tag that is stripped at the end of any answer. */
export const ANSWER_CLOSE = '</final_answer>';

/** Incomplete tags that servers leave behind where they cut replies. */
const cutTags = ['<observation>', '</tool_code', '</code'];

/** Matches the tags at the beginning and end of reasoning. */
export const thinkTagsAround = new RegExp(`^${anyThinkOpen.source}|${anyThinkClose.source}$`, 'g');

/** A mark inside a line, at a `<` or `[`, that has a meaning for the parser. */
export type InlineMark =
  | {
      readonly kind: 'think' | 'think_end' | 'answer_end' | 'call' | 'chat_token' | 'cut';
      readonly end: number;
    }
  | { readonly kind: 'own_fence'; readonly tag: OwnTag; readonly end: number };

const kinds: ReadonlyMap<string, Exclude<InlineMark['kind'], 'own_fence'>> = new Map([
  ...thinkNames.map((name): [string, 'think'] => [`<${name}>`, 'think']),
  ...thinkNames.map((name): [string, 'think_end'] => [`</${name}>`, 'think_end']),
  [ANSWER_CLOSE, 'answer_end'],
  ['</answer>', 'answer_end'],
  ...callTags.map((tag): [string, 'call'] => [`<${tag}>`, 'call']),
  ...chatTokens.map((token): [string, 'chat_token'] => [token, 'chat_token']),
  ...cutTags.map((tag): [string, 'cut'] => [tag, 'cut']),
]);
const marks = new FixedWords(
  [...kinds.keys()].sort((a, b) => b.length - a.length),
  1,
);

/** Returns the mark at `position`; `'partial'` if more text could complete or extend a mark. */
export function inlineMarkAt(text: string, position: number): InlineMark | 'partial' | null {
  const own = text.charAt(position) === '<' ? ownTagAt(text, position) : null;
  if (own !== null && own !== 'partial') return { kind: 'own_fence', tag: own, end: own.end };
  if (position + 1 >= text.length || marks.isUnderWay(text, position)) return 'partial';
  const found = marks.at(text, position);
  const kind = found === undefined ? undefined : kinds.get(found);
  const mark = kind === 'chat_token' ? chatTokenAt(text, position) : found;
  if (mark !== undefined && kind) return { kind, end: position + mark.length };
  return own;
}

/** Returns start and end of the next tag that opens reasoning (rule: thinking). */
export function nextThinkOpen(text: string, from: number): readonly [start: number, end: number] | null {
  return nextMatch(anyThinkOpen, text, from);
}

/** Returns start and end of the next tag that closes reasoning. */
export function nextThinkClose(text: string, from: number): readonly [start: number, end: number] | null {
  return nextMatch(anyThinkClose, text, from);
}

/** Whether reasoning opens or closes at `position`. */
export function thinkTagAt(text: string, position: number): 'think' | 'think_end' | null {
  const mark = inlineMarkAt(text, position);
  const kind = mark === 'partial' ? null : mark?.kind;
  return kind === 'think' || kind === 'think_end' ? kind : null;
}

function nextMatch(tag: RegExp, text: string, from: number): readonly [start: number, end: number] | null {
  tag.lastIndex = from;
  const match = tag.exec(text);
  return match && [match.index, match.index + match[0].length];
}
