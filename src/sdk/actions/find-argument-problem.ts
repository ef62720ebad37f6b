import { isObject } from '../base/is-object.js';
import type { ToolArguments } from './define-tool.js';

const checks = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['array', Array.isArray],
  ['object', isObject],
  ['null', (value) => value === null],
]);

/**
 * What is wrong with the arguments, in words for the model, or undefined. Covers `required`, `type`, `enum` and
 * `items`: what argument types are inferred from. The service checks the whole schema; arguments that a person
 * edited have not been there.
 */
export function findArgumentProblem(args: ToolArguments, schema: ToolArguments): string | undefined {
  const missing = namesIn(schema['required']).find((name) => ownValue(args, name) === undefined);
  if (missing !== undefined) return `The argument "${missing}" is missing.`;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, value] of Object.entries(args)) {
    const problem = value === undefined ? undefined : findValueProblem(value, ownValue(properties, name));
    if (problem) return `The argument "${name}" ${problem}.`;
  }
  return undefined;
}

function findValueProblem(value: unknown, schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  if (!types.some((type) => checks.get(String(type))?.(value) ?? true))
    return `must be of type ${types.join(' or ')}`;
  const allowed = schema['enum'];
  if (Array.isArray(allowed) && !allowed.includes(value)) return `must be one of ${JSON.stringify(allowed)}`;
  if (!Array.isArray(value)) return undefined;
  const problem = value.map((item) => findValueProblem(item, schema['items'])).find(Boolean);
  return problem && `has an item that ${problem}`;
}

/** Names are anybody's, `constructor` among them. */
const ownValue = (values: ToolArguments, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
