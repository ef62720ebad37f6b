import { signal } from '@preact/signals';
import { Icon } from '../../controls/icon.js';
import { Exact } from '../../text/exact.js';

/** The reason why something could not be opened, in one sentence; may contain untrusted names. */
export const notice = signal<string | null>(null);

/** Shows the notice until the person dismisses it. */
export function Notice() {
  if (notice.value === null) return null;
  return (
    <div class="notice" role="alert">
      <Icon name="warning" />
      <p>
        <Exact text={notice.value} />
      </p>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          notice.value = null;
        }}
      >
        <Icon name="cross" />
        <span class="hidden">Dismiss</span>
      </button>
    </div>
  );
}
