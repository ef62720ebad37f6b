import { useEffect, useRef, useState } from 'preact/hooks';
import { emptyRun, type RunView } from '../../sdk/index.js';
import { announce } from './announce.js';

/** Announces changes to screen readers; the page's only live region. */
export function LiveRegion({ view }: { view: RunView | null }) {
  const before = useRef(view);
  const [words, setWords] = useState('');
  useEffect(() => {
    const sentence = view ? announce(before.current ?? emptyRun(), view) : '';
    before.current = view;
    if (sentence !== '') setWords(sentence);
  }, [view]);
  return (
    <p class="hidden" role="status" aria-live="polite">
      {words}
    </p>
  );
}
