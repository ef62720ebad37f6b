type Parameters = Readonly<Record<string, unknown>>;

/**
 * A call in the taught text form, `read_file(path="a", start_line=3)` (rule: call-rendering). Values are JSON, keys
 * that are no identifier are quoted; `parseCompletion` reads the very same call back.
 */
export function renderCall(name: string, parameters: Parameters): string {
  const entries = Object.entries(parameters).map(([key, value]) => `${renderKey(key)}=${renderValue(value)}`);
  return `${name}(${entries.join(', ')})`;
}

/** The same call in the taught XML form. */
export function renderXmlCall(name: string, parameters: Parameters): string {
  return `<tool_code><name>${name}</name><parameters>${renderValue(parameters)}</parameters></tool_code>`;
}

/** A whole reply that acts, in the taught JSON form. */
export function renderJsonAction(thought: string, name: string, parameters: Parameters): string {
  return JSON.stringify({ ...(thought && { thought }), action: { tool: name, args: parameters } });
}

function renderKey(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : renderValue(key);
}

/**
 * JSON; what JSON cannot express becomes null, as in `JSON.stringify` of an array. Without `\b` and `\f`, which are read
 * as text outside an object: a model hardly ever means them.
 */
function renderValue(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(
    /\\[\s\S]/g,
    (written) => rareEscapes.get(written) ?? written,
  );
}

const rareEscapes: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\u0008'],
  ['\\f', '\\u000c'],
]);
