/** How much of a text is shown at most. */
export interface WindowSize {
  readonly lines: number;
  readonly characters: number;
}

/** The beginning of a text, and how much there is beyond it. */
export interface TextWindow {
  readonly shown: string;
  readonly hiddenLines: number;
  readonly hiddenCharacters: number;
}

/** Looks no further into the text than it shows, but for counting lines: a text may have two million characters. */
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

/** Where to cut so that no character is split. */
const wholeCharacters = (text: string, characters: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(characters - 1)) ? characters - 1 : characters;

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
