import { showExactLine } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import type { ModelChoice } from './choose-model.js';

/** Where Ollama listens unless it was told otherwise. */
export const ollamaUrl = 'http://127.0.0.1:11434';

/** What runs on this machine answers at once. */
const TIMEOUT_MS = 300;
const MAX_OFFERED = 9;

/** Offers a model of an Ollama that runs here; undefined where there is none, or the person does not want it. */
export async function offerOllama(terminal: Terminal): Promise<ModelChoice | undefined> {
  const names = (await ollamaModels()).slice(0, MAX_OFFERED);
  if (names.length === 0) return undefined;
  const lines = names.map((name, index) => `  [${index + 1}] ${showExactLine(name)}`);
  terminal.progress.write(
    `Ollama answers on this machine. Use one of its models?\n${lines.join('\n')}\n  [n] no\n`,
  );
  const keys = [...names.map((_, index) => String(index + 1)), 'n', 'escape', 'ctrl-c', 'enter'];
  const key = await terminal.pressedKey(keys, new AbortController().signal);
  const name = names[Number(key) - 1];
  return name === undefined ? undefined : { name, upstream: 'ollama' };
}

/** Names of the models a local Ollama has; none where nothing answers. */
export async function ollamaModels(baseUrl = ollamaUrl): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl}/api/tags`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
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
