/**
 * Characters that show as nothing, as a plain space, or that turn the text around them: who agrees to a call must see
 * them.
 */
const unseen = /((?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z})/u;

export const hasUnseen = (text: string): boolean => unseen.test(text);

/** Text of which every character is seen, in its own direction. */
export const Exact = ({ text }: { text: string }) => (
  <bdi>
    {/* Split by an expression with a group, every second piece is what it matched. */}
    {text
      .split(unseen)
      .map((piece, index) => (index % 2 === 0 ? piece : <mark key={index}>{codeOf(piece)}</mark>))}
  </bdi>
);

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
