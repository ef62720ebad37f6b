import type { TokenCounter } from '../../src/tokens/token-counter.js';

/**
 * A simple token counter for tests. Words of up to four letters, signs and newlines are one token each. The counts
 * of texts that end with a newline add up exactly.
 */
export const wordCounter: TokenCounter = {
  encoding: 'o200k_base',
  counting: 'exact',
  count: async (text) => countWords(text),
  fits: async (text, limit) => {
    const tokens = countWords(text);
    return tokens <= limit ? tokens : undefined;
  },
  countMessages: async (messages) =>
    messages.reduce(
      (sum, { texts, framing }) =>
        texts.reduce((tokens, segments) => tokens + countWords(segments.join('')), sum + framing),
      0,
    ),
};

export function countWords(text: string): number {
  return text.match(/\n|[^\S\n]*\w{1,4}|[^\S\n]+|[^\w\s]/g)?.length ?? 0;
}
