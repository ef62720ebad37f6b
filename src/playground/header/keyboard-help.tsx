import type { RefObject } from 'preact';

const keys: readonly (readonly [string, string])[] = [
  ['Ctrl + Enter', 'Run, or go on (⌘ + Enter on a Mac)'],
  ['Esc', 'Stop the run'],
  ['↑ ↓', 'Move between steps in the timeline and the comparison, and between runs'],
  ['← →', 'Move between tabs'],
  ['Tab', 'Move to everything else, in reading order'],
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
        Licences of bundled packages
      </a>
    </form>
  </dialog>
);
