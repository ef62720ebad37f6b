import { isSpace } from './characters.js';

/** Tokens with which models end a turn; a server may cut them in the middle, leaving the first half. */
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
  '<｜end▁of▁sentence｜>',
] as const;

/** Tokens that open a turn and are followed by the name of who speaks. */
const turnTokens = [
  '<|im_start|>',
  '<|start_header_id|>',
  '<|header_start|>',
  '<|start|>',
  '<start_of_turn>',
];
const roles = ['assistant', 'user', 'system', 'tool', 'model'];
const openers = turnTokens.flatMap((token) => roles.map((role) => token + role));

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
  '<|user|>',
  '<|system|>',
  '<|tool|>',
  '<｜begin▁of▁sentence｜>',
  '<｜Assistant｜>',
  '<｜User｜>',
  '[INST]',
  '[/INST]',
];

/**
 * Tokens of chat templates that a local server leaks into the text (rule: chat-tokens), longest first:
 * ChatML, Llama 2 to 4, Harmony, DeepSeek, Gemma, Mistral.
 */
export const chatTokens: readonly string[] = [...openers, ...endTokens, ...otherTokens].sort(
  (a, b) => b.length - a.length,
);

/** The chat token that stands at `position`. */
export function chatTokenAt(text: string, position: number): string | undefined {
  const first = text.charAt(position);
  if (first !== '<' && first !== '[') return undefined;
  return chatTokens.find((token) => text.startsWith(token, position));
}

/** Past chat tokens and the white space around them; where none stands, `position` itself. */
export function skipChatTokens(text: string, position: number): number {
  let end = position;
  for (let at = position; ; ) {
    while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
    const token = chatTokenAt(text, at);
    if (!token) return end;
    at += token.length;
    end = at;
  }
}

/** Whether a turn of somebody else begins among the tokens between two places. */
export function beginsTurn(text: string, start: number, end: number): boolean {
  const written = text.slice(start, end);
  return openers.some((opener) => written.includes(opener));
}
