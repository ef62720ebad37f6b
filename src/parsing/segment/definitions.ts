import { MAX_TOOLS, type OfferedTool, parameterOrder } from '../arguments/offered-tool.js';
import { isOneOf, lineEnd, skipBlanks } from '../text/characters.js';
import { readValue } from '../text/literals.js';
import { isJsonObject, type JsonObject, type JsonValue, Scanner } from '../text/scanner.js';

const schemaKeys = ['inputSchema', 'input_schema', 'parameters', 'arguments', 'args', 'params'] as const;

/** Maximum nesting of lists and wrappers around definitions, such as `{"tools": [{"function": {…}}]}`. */
const MAX_DEFINITION_DEPTH = 8;

/**
 * Reads tools from JSON definitions in a text (`available_tools_prompt_segment`), in MCP's, OpenAI's or Anthropic's
 * shape.
 */
export class DefinitionReader {
  readonly #segment: string;
  readonly #tools = new Map<string, OfferedTool>();
  #line = 0;
  #isFirst = true;

  constructor(segment: string) {
    this.#segment = segment;
  }

  get tools(): OfferedTool[] {
    return [...this.#tools.values()];
  }

  /** Reads a line, or the JSON value that starts on it; false at the end. */
  readLine(): boolean {
    const segment = this.#segment;
    if (this.#line >= segment.length || this.#tools.size >= MAX_TOOLS) return false;
    let end = this.#line;
    const start = skipBlanks(segment, this.#line);
    if (isOneOf('[{', segment, start)) {
      const definition = readDefinition(segment, start, this.#isFirst);
      this.#isFirst = false;
      if (definition.value !== undefined) addDefinitions(definition.value, this.#tools);
      end = Math.max(end, definition.end - 1);
    }
    this.#line = lineEnd(segment, end) + 1;
    return true;
  }
}

/** Adds the tools that a value defines. If a name is defined twice, the first definition is used. */
function addDefinitions(value: JsonValue, tools: Map<string, OfferedTool>): void {
  for (const tool of definitionsIn(value)) {
    if (tools.size >= MAX_TOOLS) return;
    if (!tools.has(tool.name)) tools.set(tool.name, tool);
  }
}

/** Reads the JSON value that begins at `start`, and returns its end. */
function readDefinition(
  segment: string,
  start: number,
  isFirst: boolean,
): { value: JsonValue | undefined; end: number } {
  const rest = isFirst ? parseRest(segment, start) : undefined;
  if (rest !== undefined) return { value: rest, end: segment.length };
  const scanner = new Scanner(segment, start);
  return { value: readValue(scanner), end: scanner.position };
}

/**
 * Parses the segment with `JSON.parse` if it is JSON from `start` to its end, since our own reader is many times
 * slower.
 */
function parseRest(segment: string, start: number): JsonValue | undefined {
  if (!isOneOf(']}', segment.trimEnd(), segment.trimEnd().length - 1)) return undefined;
  try {
    return JSON.parse(segment.slice(start));
  } catch {
    return undefined;
  }
}

function definitionsIn(value: JsonValue, depth = 0): OfferedTool[] {
  if (depth > MAX_DEFINITION_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => definitionsIn(each, depth + 1));
  if (!isJsonObject(value)) return [];
  const { function: wrapped, tools, name } = value;
  if (isJsonObject(wrapped)) return definitionsIn(wrapped, depth + 1);
  if (Array.isArray(tools)) return definitionsIn(tools, depth + 1);
  return typeof name === 'string' && name !== '' ? [toTool(name, value)] : [];
}

/** Reads a definition whose parameters are a JSON Schema, a map from name to description, or a list. */
function toTool(name: string, definition: JsonObject): OfferedTool {
  const key = schemaKeys.find((each) => Object.hasOwn(definition, each));
  const declared = key === undefined ? undefined : definition[key];
  if (Array.isArray(declared)) return { name, parameters: [...new Set(declared.flatMap(nameOf))] };
  if (!isJsonObject(declared)) return { name, parameters: [] };
  if (isJsonObject(declared['properties']))
    return { name, parameters: parameterOrder(declared), inputSchema: declared };
  if (declared['type'] === 'object') return { name, parameters: [], inputSchema: declared };
  return { name, parameters: Object.keys(declared) };
}

function nameOf(item: JsonValue): string[] {
  if (typeof item === 'string') return [item];
  return isJsonObject(item) && typeof item['name'] === 'string' ? [item['name']] : [];
}
