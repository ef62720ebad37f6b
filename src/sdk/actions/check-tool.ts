import { isObject } from '../../conversation/is-object.js';
import { isStandard } from '../base/standard-schema.js';

/**
 * Throws `TypeError` for a value that `defineTool` did not create, with advice for tools in the shape of a
 * vendor.
 */
export function checkTool(tool: unknown, place: string, advice = ' Create tools with defineTool.'): void {
  if (!isObject(tool)) throw new TypeError(`${place}: expected a tool of defineTool.`);
  const fromVendor = vendorAdvice(tool);
  if (fromVendor) throw new TypeError(`${place}: ${fromVendor}`);
  const missing = requirements.find(([field, check]) => !check(tool[field]));
  if (!missing) return;
  const [field, , expected] = missing;
  const name = typeof tool['name'] === 'string' ? ` ("${tool['name']}")` : '';
  throw new TypeError(`${place}${name}.${field}: expected ${expected}.${advice}`);
}

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
