import { isObject } from '../../conversation/is-object.js';
import { isBoolean, optional } from '../base/shape.js';
import { isStandard } from '../base/standard-schema.js';

/**
 * Throws `TypeError` for a value that `defineTool` did not create, with advice for tools in the shape of a
 * vendor.
 */
export function checkTool(tool: unknown, place: string, advice = ' Create tools with defineTool.'): void {
  if (!isObject(tool)) throw new TypeError(`${place}: expected a tool of defineTool.`);
  const fromVendor = vendorAdvice(tool);
  if (fromVendor) throw new TypeError(`${place}: ${fromVendor}`);
  checkApprovalHints(tool, placeOf(place, tool));
  const missing = requirements.find(([field, check]) => !check(tool[field]));
  if (!missing) return;
  const [field, , expected] = missing;
  const given = field === 'inputSchema' && isObject(tool['parameters']) ? ', under the name inputSchema' : '';
  throw new TypeError(`${placeOf(place, tool)}.${field}: expected ${expected}${given}.${advice}`);
}

const placeOf = (place: string, { name }: Record<string, unknown>): string =>
  typeof name === 'string' ? `${place} ("${name}")` : place;

/**
 * Throws if a tool would run without the approval that its author intended. Ignores unknown annotations, because MCP
 * and vendors define further ones.
 */
function checkApprovalHints(tool: Record<string, unknown>, place: string): void {
  const annotations = tool['annotations'] ?? {};
  if (!isObject(annotations)) throw new TypeError(`${place}.annotations: expected an object.`);
  const misplaced =
    ['requiresApproval', 'needsApproval'].find((name) => tool[name] !== undefined) ??
    (annotations['needsApproval'] === undefined ? undefined : 'annotations.needsApproval');
  if (misplaced) throw new TypeError(`${place}.${misplaced}: write this as requiresApproval in annotations.`);
  const hint = ['requiresApproval', 'readOnlyHint'].find((name) => !isFlag(annotations[name]));
  if (hint) throw new TypeError(`${place}.annotations.${hint}: expected true or false.`);
}

const isFlag = optional(isBoolean);

const requirements: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['name', (value) => typeof value === 'string' && value !== '', 'the name of the tool'],
  ['description', (value) => typeof value === 'string', 'a string'],
  [
    'inputSchema',
    (value) => isObject(value) || isStandard(value),
    'a schema of Zod or another library of Standard Schema, or a JSON Schema',
  ],
  ['execute', (value) => typeof value === 'function', 'a function'],
];

/** Returns how to convert a tool in the shape of OpenAI or Anthropic; undefined for any other value. */
function vendorAdvice(tool: Record<string, unknown>): string | undefined {
  if (typeof tool['execute'] === 'function') return undefined;
  if (tool['type'] === 'function')
    return "this tool has OpenAI's shape. Write defineTool({ name, description, inputSchema: parameters, execute }).";
  if (isObject(tool['input_schema']))
    return "this tool has Anthropic's shape. Write defineTool({ name, description, inputSchema: input_schema, execute }).";
  return undefined;
}
