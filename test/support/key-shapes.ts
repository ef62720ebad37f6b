/**
 * Returns the forms in which a key could leak: encodings, and substrings. There are three forms in base64, one for each
 * offset at which the key may start.
 */
export const shapesOf = (key: string): string[] => [
  key,
  JSON.stringify(key).slice(1, -1),
  JSON.stringify(JSON.stringify(key)).slice(3, -3),
  encodeURIComponent(key),
  key.slice(0, 8),
  key.slice(4, 12),
  key.slice(-8),
  ...[0, 1, 2].flatMap((offset) => {
    const base64 = Buffer.from('x'.repeat(offset) + key).toString('base64');
    // The first and the last base64 characters are omitted, because they also depend on the adjacent bytes.
    const inner = base64.slice(offset === 0 ? 0 : 4, -4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  }),
];
