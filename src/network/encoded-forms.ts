/**
 * Returns all forms in which a text may appear in a URL, a header or JSON, so that secrets can be found: raw,
 * JSON-escaped, percent-encoded and in base64.
 */
export function encodedForms(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const encoded = encodeURIComponent(text.toWellFormed());
  // Some programs write the hexadecimal digits in lower case, or escape slashes in JSON.
  const inLowerCase = encoded.replace(/%../g, (each) => each.toLowerCase());
  const withSlashes = escaped.replaceAll('/', '\\/');
  const base64 = [0, 1, 2].flatMap((offset) => base64Within(text, offset));
  return [text, escaped, withSlashes, encoded, inLowerCase, ...base64];
}

/**
 * Returns the base64 of a text that follows `offset` other bytes, without the characters at its ends that also encode
 * adjacent bytes.
 */
function base64Within(text: string, offset: number): string[] {
  const bytes = Buffer.from(' '.repeat(offset) + text);
  const encoded = bytes.toString('base64url');
  const end = bytes.length % 3 === 0 ? encoded.length : encoded.length - 1;
  const whole = encoded.slice(offset === 0 ? 0 : offset + 1, end);
  return [whole, whole.replaceAll('-', '+').replaceAll('_', '/')];
}
