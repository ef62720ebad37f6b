/** Maximum size of the visible part of a text. */
export interface WindowSize {
  readonly lines: number;
  readonly characters: number;
}

/** The beginning of a text, and the size of the rest. */
export interface TextWindow {
  readonly shown: string;
  readonly hiddenLines: number;
  readonly hiddenCharacters: number;
}

/**
 * Cuts a text to its visible beginning. Apart from counting lines, reads only that part: a text may have two million
 * characters.
 */
export function textWindow(text: string, { lines, characters }: WindowSize): TextWindow {
  let end = 0;
  for (let line = 0; line < lines && end <= text.length; line += 1) {
    const next = text.indexOf('\n', end);
    end = next === -1 ? text.length + 1 : next + 1;
  }
  const shown = text.slice(0, Math.min(end - 1, wholeCharacters(text, characters)));
  const rest = text.length - shown.length;
  const hiddenLines = countLines(text) - countLines(shown);
  return { shown, hiddenLines, hiddenCharacters: rest };
}

/** Returns the index at which to cut so that no surrogate pair is split. */
const wholeCharacters = (text: string, characters: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(characters - 1)) ? characters - 1 : characters;

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
