import type { TurnInput } from '../contract/history.js';

/**
 * Returns the text of an observation for the model: its content if there is one, otherwise the result, otherwise
 * the error (rule: observation-text).
 */
export function observationText({ content, toolResult }: Pick<TurnInput, 'content' | 'toolResult'>): string {
  if (content !== '') return content;
  const result = toolResult?.result ?? undefined;
  return result === undefined ? (toolResult?.error ?? '') : resultText(result);
}

/** Writes a tool's result as text: strings unchanged, other values as JSON. Never throws, whatever the tool returned. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result;
  try {
    return JSON.stringify(result) ?? String(result);
  } catch {
    return withoutCycles(result); // has cycles or big integers
  }
}

const writeBigIntegers = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

function withoutCycles(result: unknown): string {
  try {
    return JSON.stringify(result, replaceCycles()) ?? String(result);
  } catch (error) {
    return `(a result that cannot be shown: ${error})`;
  }
}

/** Returns a `JSON.stringify` replacer that writes a note in place of an object that contains itself. */
function replaceCycles(): (this: unknown, key: string, value: unknown) => unknown {
  const enclosing: unknown[] = [];
  return function (this: unknown, key, value) {
    if (typeof value !== 'object' || value === null) return writeBigIntegers(key, value);
    while (enclosing.length > 0 && enclosing.at(-1) !== this) enclosing.pop();
    if (enclosing.includes(value)) return '(the same object again)';
    enclosing.push(value);
    return value;
  };
}
