import { useEffect, useRef, useState } from 'preact/hooks';
import { emptyRun, type RunView } from '../../sdk/index.js';
import { announce } from './announce.js';

/** Says what is new to those who do not see it; the only place of the page that does. */
export function LiveRegion({ view }: { view: RunView | null }) {
  const before = useRef(view);
  const [words, setWords] = useState('');
  useEffect(() => {
    const said = view ? announce(before.current ?? emptyRun(), view) : '';
    before.current = view;
    if (said !== '') setWords(said);
  }, [view]);
  return (
    <p class="hidden" role="status" aria-live="polite">
      {words}
    </p>
  );
}
