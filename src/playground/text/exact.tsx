import { useMemo } from 'preact/hooks';
import { splitUnseen } from '../../sdk/index.js';

/** Text of which every character is seen, in its own direction. For what a person is asked to agree to, and what a model was sent. */
export function Exact({ text }: { text: string }) {
  const pieces = useMemo(() => splitUnseen(text), [text]);
  return (
    <bdi>
      {pieces.map((piece) => (piece.isUnseen ? <mark class="unseen">{piece.text}</mark> : piece.text))}
    </bdi>
  );
}
