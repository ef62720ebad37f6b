import { skipSpace } from '../text/characters.js';
import { readValue } from '../text/literals.js';
import { type JsonObject, type JsonValue, Scanner } from '../text/scanner.js';
import { type OfferedTool, writtenOrder } from './offered-tool.js';

const schemaKeys = ['inputSchema', 'input_schema', 'parameters', 'arguments', 'args', 'params'] as const;

/** Tools from JSON definitions in the segment, in MCP's, OpenAI's or Anthropic's shape; null if it has none. */
export function readDefinitions(segment: string): OfferedTool[] | null {
  const tools: OfferedTool[] = [];
  let readTo = 0;
  for (const start of lineStarts(segment)) {
    if (start < readTo || !'[{'.includes(segment.charAt(start) || ' ')) continue;
    const scanner = new Scanner(segment, start);
    const value = readValue(scanner);
    readTo = scanner.position;
    if (value !== undefined) tools.push(...definitionsIn(value));
  }
  return tools.length > 0 ? tools : null;
}

function* lineStarts(text: string): Generator<number> {
  for (let line = 0; line >= 0 && line < text.length; ) {
    yield skipSpace(text, line);
    const end = text.indexOf('\n', line);
    line = end < 0 ? -1 : end + 1;
  }
}

function definitionsIn(value: JsonValue): OfferedTool[] {
  if (Array.isArray(value)) return value.flatMap(definitionsIn);
  if (!isObject(value)) return [];
  const { function: wrapped, tools, name } = value;
  if (isObject(wrapped)) return definitionsIn(wrapped);
  if (Array.isArray(tools)) return tools.flatMap(definitionsIn);
  return typeof name === 'string' && name !== '' ? [toTool(name, value)] : [];
}

/** The parameters as a JSON Schema, as a map from name to description, or as a list. */
function toTool(name: string, definition: JsonObject): OfferedTool {
  const key = schemaKeys.find((each) => Object.hasOwn(definition, each));
  const declared = key === undefined ? undefined : definition[key];
  if (Array.isArray(declared)) return { name, parameters: declared.flatMap(nameOf) };
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
