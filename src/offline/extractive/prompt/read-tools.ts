export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly string[];
}

/**
 * Finds the tools that the system text describes: signatures such as `read_file(path, start_line)` at the start of
 * a line, XML, or JSON schemas. If several descriptions have the same name, the first of those with the most
 * parameters is used.
 */
export function readTools(system: string): OfferedTool[] {
  const found = [...xmlTools(system), ...signatures(system), ...jsonTools(system)];
  const byName = new Map<string, OfferedTool>();
  for (const tool of found) {
    const existing = byName.get(tool.name);
    if (!existing || existing.parameters.length < tool.parameters.length) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

/**
 * Reads tools in lines such as `- read_file(path: string, start_line?): reads a file`. Ignores example calls with
 * values.
 */
function signatures(system: string): OfferedTool[] {
  const lines = system.matchAll(
    /^[ \t]*(?:[-*#]{1,6}[ \t]*|\d{1,4}\.[ \t]*)?[`*]{0,3}([A-Za-z_][\w.-]*)\(([^()\n]*)\)(.*)$/gmu,
  );
  return [...lines].flatMap(([, name = '', list = '', description = '']) => {
    const parameters = list.split(',').map((each) => each.trim());
    if (list.trim() === '') return [{ name, description, parameters: [] }];
    if (!parameters.every(isParameter)) return [];
    return [{ name, description, parameters: parameters.map(nameOf) }];
  });
}

const isParameter = (text: string): boolean => /^[[{]?[A-Za-z_]\w*\??(?:\s*[:=].*)?[\]}]?$/u.test(text);
const nameOf = (text: string): string => /[A-Za-z_]\w*/u.exec(text)?.[0] ?? text;

/**
 * Reads tools in the forms `<tool name="…">` and `<tool><name>…</name>`. Each description ends where the next one
 * begins.
 */
function xmlTools(system: string): OfferedTool[] {
  const parts = system.split(/<tool(?:_definition)?\b/u).slice(1);
  return parts.flatMap((part) => {
    const name = /^[^<>]*\bname="([^"]+)"/u.exec(part)?.[1] ?? elementText(part, 'name');
    if (!name) return [];
    return [{ name, description: elementText(part, 'description') ?? '', parameters: xmlParameters(part) }];
  });
}

function xmlParameters(body: string): string[] {
  const tags = [...body.matchAll(/<param(?:eter)?\b[^<>]*\bname="([^"]+)"/gu)].map(([, name = '']) => name);
  return tags.length > 0 ? tags : schemaProperties(body);
}

function elementText(body: string, tag: string): string | undefined {
  const start = body.indexOf(`<${tag}>`);
  const end = start === -1 ? -1 : body.indexOf(`</${tag}>`, start);
  return end === -1 ? undefined : body.slice(start + tag.length + 2, end).trim();
}

/** Reads tools from `"name": "read_file"` and the `"properties"` before the next name. */
function jsonTools(system: string): OfferedTool[] {
  const parts = system.split(/(?="name"\s*:\s*"[\w.-]+")/u).slice(1);
  return parts.flatMap((part) => {
    const name = /"name"\s*:\s*"([\w.-]+)"/u.exec(part)?.[1];
    const description = /"description"\s*:\s*"((?:[^"\\]|\\.)*)"/u.exec(part)?.[1] ?? '';
    return name ? [{ name, description, parameters: schemaProperties(part) }] : [];
  });
}

/** Returns the parameter names under `"properties"` of the first schema in the text. */
function schemaProperties(text: string): string[] {
  const start = /"properties"\s*:\s*\{/u.exec(text);
  if (!start) return [];
  const object = balanced(text, start.index + start[0].length - 1);
  try {
    return Object.keys(JSON.parse(object));
  } catch {
    return [];
  }
}

/**
 * Returns the text from an opening brace to its closing one. Ignores braces in strings, and reads each character
 * once.
 */
function balanced(text: string, start: number): string {
  let depth = 0;
  let inString = false;
  const marks = /\\[\s\S]|["{}]/gu;
  marks.lastIndex = start;
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const [mark] = match;
    if (mark === '"') inString = !inString;
    if (!inString && mark === '{') depth += 1;
    if (!inString && mark === '}') depth -= 1;
    if (depth === 0) return text.slice(start, marks.lastIndex);
  }
  return '';
}
