import { inWords, trouble } from './runs.js';
import { keylessClient, models } from './settings.js';

/** In milliseconds: a token that is typed is tried when it stands, not letter by letter. */
const SETTLE_MS = 200;

/** Asks the service what it can reach, at once the first time; what it returns takes the question back. */
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
    trouble.value = inWords(error);
  }
}
