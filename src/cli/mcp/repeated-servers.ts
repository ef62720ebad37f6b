interface Level {
  readonly keys: Set<string>;
  /** Key whose value is being read. */
  at: string;
}

/** Matches keys, other strings, and brackets. */
const tokens = /"(?:[^"\\]|\\.)*"\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g;

/**
 * Returns the servers that `mcpServers` contains twice, or that contain a field twice. `JSON.parse` uses the last one,
 * while a person may have read the first. Throws an `Error` if `mcpServers` itself occurs twice. `json` must be valid.
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
        if (!servers) throw new Error('"mcpServers" occurs twice');
        repeated.add(servers.at);
      }
      level.keys.add(level.at);
    }
  }
  return repeated;
}
