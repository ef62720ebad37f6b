import { FixedWords } from '../text/characters.js';
import { chatTokenAt, chatTokens, RESPONSE_CLOSE } from '../text/chat-tokens.js';
import { type OwnTag, ownTagAt } from '../text/own-fences.js';
import { orphanClosers, reasoningOpeners, suffixedTagAt } from '../text/reasoning-marks.js';
import { shownElementAt } from '../text/shown-elements.js';
import { blockWords } from './read-block.js';

/** Tag that the parser removes at the end of any answer, even if the answer has no opening tag. */
export const ANSWER_CLOSE = '</final_answer>';

/** Incomplete tags that remain where a server cut a reply at a stop word. */
const cutTags = ['<observation>', '</tool_code', '</code'];

/** A tag or token inside a line that has a meaning for the parser. It begins with `<`, `[`, `]` or `◁`. */
export type InlineMark =
  | {
      readonly kind:
        | 'think'
        | 'think_end'
        | 'answer_end'
        | 'response_end'
        | 'call'
        | 'chat_token'
        | 'shown'
        | 'cut';
      readonly end: number;
    }
  | { readonly kind: 'own_fence'; readonly tag: OwnTag; readonly end: number };

const kinds: ReadonlyMap<string, Exclude<InlineMark['kind'], 'own_fence'>> = new Map([
  [ANSWER_CLOSE, 'answer_end'],
  ['</answer>', 'answer_end'],
  [RESPONSE_CLOSE, 'response_end'],
  ...chatTokens.map((token): [string, 'chat_token'] => [token, 'chat_token']),
  ...cutTags.map((tag): [string, 'cut'] => [tag, 'cut']),
  ...blockWords.map((mark): [string, 'call'] => [mark, 'call']),
  ...reasoningOpeners.map((mark): [string, 'think'] => [mark, 'think']),
  ...orphanClosers.map((mark): [string, 'think_end'] => [mark, 'think_end']),
]);
const marks = new FixedWords([...kinds.keys()], 1);

/** Returns the tag or token with a meaning at `position`; `'partial'` if more text could complete or extend one. */
export function inlineMarkAt(text: string, position: number): InlineMark | 'partial' | null {
  const own = text.charAt(position) === '<' ? ownTagAt(text, position) : null;
  if (own !== null && own !== 'partial') return { kind: 'own_fence', tag: own, end: own.end };
  if (position + 1 >= text.length || marks.isUnderWay(text, position)) return 'partial';
  const found = marks.at(text, position);
  const kind = found === undefined ? undefined : kinds.get(found);
  const mark = kind === 'chat_token' ? chatTokenAt(text, position) : found;
  if (mark !== undefined && kind) return { kind, end: position + mark.length };
  return (
    own ?? suffixedTagAt(text, position) ?? namespacedMarkAt(text, position) ?? shownMarkAt(text, position)
  );
}

/** Matches an opening tag of a call with a namespace, or the beginning of such a tag at the end of the text. */
const namespaced = /<[a-z][\w-]{0,15}(?:$|:(?:[a-z_]{0,14}$|(?:invoke|function_calls?|tool_calls?)\b))/y;

function namespacedMarkAt(text: string, position: number): InlineMark | 'partial' | null {
  namespaced.lastIndex = position;
  if (!namespaced.test(text)) return null;
  const end = namespaced.lastIndex;
  return end >= text.length ? 'partial' : { kind: 'call', end };
}

function shownMarkAt(text: string, position: number): InlineMark | 'partial' | null {
  const shown = shownElementAt(text, position);
  return shown === null || shown === 'partial' ? shown : { kind: 'shown', end: shown.end };
}
