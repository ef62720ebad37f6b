/** A text being typed, with the cursor position in UTF-16 units. */
export interface Line {
  readonly text: string;
  readonly cursor: number;
}

export const emptyLine: Line = { text: '', cursor: 0 };

/** Returns a line with the cursor at its end. */
export const lineOf = (text: string): Line => ({ text, cursor: text.length });

/** Inserts text at the cursor. */
export const insert = ({ text, cursor }: Line, inserted: string): Line => ({
  text: text.slice(0, cursor) + inserted + text.slice(cursor),
  cursor: cursor + inserted.length,
});

/** Cuts the text between the cursor and a position. */
export function cutTo({ text, cursor }: Line, place: number): Line & { readonly taken: string } {
  const [from, to] = [Math.min(cursor, place), Math.max(cursor, place)];
  return { text: text.slice(0, from) + text.slice(to), cursor: from, taken: text.slice(from, to) };
}

type Place = (line: Line) => number;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Maximum number of UTF-16 units in which the editor looks for the end of a visible character. Combined characters,
 * such as emoji, have fewer.
 */
const MAX_GRAPHEME_UNITS = 64;

const leftOf: Place = ({ text, cursor }) => {
  const [last] = [...graphemes.segment(text.slice(Math.max(0, cursor - MAX_GRAPHEME_UNITS), cursor))].slice(
    -1,
  );
  return cursor - (last?.segment.length ?? 0);
};
const rightOf: Place = ({ text, cursor }) => {
  const [first] = graphemes.segment(text.slice(cursor, cursor + MAX_GRAPHEME_UNITS));
  return cursor + (first?.segment.length ?? 0);
};
const startOfRow: Place = ({ text, cursor }) => text.lastIndexOf('\n', cursor - 1) + 1;
const endOfRow: Place = ({ text, cursor }) => {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
};
const startOfWord: Place = ({ text, cursor }) =>
  /[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor))?.index ?? 0;
const endOfWord: Place = ({ text, cursor }) =>
  cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
const startOfBlank: Place = ({ text, cursor }) => /\S*\s*$/.exec(text.slice(0, cursor))?.index ?? 0;

/** Keys that move the cursor, as in readline. */
export const movements: Readonly<Record<string, Place>> = {
  ...{ left: leftOf, 'ctrl-b': leftOf, right: rightOf, 'ctrl-f': rightOf },
  ...{ home: startOfRow, 'ctrl-a': startOfRow, end: endOfRow, 'ctrl-e': endOfRow },
  ...{ 'alt-b': startOfWord, 'alt-left': startOfWord, 'ctrl-left': startOfWord },
  ...{ 'alt-f': endOfWord, 'alt-right': endOfWord, 'ctrl-right': endOfWord },
};

/** Keys that delete the text between the cursor and a position. */
export const deletions: Readonly<Record<string, Place>> = {
  ...{ backspace: leftOf, 'ctrl-h': leftOf, delete: rightOf, 'ctrl-d': rightOf },
  ...{ 'ctrl-w': startOfBlank, 'alt-backspace': startOfWord, 'alt-d': endOfWord, 'ctrl-delete': endOfWord },
  ...{ 'ctrl-u': startOfRow, 'ctrl-k': endOfRow },
};

/** Moves the cursor to the row above or below, in the same column; undefined if there is none. */
export function moveRow(line: Line, direction: 'up' | 'down'): Line | undefined {
  const { text, cursor } = line;
  const [start, end] = [startOfRow(line), endOfRow(line)];
  const column = cursor - start;
  if (direction === 'down') {
    if (end === text.length) return undefined;
    return { text, cursor: Math.min(end + 1 + column, endOfRow({ text, cursor: end + 1 })) };
  }
  if (start === 0) return undefined;
  return { text, cursor: Math.min(startOfRow({ text, cursor: start - 1 }) + column, start - 1) };
}
