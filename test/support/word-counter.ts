import type { TokenCounter } from '../../src/tokens/token-counter.js';

/** A counter to test with: pieces of words, signs and newlines. It remembers nothing. Its counts add up where a text ends in a newline. */
export const wordCounter: TokenCounter = {
  encoding: 'o200k_base',
  counting: 'exact',
  count: async (text) => countWords(text),
  async countWithin({ text }, limit) {
    const tokens = countWords(text);
    return tokens <= limit ? tokens : undefined;
  },
  async fits(text, limit) {
    const tokens = countWords(text);
    return tokens <= limit ? tokens : undefined;
  },
  countMessages: async (messages) =>
    messages.reduce(
      (sum, { texts, framing }) => texts.reduce((tokens, text) => tokens + countWords(text), sum + framing),
      0,
    ),
  countJoined: async (pieces) => countWords(pieces.map(({ text }) => text).join('')),
  recall: () => undefined,
  atMost: (pieces) => ({
    tokens: Buffer.byteLength(pieces.map(({ text }) => text).join('')),
    isExact: false,
  }),
  remembered: (_key, find) => find(),
};

export function countWords(text: string): number {
  return text.match(/\n|[^\S\n]*\w{1,4}|[^\S\n]+|[^\w\s]/g)?.length ?? 0;
}
