import { inWords, trouble } from './runs.js';
import { keylessClient, models } from './settings.js';

/** Delay after the last typed character, so that only complete tokens are tried. */
const SETTLE_MS = 200;

/** Loads the service's model list, without delay the first time. Returns a function that cancels the request. */
export function loadModels(): () => void {
  const asking = new AbortController();
  const timer = setTimeout(() => void ask(asking.signal), models.value || trouble.value ? SETTLE_MS : 0);
  return () => {
    clearTimeout(timer);
    asking.abort();
  };
}

async function ask(signal: AbortSignal): Promise<void> {
  try {
    models.value = await keylessClient.value.models({ signal });
    trouble.value = null;
  } catch (error) {
    if (signal.aborted) return;
    trouble.value = inWords(error, 'The models could not be loaded.');
  }
}
