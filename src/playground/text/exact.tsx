import { useMemo } from 'preact/hooks';
import { splitUnseen } from '../../sdk/index.js';

/**
 * Text with every character visible, isolated from the surrounding text direction. For texts that a person approves or
 * that were sent to a model.
 */
export function Exact({ text }: { text: string }) {
  const pieces = useMemo(() => splitUnseen(text), [text]);
  return (
    <bdi>
      {pieces.map((piece) => (piece.isUnseen ? <mark class="unseen">{piece.text}</mark> : piece.text))}
    </bdi>
  );
}
