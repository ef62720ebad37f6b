import { isObject } from '../../../contract/fields.js';
import { renderCall, renderXmlCall } from '../../../conversation/call-text.js';
import type { OfferedTool } from '../../parsing/arguments/offered-tool.js';
import type { TaughtProtocol } from './render-unit.js';

/** So many parameters of a tool that requires none show how it is called. */
const MOST_OPTIONAL = 2;

/**
 * A call of a tool in the very form that the model is taught, with the tool's own parameters and values that fit
 * them: the same for the same tool (rule: worked-example).
 */
export function sampleCall(tool: OfferedTool, protocol: TaughtProtocol): string {
  const parameters = sampleArguments(tool);
  if (protocol === 'xml') return renderXmlCall(tool.name, parameters);
  if (protocol === 'native') return `${tool.name}(${JSON.stringify(parameters)})`;
  return `Action: ${renderCall(tool.name, parameters)}`;
}

function sampleArguments({ parameters, inputSchema = {} }: OfferedTool): Readonly<Record<string, unknown>> {
  const properties = isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = Array.isArray(inputSchema['required']) ? new Set(inputSchema['required']) : undefined;
  const shown = parameters.filter((name) => required?.has(name));
  const names = shown.length > 0 ? shown : parameters.slice(0, MOST_OPTIONAL);
  return Object.fromEntries(names.map((name) => [name, sampleValue(name, properties[name])]));
}

const samplesByType: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

/** What the schema itself names as a value, else one of its type; a text says what belongs there. */
function sampleValue(name: string, schema: unknown): unknown {
  if (!isObject(schema)) return `some ${name}`;
  const { const: only, default: usual, examples, enum: allowed, type } = schema;
  const named = [only, ...listOf(examples), usual, ...listOf(allowed)].find((value) => isShort(value));
  if (named !== undefined) return named;
  const [first] = Array.isArray(type) ? type : [type];
  return Object.hasOwn(samplesByType, String(first)) ? samplesByType[String(first)] : `some ${name}`;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, 1) : []);

/** A sample is read with every step: a long one is none. */
function isShort(value: unknown): boolean {
  return value !== undefined && value !== null && JSON.stringify(value).length <= 80;
}
