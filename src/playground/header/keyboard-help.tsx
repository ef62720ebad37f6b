import type { RefObject } from 'preact';

const keys: readonly (readonly [string, string])[] = [
  ['Ctrl + Enter', 'Run, or go on (⌘ + Enter on a Mac)'],
  ['Esc', 'Stop the run'],
  ['↑ ↓', 'From step to step, in the timeline and where two runs are compared; from run to run'],
  ['← →', 'From tab to tab'],
  ['Tab', 'To everything else, in the order it is read'],
];

/** Dialog that lists the keyboard shortcuts; the browser traps the focus and restores it. */
export const KeyboardHelp = ({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) => (
  <dialog ref={dialog} aria-labelledby="keyboard-title" class="dialog">
    <h2 id="keyboard-title">Keyboard</h2>
    <dl class="keys">
      {keys.map(([key, what]) => (
        <div>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog" class="keys-end">
      <button type="submit">Close</button>
      <a class="small muted" href="/playground/licences.txt" target="_blank" rel="noopener">
        Licences of what this page is made of
      </a>
    </form>
  </dialog>
);
