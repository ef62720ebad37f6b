/** Returns whether a text is base64 of RFC 4648 with its padding. Only searches, so that long texts need no stack. */
export const isBase64 = (text: string): boolean =>
  text.length > 0 &&
  text.length % 4 === 0 &&
  !/[^A-Za-z0-9+/]/.test(text.slice(0, -2)) &&
  ending.test(text.slice(-2));

const ending = /^(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;
