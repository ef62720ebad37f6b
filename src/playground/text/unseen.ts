/**
 * Characters that show as nothing, as a plain space, or that turn the text around them: controls but for line breaks and
 * tabs, formats, bidi marks, fillers, other spaces, the blank Braille pattern. Who agrees to a call must see them.
 */
const unseen = /(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/gu;

/** A piece of a text: as it is, or one character that would not be seen, as `U+202E`. */
export interface Piece {
  readonly text: string;
  readonly isUnseen: boolean;
}

/** The text in pieces, so that what would not be seen can be shown by its number. */
export function showUnseen(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (index > from) pieces.push({ text: text.slice(from, index), isUnseen: false });
    pieces.push({ text: codeOf(character), isUnseen: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isUnseen: false });
  return pieces;
}

/** The same in a text that takes no marks: a label, a title. */
export const spellUnseen = (text: string): string =>
  showUnseen(text)
    .map((piece) => piece.text)
    .join('');

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
