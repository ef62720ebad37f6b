interface Level {
  readonly keys: Set<string>;
  /** The key whose value is read. */
  at: string;
}

/** Keys, other strings, and what nests. */
const tokens = /"(?:[^"\\]|\\.)*"\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g;

/**
 * Servers under `mcpServers` that are written twice, or have a field that is. `JSON.parse` takes the last; what a person
 * has read may be the first. Throws an `Error` where `mcpServers` itself is written twice. `json` is valid.
 */
export function repeatedServers(json: string): ReadonlySet<string> {
  const repeated = new Set<string>();
  const levels: Level[] = [];
  for (const [token] of json.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') levels.push({ keys: new Set(), at: '' });
    else if (token === '}' || token === ']') levels.pop();
    else if (level && token.endsWith(':')) {
      level.at = JSON.parse(token.slice(0, -1));
      const [top, servers] = levels;
      if (level.keys.has(level.at) && top?.at === 'mcpServers') {
        if (!servers) throw new Error('it has "mcpServers" twice');
        repeated.add(servers.at);
      }
      level.keys.add(level.at);
    }
  }
  return repeated;
}
