import { useMemo, useState } from 'preact/hooks';
import { Exact } from '../../text/exact.js';
import { plural } from '../../text/figures.js';
import type { FragmentKind, ReplyFragment } from './provenance.js';

const names: Readonly<Record<FragmentKind, string>> = {
  reasoning: 'Reasoning',
  thought: 'Thought',
  call: 'Call',
  answer: 'Answer',
  discarded: 'Discarded',
  markup: 'Label or wrapping',
};

/** Legend of the colours, each with its number of characters. */
export function PieceLegend({ pieces }: { pieces: readonly ReplyFragment[] }) {
  const counts = new Map<FragmentKind, number>();
  for (const { kind, text } of pieces) counts.set(kind, (counts.get(kind) ?? 0) + text.length);
  return (
    <ul class="piece-legend">
      {[...counts].map(([kind, count]) => (
        <li key={kind}>
          <span class={`piece-kind kind-${kind}`}>{names[kind]}</span>{' '}
          <span class="muted figure">{plural(count, 'character')}</span>
        </li>
      ))}
    </ul>
  );
}

const WINDOW = 8_000;
const MORE = 8;

/** The completion as written, each fragment coloured by what it was parsed as. */
export function Pieces({ pieces }: { pieces: readonly ReplyFragment[] }) {
  const [size, setSize] = useState(WINDOW);
  const shown = useMemo(() => beginningOf(pieces, size), [pieces, size]);
  const hidden = lengthOf(pieces) - lengthOf(shown);
  return (
    <>
      <pre class="completion" dir="auto">
        {shown.map(({ kind, text }, index) => (
          <span key={index} class={`piece-kind kind-${kind}`} title={names[kind]}>
            {kind !== 'markup' && <span class="hidden">{names[kind]}: </span>}
            <Exact text={text} />
          </span>
        ))}
      </pre>
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setSize(size * MORE)}>
          Show more <span class="muted">({plural(hidden, 'character')} left)</span>
        </button>
      )}
    </>
  );
}

const lengthOf = (pieces: readonly ReplyFragment[]): number =>
  pieces.reduce((sum, { text }) => sum + text.length, 0);

function beginningOf(pieces: readonly ReplyFragment[], size: number): readonly ReplyFragment[] {
  let left = size;
  return pieces.flatMap(({ kind, text }) => {
    if (left <= 0) return [];
    const shown =
      text.length <= left
        ? text
        : text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(left - 1)) ? left - 1 : left);
    left -= text.length;
    return [{ kind, text: shown }];
  });
}
