import { useState } from 'preact/hooks';
import { type ActionView, renderCall } from '../../sdk/index.js';
import { shownState } from '../run/shown-state.js';
import { Exact } from '../text/exact.js';
import { duration, plural } from '../text/figures.js';
import { LongText } from '../text/long-text.js';
import { textWindow } from '../text/text-window.js';

/** Maximum visible size of a call before it is expanded. */
const CALL = { lines: 6, characters: 600 };

/** A tool call with its state and result. */
export function ToolLine({ action }: { action: ActionView }) {
  const { tool, args, observation, durationMs } = action;
  const state = shownState(action);
  return (
    <div class={`tool tool-${state}`}>
      <div class="tool-line">
        <span class="tool-dot" aria-hidden="true" />
        <code class="call" dir="ltr">
          <Call tool={tool} args={args} />
        </code>
        <span class="tool-state">
          {states[state]}
          {durationMs !== null && <span class="figure"> {duration(durationMs)}</span>}
        </span>
      </div>
      {observation !== null && (
        <div class="result">
          <LongText text={observation} />
        </div>
      )}
    </div>
  );
}

function Call({ tool, args }: Pick<ActionView, 'tool' | 'args'>) {
  const [isWhole, setIsWhole] = useState(false);
  const text = renderCall(tool, args).slice(tool.length);
  const shown = isWhole ? text : textWindow(text, CALL).shown;
  return (
    <>
      <b>{tool}</b>
      <Exact text={shown} />
      {shown.length < text.length && (
        <button type="button" class="link" onClick={() => setIsWhole(true)}>
          … {plural(text.length - shown.length, 'character')} more
        </button>
      )}
    </>
  );
}

const states = {
  proposed: 'proposed',
  asked: 'waits for you',
  running: 'running',
  done: '',
  failed: 'failed',
  denied: 'denied',
  skipped: 'not run',
  stopped: 'stopped',
} as const;
