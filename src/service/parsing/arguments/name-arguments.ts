import type { JsonValue, Spellings } from '../text/scanner.js';
import { type OfferedTool, shorten } from './offered-tool.js';
import type { Argument } from './read-arguments.js';

export type NamedArguments =
  | { ok: true; values: Record<string, JsonValue>; spellings: Spellings }
  | { ok: false; problem: string };

/** Gives every argument its name (SPEC §7.5). Arguments are never dropped: what has no name is a problem. */
export function nameArguments(
  list: readonly Argument[],
  spellings: Spellings,
  tool: OfferedTool | undefined,
): NamedArguments {
  const [only] = list;
  if (list.length === 1 && only?.key === null && isArgumentObject(only.value, tool)) {
    return { ok: true, values: only.value, spellings };
  }
  const entries = new Map<string, JsonValue>();
  const spelled = new Map<string, string>();
  for (const [index, { key, value, spelling }] of list.entries()) {
    const name = key ?? tool?.parameters[index];
    if (name === undefined) return { ok: false, problem: describeUnnamed(index, tool) };
    if (key === null && index > 0 && list[index - 1]?.key !== null) {
      return { ok: false, problem: `argument ${index + 1} has no name but follows a named one` };
    }
    if (entries.has(name)) return { ok: false, problem: `argument \`${shorten(name)}\` is given twice` };
    entries.set(name, value);
    if (spelling !== undefined) spelled.set(name, spelling);
  }
  const values = Object.fromEntries(entries);
  spellings.set(values, spelled);
  return { ok: true, values, spellings };
}

function describeUnnamed(index: number, tool: OfferedTool | undefined): string {
  const takes = tool ? `: \`${tool.name}\` takes ${tool.parameters.join(', ') || 'no parameters'}` : '';
  return `argument ${index + 1} has no name${takes}`;
}

/** A single object is the argument object, unless the first parameter is an object and no key matches. */
function isArgumentObject(
  value: JsonValue,
  tool: OfferedTool | undefined,
): value is { [key: string]: JsonValue } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  const matches = keys.length === 0 || keys.some((key) => tool?.parameters.includes(key));
  return matches || !takesObjectFirst(tool);
}

function takesObjectFirst(tool: OfferedTool | undefined): boolean {
  const properties = tool?.inputSchema?.['properties'];
  const first = tool?.parameters[0];
  if (typeof properties !== 'object' || properties === null || first === undefined) return false;
  const schema: unknown = Object.hasOwn(properties, first) ? Reflect.get(properties, first) : undefined;
  const type: unknown =
    typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'type') : undefined;
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}
