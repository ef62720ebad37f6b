import { isObject } from '../../conversation/is-object.js';
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
 * Returns a sentence for the model about the first wrong argument, or undefined. Checks only the keywords from which
 * the types of `execute` are inferred: `required`, `type`, `enum` and `items`. The service has checked the model's
 * arguments against the whole schema, but it never sees arguments that a person edited.
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

/** Reads own properties only: a model may name an argument `constructor`. */
const ownValue = (values: ToolArguments, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
