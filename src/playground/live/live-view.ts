import { signal } from '@preact/signals';

/** True while the page shows the steps of all clients instead of its own runs. */
export const isLive = signal(false);

/** Address of the view within the page. */
export const LIVE_LINK = '#/live';
