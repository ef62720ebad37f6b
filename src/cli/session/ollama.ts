import { LEAVING_KEYS } from '../input/picker.js';
import type { Terminal } from '../screen/terminal.js';
import { showExactLine } from '../screen/visible-text.js';
import type { ModelChoice } from './choose-model.js';
import { networkFetch } from './network.js';

export const ollamaUrl = 'http://127.0.0.1:11434';

/** Time limit for a response. It is short, because a local server answers at once. */
const TIMEOUT_MS = 300;
const MAX_OFFERED = 9;

/**
 * Asks the person whether to use a model of a local Ollama. Resolves to undefined if there is none or the person
 * declines.
 */
export async function offerOllama(terminal: Terminal): Promise<ModelChoice | undefined> {
  const names = (await ollamaModels()).slice(0, MAX_OFFERED);
  if (names.length === 0) return undefined;
  const no = { row: '[n] no', keys: ['n', ...LEAVING_KEYS] };
  const choices = [...names.map((name) => ({ row: showExactLine(name), keys: [] })), no];
  terminal.display.print('Ollama answers on this machine. Use one of its models?');
  const index = await terminal.choose(choices, {
    signal: new AbortController().signal,
    selected: names.length,
  });
  const name = names[index];
  return name === undefined ? undefined : { name, upstream: 'ollama' };
}

/** Returns the names of the models of a local Ollama, or an empty list if it does not answer. */
export async function ollamaModels(baseUrl = ollamaUrl): Promise<readonly string[]> {
  try {
    const response = await networkFetch()(`${baseUrl}/api/tags`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return namesIn(await response.json());
  } catch {
    return [];
  }
}

function namesIn(body: unknown): string[] {
  const models = typeof body === 'object' && body !== null && 'models' in body ? body.models : [];
  if (!Array.isArray(models)) return [];
  return models.flatMap((model) => (typeof model?.name === 'string' ? [model.name] : []));
}
