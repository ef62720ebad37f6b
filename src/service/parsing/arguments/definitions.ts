import { isOneOf, lineEnd, skipBlanks, skipSpace } from '../text/characters.js';
import { readValue } from '../text/literals.js';
import { type JsonObject, type JsonValue, Scanner } from '../text/scanner.js';
import { type OfferedTool, writtenOrder } from './offered-tool.js';

const schemaKeys = ['inputSchema', 'input_schema', 'parameters', 'arguments', 'args', 'params'] as const;

/** Lists and wrappers of definitions in one another, such as `{"tools": [{"function": {…}}]}`. */
const DEEPEST_DEFINITION = 8;

/** Tools from JSON definitions in the segment, in MCP's, OpenAI's or Anthropic's shape; null if it has none. */
export function readDefinitions(segment: string): OfferedTool[] | null {
  const whole = parseWhole(segment);
  const tools = whole === undefined ? readPieces(segment) : definitionsIn(whole);
  return tools.length > 0 ? tools : null;
}

/** A segment that is JSON and nothing else; the platform's parser is many times faster than ours. */
function parseWhole(segment: string): JsonValue | undefined {
  if (!isOneOf('[{', segment, skipSpace(segment, 0))) return undefined;
  try {
    return JSON.parse(segment);
  } catch {
    return undefined;
  }
}

/** Values that start a line, between other text. */
function readPieces(segment: string): OfferedTool[] {
  const tools: OfferedTool[] = [];
  for (let line = 0; line < segment.length; line = lineEnd(segment, line) + 1) {
    const start = skipBlanks(segment, line);
    if (!isOneOf('[{', segment, start)) continue;
    const scanner = new Scanner(segment, start);
    const value = readValue(scanner);
    if (value !== undefined) for (const tool of definitionsIn(value)) tools.push(tool);
    line = Math.max(line, scanner.position - 1);
  }
  return tools;
}

function definitionsIn(value: JsonValue, depth = 0): OfferedTool[] {
  if (depth > DEEPEST_DEFINITION) return [];
  if (Array.isArray(value)) return value.flatMap((each) => definitionsIn(each, depth + 1));
  if (!isObject(value)) return [];
  const { function: wrapped, tools, name } = value;
  if (isObject(wrapped)) return definitionsIn(wrapped, depth + 1);
  if (Array.isArray(tools)) return definitionsIn(tools, depth + 1);
  return typeof name === 'string' && name !== '' ? [toTool(name, value)] : [];
}

/** The parameters as a JSON Schema, as a map from name to description, or as a list. */
function toTool(name: string, definition: JsonObject): OfferedTool {
  const key = schemaKeys.find((each) => Object.hasOwn(definition, each));
  const declared = key === undefined ? undefined : definition[key];
  if (Array.isArray(declared)) return { name, parameters: [...new Set(declared.flatMap(nameOf))] };
  if (!isObject(declared)) return { name, parameters: [] };
  if (isObject(declared['properties']))
    return { name, parameters: writtenOrder(declared), inputSchema: declared };
  if (declared['type'] === 'object') return { name, parameters: [], inputSchema: declared };
  return { name, parameters: Object.keys(declared) };
}

function nameOf(item: JsonValue): string[] {
  if (typeof item === 'string') return [item];
  return isObject(item) && typeof item['name'] === 'string' ? [item['name']] : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
