import { splitUnseen } from 'stepwise';

/** Text with every character visible, isolated from the surrounding text direction. */
export const Exact = ({ text }: { text: string }) => (
  <bdi>
    {splitUnseen(text).map((piece, index) =>
      piece.isUnseen ? <mark key={index}>{piece.text}</mark> : piece.text,
    )}
  </bdi>
);
