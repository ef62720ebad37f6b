import { chatTokens } from './chat-tokens.js';
import { type OwnTag, ownTagAt } from './own-fences.js';

/** Tags that announce a call without any marker (rule: tag-call). */
export const callTags = ['tool_call', 'tool_code', 'function_call'] as const;

export const THINK_OPEN = '<think>';
export const THINK_CLOSE = '</think>';
export const ANSWER_CLOSE = '</final_answer>';

/** Beginnings of tags at which a server may have cut the reply. */
const cutTags = ['<observation>', '</tool_code', '</code'];

/** What stands at a `<` or `[` inside a line and is no plain text. */
export type InlineMark =
  | {
      readonly kind: 'think' | 'think_end' | 'answer_end' | 'call' | 'chat_token' | 'cut';
      readonly end: number;
    }
  | { readonly kind: 'own_fence'; readonly tag: OwnTag; readonly end: number };

const kinds: ReadonlyMap<string, Exclude<InlineMark['kind'], 'own_fence'>> = new Map([
  [THINK_OPEN, 'think'],
  [THINK_CLOSE, 'think_end'],
  [ANSWER_CLOSE, 'answer_end'],
  ...callTags.map((tag): [string, 'call'] => [`<${tag}>`, 'call']),
  ...chatTokens.map((token): [string, 'chat_token'] => [token, 'chat_token']),
  ...cutTags.map((tag): [string, 'cut'] => [tag, 'cut']),
]);
/** By their second character, since few places begin like more than a handful of them. */
const marksBySecond = new Map<string, string[]>();
for (const mark of [...kinds.keys()].sort((a, b) => b.length - a.length)) {
  marksBySecond.set(mark.charAt(1), [...(marksBySecond.get(mark.charAt(1)) ?? []), mark]);
}

/** The mark at `position`; `'partial'` while the text may still become one, or a longer one. */
export function inlineMarkAt(text: string, position: number): InlineMark | 'partial' | null {
  const own = text.charAt(position) === '<' ? ownTagAt(text, position) : null;
  if (own !== null && own !== 'partial') return { kind: 'own_fence', tag: own, end: own.end };
  const rest = text.length - position;
  if (rest < 2) return 'partial';
  const candidates = marksBySecond.get(text.charAt(position + 1)) ?? [];
  const isUnderWay = candidates.some((mark) => mark.length > rest && mark.startsWith(text.slice(position)));
  if (isUnderWay) return 'partial';
  const mark = candidates.find((each) => text.startsWith(each, position));
  const kind = mark === undefined ? undefined : kinds.get(mark);
  if (mark !== undefined && kind) return { kind, end: position + mark.length };
  return own;
}
