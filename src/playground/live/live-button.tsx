import { Icon } from '../controls/icon.js';
import { isLive } from './live-view.js';

/** Button that switches between the runs of the page and the steps of all clients. */
export const LiveButton = () => (
  <button
    type="button"
    class="quiet live-button"
    aria-pressed={isLive.value}
    title="The steps of all clients of this service"
    onClick={() => {
      isLive.value = !isLive.value;
    }}
  >
    <Icon name="live" /> <span class="label">Live</span>
  </button>
);
