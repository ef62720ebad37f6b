/**
 * A character that shows as nothing, as a plain space, or turns the text around it: controls, formats and direction
 * marks, fillers, other spaces, unassigned characters, the blank Braille pattern. Line breaks and tabs are seen.
 */
const UNSEEN = String.raw`(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}`;

const unseen = new RegExp(UNSEEN, 'u');
const everyUnseen = new RegExp(UNSEEN, 'gu');

/** A piece of a text: some of the text itself, or the code of one unseen character, such as `U+202E`. */
export interface TextPiece {
  /** The text to show. */
  readonly text: string;
  /** True if `text` is the code of an unseen character: a UI marks it, so that it is not taken for text. */
  readonly isUnseen: boolean;
}

/**
 * True if a text has characters that a person would not see, such as zero-width or right-to-left marks. Line breaks
 * and tabs are seen.
 */
export const hasUnseen = (text: string): boolean => unseen.test(text);

/**
 * Replaces each character that a person would not see by its code, such as `U+202E`, or by what `spell` returns. For
 * what a person agrees to and for names: what cannot be seen cannot be agreed to.
 */
export const spellUnseen = (
  text: string,
  spell: (code: string, character: string) => string = (code) => code,
): string => text.replace(everyUnseen, (character) => spell(codeOf(character), character));

/** Splits a text into pieces, so that a UI can mark the characters that a person would not see. */
export function splitUnseen(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(everyUnseen)) {
    if (index > from) pieces.push({ text: text.slice(from, index), isUnseen: false });
    pieces.push({ text: codeOf(character), isUnseen: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isUnseen: false });
  return pieces;
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
