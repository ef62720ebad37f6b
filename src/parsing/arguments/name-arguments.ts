import { shorten } from '../text/characters.js';
import { setOwn } from '../text/literals.js';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Repair,
  type Spellings,
} from '../text/scanner.js';
import { ArgumentKeys } from './argument-keys.js';
import type { OfferedTool } from './offered-tool.js';
import type { Argument } from './read-arguments.js';

/** The arguments of a call as the model wrote them, before positional arguments get names. */
export interface WrittenArguments {
  readonly list: readonly Argument[];
  readonly spellings: Spellings;
  /** True if the arguments are in parentheses, where an object may also be the value of one parameter. */
  readonly isCallForm: boolean;
  readonly repairs: readonly Repair[];
}

export type NamedArguments =
  | { ok: true; values: Record<string, JsonValue>; spellings: Spellings }
  | { ok: false; problem: string };

/**
 * Gives every argument its name (rule: arguments). Never drops an argument: if there is no name for one, returns a
 * problem.
 */
export function nameArguments(written: WrittenArguments, tool: OfferedTool | undefined): NamedArguments {
  const { list, spellings, isCallForm } = written;
  const [only] = list;
  if (list.length === 1 && only?.key === null && isJsonObject(only.value)) {
    const meaning = meaningOf(only.value, isCallForm, tool);
    if (meaning === 'arguments') return nameObject(only.value, written, tool);
    if (meaning === 'neither') return { ok: false, problem: describeForeignKeys(only.value, tool) };
  }
  const values: Record<string, JsonValue> = {};
  const spelled = new Map<string, string>();
  for (const [index, { key, value, spelling }] of list.entries()) {
    const name = key ?? tool?.parameters[index];
    if (name === undefined) return { ok: false, problem: describeUnnamed(index, tool) };
    if (key === null && index > 0 && list[index - 1]?.key !== null) {
      return { ok: false, problem: `argument ${index + 1} has no name but follows a named one` };
    }
    if (Object.hasOwn(values, name))
      return { ok: false, problem: `argument \`${shorten(name)}\` is given twice` };
    setOwn(values, name, value);
    if (spelling !== undefined) spelled.set(name, spelling);
  }
  if (spelled.size > 0) spellings.set(values, spelled);
  return { ok: true, values, spellings };
}

/** Takes the entries of an object as the arguments, unless one is copied from the signature. */
function nameObject(
  object: JsonObject,
  { repairs, spellings }: WrittenArguments,
  tool: OfferedTool | undefined,
): NamedArguments {
  const copied = repairs.includes('bare_word') ? copiedKey(object, tool) : undefined;
  if (copied === undefined) return { ok: true, values: object, spellings };
  return { ok: false, problem: `\`${shorten(copied)}\` has a word of the signature in place of its value` };
}

/**
 * Returns the key of an object with unquoted words whose value is copied from the signature: `{path: path}` or `{path:
 * string}` (rule: repairs).
 */
function copiedKey(object: JsonObject, tool: OfferedTool | undefined): string | undefined {
  const keys = new ArgumentKeys(tool);
  return Object.keys(object).find((key) => {
    const value = object[key];
    return typeof value === 'string' && keys.copiedPart(key, ':', value) !== null;
  });
}

function describeUnnamed(index: number, tool: OfferedTool | undefined): string {
  const takes = tool ? `: \`${tool.name}\` takes ${tool.parameters.join(', ') || 'no parameters'}` : '';
  return `argument ${index + 1} has no name${takes}`;
}

/**
 * Decides the meaning of a single object in parentheses: it holds all arguments if one of its keys is a parameter or
 * the parameters are unknown; else it is the first parameter's value, if that may be an object. In other syntaxes the
 * object always holds all arguments (rule: arguments).
 */
function meaningOf(
  value: JsonObject,
  isCallForm: boolean,
  tool: OfferedTool | undefined,
): 'arguments' | 'value' | 'neither' {
  const keys = Object.keys(value);
  if (!tool || tool.parameters.length === 0 || keys.length === 0) return 'arguments';
  if (!isCallForm) return 'arguments';
  const parameters = new Set(tool.parameters);
  if (keys.some((key) => parameters.has(key))) return 'arguments';
  return mayBeObject(firstParameterSchema(tool)) ? 'value' : 'neither';
}

function describeForeignKeys(value: JsonObject, tool: OfferedTool | undefined): string {
  const keys = shorten(Object.keys(value).join(', '));
  return `\`${keys}\` are no parameters${tool ? ` of \`${tool.name}\`` : ''}`;
}

function firstParameterSchema({ parameters: [first], inputSchema }: OfferedTool): unknown {
  const properties: unknown = inputSchema?.['properties'];
  const isDeclared = isJsonObject(properties) && first !== undefined && Object.hasOwn(properties, first);
  return isDeclared ? properties[first] : undefined;
}

/** Whether a schema declares no type, or `object` among its types. */
function mayBeObject(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const { type, enum: values } = schema;
  const alternatives: unknown[] = [schema['anyOf'] ?? [], schema['oneOf'] ?? []].flat();
  if (type !== undefined) return [type].flat().includes('object');
  if (alternatives.length > 0)
    return alternatives.some((each) => !isJsonObject(each) || mayBeObject(typeOnly(each)));
  return values === undefined && !Object.hasOwn(schema, 'const');
}

/** Reduces an alternative of a schema to its type, so that nested alternatives are not followed. */
function typeOnly({ type, enum: values }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...(type !== undefined && { type }), ...(values !== undefined && { enum: values }) };
}
