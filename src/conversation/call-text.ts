type Parameters = Readonly<Record<string, unknown>>;

/**
 * Writes a call in the text form that the prompt describes to the model, such as `read_file(path="a", start_line=3)`
 * (rule: call-rendering). Values are JSON; keys that are not identifiers are quoted. `parseCompletion` can read the
 * same call back.
 */
export function renderCall(name: string, parameters: Parameters): string {
  const entries = Object.entries(parameters).map(([key, value]) => `${renderKey(key)}=${renderValue(value)}`);
  return `${name}(${entries.join(', ')})`;
}

/** Writes a call in the XML form that the prompt describes to the model. */
export function renderXmlCall(name: string, parameters: Parameters): string {
  return `<tool_code><name>${name}</name><parameters>${renderValue(parameters)}</parameters></tool_code>`;
}

/** Writes a reply with a thought and a call, in the JSON form that the prompt describes to the model. */
export function renderJsonAction(thought: string, name: string, parameters: Parameters): string {
  return JSON.stringify({ ...(thought && { thought }), action: { tool: name, args: parameters } });
}

function renderKey(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : renderValue(key);
}

/**
 * Writes a value as JSON. Writes null for values that JSON lacks, as `JSON.stringify` does in an array. Does not
 * write the escapes `\b` and `\f`, nor a string that begins like a path with a drive letter (`"A:\n`): outside an
 * object the parser reads these backslashes as plain text, because models hardly ever intend them as escapes.
 */
function renderValue(value: unknown): string {
  return (JSON.stringify(value) ?? 'null')
    .replace(/("[A-Za-z]):(?=\\[^\\])/g, '$1\\u003a')
    .replace(/\\[\s\S]/g, (written) => rareEscapes.get(written) ?? written);
}

const rareEscapes: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\u0008'],
  ['\\f', '\\u000c'],
]);
