import { Icon } from '../controls/icon.js';
import { skipPauses } from './watch-tour.js';

/** Says that the visible run is a recording, and which parts of it were real. */
export const RecordedBanner = () => (
  <p class="recorded">
    <Icon name="play" />
    <span>
      <b>Recorded run.</b> The model’s replies and the person’s decisions are a script; the service, the
      prompts, the edits and the tests were real. Select a step to inspect it; the follow-up is under Runs.
    </span>
    {skipPauses.value && (
      <button type="button" class="quiet" onClick={skipPauses.value}>
        Show all
      </button>
    )}
  </p>
);
