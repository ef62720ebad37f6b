/** So much is looked at to tell whether a quote ends its string. */
const FARTHEST = 256;

/** What follows the string of a field: the object's end, or the next key, for one of ours even without its comma. */
const closes =
  /^\s*(?:\}|"(?:thought|action|final_answer)"\s*:|,\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:|'?\w+'?\s*:))/s;
/** What may become that. */
const mayClose = /^\s*(?:"\w*(?:"\s*)?|,\s*(?:"(?:[^"\\]|\\.)*(?:\\|"\s*)?|'?\w*'?\s*)?)?$/s;

/**
 * Whether the quote before a place ends its string, or belongs to it, since the object could not go on so; null while too
 * little is there to tell.
 */
export function endsString(text: string, from: number): boolean | null {
  const rest = text.slice(from, from + FARTHEST);
  if (!mayClose.test(rest)) return closes.test(rest);
  return rest.length < FARTHEST ? null : true;
}
