import { readValue } from './literals.js';
import type { OfferedTool } from './offered-tool.js';
import { isWordCode, type JsonValue, lineEnd, Scanner, skipBlanks, skipSpace } from './scanner.js';
import { readString, stringStart } from './strings.js';

/** From a tool definition in MCP's shape: positional order is the order of `inputSchema.properties`. */
export function toOfferedTool(tool: {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}): OfferedTool {
  const { properties } = tool.inputSchema;
  const parameters = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return { name: tool.name, parameters, inputSchema: tool.inputSchema };
}

/**
 * Reads tools from free text in the forms people write (SPEC §2 `available_tools_prompt_segment`): a JSON
 * list of definitions, or lines such as `- read_file(path, start_line): reads`, `### search(query="…")`,
 * `def f(a: str, b: int = 3) -> str`, `**list_tools** - lists`. The first mention of a name counts.
 */
export function readSignatures(segment: string): OfferedTool[] {
  const found = readDefinitions(segment) ?? readLines(segment);
  const byName = new Map<string, OfferedTool>();
  for (const tool of found) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}
