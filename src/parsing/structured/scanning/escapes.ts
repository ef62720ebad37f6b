const escapes: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\r', '\r'],
  ['\\b', '\b'],
  ['\\f', '\f'],
]);

/** The text of a whole escape, `\\n` or `\\u00e4`: a half of a pair for one of the two that make a character. */
export function decodeEscape(written: string): string {
  return written.charAt(1) === 'u' ? decodeUnit(written) : (escapes.get(written) ?? written.charAt(1));
}

/** What is no code is kept as it was written. */
function decodeUnit(written: string): string {
  const code = written.slice(2);
  return /^[\da-f]{4}$/i.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : written;
}

export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
