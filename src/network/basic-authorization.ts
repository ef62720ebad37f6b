/** Returns the `Authorization` value for the user and password of a URL (RFC 7617); undefined if it has neither. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}

/** Decodes a part of a URL; returns a text with a `%` that encodes nothing unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
