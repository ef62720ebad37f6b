import type { Part } from '../../step/provider.js';

export type TextPart = Extract<Part, { type: 'text' }>;

/** A text of a list, at whose end the provider's cache may break the prompt. */
interface MarkedText<Type extends string> {
  type: Type;
  text: string;
  prompt_cache_breakpoint?: { mode: 'explicit' };
}

/** Writes texts as the content of a message. */
export type ContentOf<Type extends string> = (texts: readonly TextPart[]) => string | MarkedText<Type>[];

/** Returns how texts are written: as one string, or with breakpoints as a list with one text part up to each. */
export const contentWriter =
  <Type extends string>(type: Type, breakpoints: boolean): ContentOf<Type> =>
  (texts) => {
    const joined = texts.map(({ text }) => text).join('');
    if (!breakpoints || !texts.some(({ text, breakpoint }) => breakpoint && text !== '')) return joined;
    return markedTexts(type, texts);
  };

function markedTexts<Type extends string>(type: Type, texts: readonly TextPart[]): MarkedText<Type>[] {
  const content: MarkedText<Type>[] = [];
  let begun = '';
  for (const { text, breakpoint } of texts) {
    begun += text;
    if (!breakpoint || begun === '') continue;
    content.push({ type, text: begun, prompt_cache_breakpoint: { mode: 'explicit' } });
    begun = '';
  }
  return begun === '' ? content : [...content, { type, text: begun }];
}

/** Returns the texts of a message that are not empty. */
export const textsOf = (parts: readonly Part[]): TextPart[] =>
  parts.filter((part) => part.type === 'text').filter(({ text }) => text !== '');

/**
 * Returns a content without breakpoints, for a model that refuses them. The service's messages contain only
 * texts.
 */
export const joinContent = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.map((part: object) => ('text' in part ? String(part.text) : '')).join('')
    : content;
