import type { Remedy } from '../run/conversation-view.js';
import { request } from './host.js';

/** Buttons that help to solve a problem. */
export const RemedyButtons = ({ remedies }: { remedies: readonly Remedy[] }) => (
  <div class="choices">
    {remedies.map(({ label, command }) => (
      <button
        type="button"
        class="secondary"
        key={command}
        onClick={() => request({ type: 'command', command })}
      >
        {label}
      </button>
    ))}
  </div>
);
