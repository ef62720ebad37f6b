import { splitUnseen } from 'stepwise';

/** Text of which every character is seen, in its own direction. */
export const Exact = ({ text }: { text: string }) => (
  <bdi>
    {splitUnseen(text).map((piece, index) =>
      piece.isUnseen ? <mark key={index}>{piece.text}</mark> : piece.text,
    )}
  </bdi>
);
