import { useMemo, useState } from 'preact/hooks';
import { Exact } from '../../text/exact.js';
import { plural } from '../../text/figures.js';
import { comparePrompts, type DiffRun } from './compare-prompts.js';
import type { PromptMessage } from './prompt-sections.js';

interface PromptDiffProps {
  readonly before: readonly PromptMessage[];
  readonly after: readonly PromptMessage[];
}

/** Lines added and removed since the previous call; unchanged lines are collapsed. */
export function PromptDiff({ before, after }: PromptDiffProps) {
  const runs = useMemo(() => comparePrompts(before, after), [before, after]);
  const count = (kind: DiffRun['kind']): number =>
    runs.reduce((sum, run) => sum + (run.kind === kind ? run.lines.length : 0), 0);
  const [added, removed] = [count('added'), count('removed')];
  if (added + removed === 0) return <p class="muted">Nothing has changed.</p>;
  return (
    <>
      <p class="small figure">
        {plural(added, 'line')} added, {plural(removed, 'line')} removed, {plural(count('same'), 'line')} as
        before.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than its box is scrolled with the keyboard */}
      <section class="diff prompt-diff" aria-label="Changes" tabIndex={0}>
        {runs.map((run, index) => (
          <Run key={index} run={run} />
        ))}
      </section>
    </>
  );
}

const marks = { same: ' ', added: '+', removed: '-' } as const;
const CONTEXT_LINES = 3;
const WINDOW = 200;
const MORE = 5;

/**
 * Shows adjacent lines of a diff: the last few of unchanged lines, the first ones of added or removed lines, and a
 * button for more.
 */
function Run({ run: { kind, lines } }: { run: DiffRun }) {
  const isSame = kind === 'same';
  const [size, setSize] = useState(isSame ? CONTEXT_LINES : WINDOW);
  const hidden = Math.max(0, lines.length - size);
  const shown = isSame ? lines.slice(hidden) : lines.slice(0, size);
  const more = hidden > 0 && (
    <button type="button" class="link diff-more" onClick={() => setSize(Math.max(WINDOW, size * MORE))}>
      {plural(hidden, 'line')} {isSame ? 'as before' : 'more'}
    </button>
  );
  return (
    <>
      {isSame && more}
      <pre class={`diff-run diff-${kind}`} dir="auto">
        <Exact text={shown.map((line) => `${marks[kind]} ${line}\n`).join('')} />
      </pre>
      {!isSame && more}
    </>
  );
}
