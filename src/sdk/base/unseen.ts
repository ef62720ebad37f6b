/**
 * Matches one invisible character: one that renders as nothing or as a space, or changes the direction of the text. These are
 * control and format characters, fillers, spaces other than U+0020, unassigned characters and the blank Braille pattern.
 * Line breaks and tabs count as visible.
 */
const INVISIBLE = String.raw`(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}`;

const invisible = new RegExp(INVISIBLE, 'u');
const allInvisible = new RegExp(INVISIBLE, 'gu');

/** A part of a text: visible text, or the code of one invisible character, such as `U+202E`. */
export interface TextPiece {
  /** The text to display. */
  readonly text: string;
  /** True if `text` is the code of an invisible character; a UI should mark it, to distinguish it from text. */
  readonly isUnseen: boolean;
}

/**
 * Returns true if a text has invisible characters, such as zero-width or right-to-left marks. Line breaks and tabs count
 * as visible.
 */
export const hasUnseen = (text: string): boolean => invisible.test(text);

/**
 * Replaces each invisible character by its code, such as `U+202E`, or by the result of `spell`. Used for names and for
 * calls that a person approves, because nobody can approve a character they cannot see.
 */
export const spellUnseen = (
  text: string,
  spell: (code: string, character: string) => string = (code) => code,
): string => text.replace(allInvisible, (character) => spell(codeOf(character), character));

/** Splits a text into visible parts and invisible characters, so that a UI can mark the latter. */
export function splitUnseen(text: string): TextPiece[] {
  const parts: TextPiece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(allInvisible)) {
    if (index > from) parts.push({ text: text.slice(from, index), isUnseen: false });
    parts.push({ text: codeOf(character), isUnseen: true });
    from = index + character.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isUnseen: false });
  return parts;
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
