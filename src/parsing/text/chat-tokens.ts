import { FixedWords, isBlank, isOneOf, isWordCharacter, skipBlanks, skipSpace } from './characters.js';
import { openedReasoning } from './reasoning-marks.js';

/** Tokens that end a model's turn. A server may cut them in the middle and leave the first half. */
export const endTokens = [
  '</s>',
  '<eos>',
  '<end_of_turn>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end|>',
  '<|end_of_text|>',
  '<|endoftext|>',
  '<|end_of_turn|>',
  '<|END_OF_TURN_TOKEN|>',
  '<SPECIAL_12>',
  '<|plamo:tag|>',
  '<|role_end|>',
  '<turn|>',
  '[e~[',
  '<|assistant_end|>',
  '<|content_model_end_sampling|>',
  '<｜end▁of▁sentence｜>',
] as const;

/** Tokens that open a turn, before the name of a role. */
const turnTokens = [
  '<|im_start|>',
  '<|start_header_id|>',
  '<|header_start|>',
  '<|start|>',
  '<start_of_turn>',
];
const ownRoles = ['assistant', 'model'];
const otherRoles = ['user', 'system', 'tool', 'developer', 'ipython'];
const openers = turnTokens.flatMap((token) => [...ownRoles, ...otherRoles].map((role) => token + role));
/** Tokens that open another role's turn without a role name. */
const otherTurnTokens = ['<|user|>', '<|system|>', '<|tool|>', '<|observation|>', '<｜User｜>', '[INST]'];
const otherOpeners = new FixedWords(
  [...turnTokens.flatMap((token) => otherRoles.map((role) => token + role)), ...otherTurnTokens],
  1,
);

/**
 * Tokens with which the model Muse begins a message to the user. A call in such a message is only mentioned and must
 * not run.
 */
export const TO_USER = '<|start|>assistant to=user<|message|>';
/** The same without its first tokens, which a prompt or a server may have taken. */
export const TO_USER_ALONE = 'to=user<|message|>';

const otherTokens = [
  ...turnTokens,
  '<|end_header_id|>',
  '<|header_end|>',
  '<|begin_of_text|>',
  '<|bos|>',
  '<bos>',
  '<|eot|>',
  '<|eom|>',
  '<|eos|>',
  '<|return|>',
  '<|call|>',
  '<|message|>',
  '<|python_tag|>',
  '<|assistant|>',
  '<|message_model|>',
  '<|START_RESPONSE|>',
  '<|END_RESPONSE|>',
  '<|START_TEXT|>',
  '<|END_TEXT|>',
  '<|channel|>commentary<|message|>',
  '<|channel|>final<|message|>',
  '<|start|>assistant<|channel|>final<|message|>',
  TO_USER,
  '<|content_text|>',
  '<|end_message|>',
  '<|open|>response<|sep|>',
  '<|close|>response<|sep|>',
  ...otherTurnTokens,
  '<｜begin▁of▁sentence｜>',
  '<｜Assistant｜>',
  '[/INST]',
];

/**
 * Chat tokens: the tokens of chat templates that local servers leak into the text (rule: chat-tokens). They are
 * those of ChatML, Llama 2 to 4, Harmony, DeepSeek, Gemma and Mistral.
 */
export const chatTokens: readonly string[] = [...openers, ...endTokens, ...otherTokens];

// Tokens are looked up by their third and fourth character, since many begin with the same two.
const chatTokenWords = new FixedWords(chatTokens, 2);

/** Returns the chat token at `position`. The role name in `<|im_start|>username` is not part of it. */
export function chatTokenAt(text: string, position: number): string | undefined {
  const first = text.charAt(position);
  if (first !== '<' && first !== '[') return undefined;
  const token = chatTokenWords.at(text, position);
  if (token !== undefined && openedReasoning(text, position)) return undefined;
  const isOpener = token !== undefined && otherOpeners.at(text, position) !== undefined;
  if (!isOpener || otherTurnOpener(text, position) !== null) return token;
  return turnTokens.find((each) => token.startsWith(each));
}

/**
 * Tag that ERNIE 4.5 and Granite 3.3 write before the text for the user, after their reasoning. Before JSON, it opens a
 * call instead.
 */
const RESPONSE_OPEN = '<response>';
export const RESPONSE_CLOSE = '</response>';

/**
 * Returns the end of a `<response>` tag that opens the text for the user; `'partial'` if more text is needed to decide.
 */
export function responseHeaderEnd(text: string, position: number): number | 'partial' | null {
  if (!text.startsWith(RESPONSE_OPEN, position)) {
    const written = text.slice(position, position + RESPONSE_OPEN.length);
    return written !== '' && RESPONSE_OPEN.startsWith(written) ? 'partial' : null;
  }
  const end = position + RESPONSE_OPEN.length;
  const next = skipSpace(text, end);
  if (next >= text.length) return 'partial';
  return isOneOf('{[', text, next) ? null : end;
}

/**
 * Words with which a text for the user begins, if the first token of the model's turn is already part of the prompt
 * (Functionary, Muse).
 */
const leadingHeaders = ['>>>all\n', TO_USER_ALONE];

/**
 * Returns the end of the words at the start of a reply with which a text for the user begins; `'partial'` if more text
 * is needed to decide.
 */
export function leadingHeaderEnd(text: string, position: number): number | 'partial' | null {
  const written = text.slice(position, position + 20);
  const header = leadingHeaders.find((each) => written.startsWith(each));
  if (header !== undefined) return position + header.length;
  return leadingHeaders.some((each) => each.startsWith(written)) ? 'partial' : null;
}

/** Whether the position is in a message of a Muse model to the user; such a message only mentions calls. */
export function isForUser(text: string, position: number): boolean {
  const before = text.slice(0, position);
  const header = before.lastIndexOf(TO_USER_ALONE);
  return (
    header >= 0 && !before.includes('<|eom|>', header) && !before.includes('<|start|>assistant to=', header)
  );
}

/** Chat tokens that follow one another, with only white space between them. */
export interface TokenRun {
  /** Position after the last token; the start of the search if there is none. */
  readonly end: number;
  /** Number of characters of the tokens, without the white space between them. */
  readonly chars: number;
  /** Position of the token that opens another role's turn, if the search stopped there; else null. */
  readonly turn: number | null;
}

/** Skips chat tokens and white space around them, up to a token for which `endsAt` is true. */
export function readTokens(
  text: string,
  from: number,
  endsAt: (text: string, position: number) => boolean = () => false,
): TokenRun {
  let [end, chars] = [from, 0];
  for (;;) {
    const at = skipSpace(text, end);
    const token = chatTokenAt(text, at);
    if (!token) return { turn: null, end, chars };
    if (endsAt(text, at)) return { turn: at, end, chars };
    end = at + token.length;
    chars += token.length;
  }
}

/** Skips chat tokens on one line, and the spaces and tabs around them. */
export function skipTokensInLine(text: string, position: number): number {
  for (let at = skipBlanks(text, position); ; ) {
    const token = chatTokenAt(text, at);
    if (!token) return at;
    at = skipBlanks(text, at + token.length);
  }
}

/** Whether one of the tokens between `start` and `end` opens a turn. */
export function beginsTurn(text: string, start: number, end: number): boolean {
  const written = text.slice(start, end);
  return [...openers, ...otherTurnTokens].some((opener) => written.includes(opener));
}

/** Returns the position after a token that opens another role's turn; null if there is none. */
export function otherTurnOpener(text: string, position: number): number | null {
  if (!isOneOf('<[', text, position)) return null;
  const opener = otherOpeners.at(text, position);
  if (opener === undefined) return null;
  const end = position + opener.length;
  return isWordCharacter(text.charCodeAt(end - 1)) && isWordCharacter(text.charCodeAt(end)) ? null : end;
}

/**
 * Whether the token at `position` opens a turn of another role that the model made up: the token is at the start or end
 * of its line, or beside another tag. Anywhere else in a line, the text only mentions the token.
 */
export function imaginesTurn(text: string, position: number): boolean {
  const end = otherTurnOpener(text, position);
  if (end === null) return false;
  if (end >= text.length || isOneOf('\r\n<', text, end) || text.charAt(position - 1) === '>') return true;
  let before = position;
  while (isBlank(text.charCodeAt(before - 1))) before -= 1;
  return before === 0 || text.charAt(before - 1) === '\n';
}

/** Whether the token at `position` opens another role's turn. */
export const opensOtherTurn = (text: string, position: number): boolean =>
  otherTurnOpener(text, position) !== null;

/**
 * Returns where the model's turn ends in a line: at a token that also ends the line, or at another role's
 * turn; null if it does not end.
 */
export function turnEndInLine(text: string, start: number, end: number): number | null {
  for (let at = start; at < end; at += 1) {
    if (!isOneOf('<[', text, at)) continue;
    if (endsTurnAt(text, at, end) || imaginesTurn(text, at)) return at;
  }
  return null;
}

/** Whether the token at `position` ends the turn; an HTML `</s>` does not. */
function endsTurnAt(text: string, position: number, end: number): boolean {
  const token = endTokens.find((each) => each !== '</s>' && text.startsWith(each, position));
  if (token === undefined) return false;
  const after = text.slice(position + token.length, end).trimStart();
  return after === '' || chatTokenAt(after, 0) !== undefined;
}
