/**
 * Returns whether a text is padded base64 (RFC 4648). Searches for a violation instead of matching the whole text,
 * which could overflow the stack for long texts.
 */
export const isBase64 = (text: string): boolean =>
  text.length > 0 &&
  text.length % 4 === 0 &&
  !/[^A-Za-z0-9+/]/.test(text.slice(0, -2)) &&
  ending.test(text.slice(-2));

const ending = /^(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;
