import { isObject } from '../../contract/fields.js';
import type { ToolDefinition } from '../../contract/tool.js';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Keywords that are not allowed at the top level of a tool's schema: OpenAI and Anthropic would refuse the whole
 * request.
 */
const combining = ['anyOf', 'oneOf', 'allOf', 'then', 'else'] as const;
const refused: ReadonlySet<string> = new Set([...combining, 'not', 'if', 'enum', 'const']);

/**
 * Returns the schema of a tool as the vendors accept it (rule: native-calling): an object without alternatives at its
 * top level, but with the parameters of all of them. The service checks arguments against the original schema.
 */
export function toVendorSchema(
  inputSchema: ToolDefinition['inputSchema'],
): Schema & { readonly type: 'object' } {
  if (!Object.keys(inputSchema).some((key) => refused.has(key))) return { ...inputSchema, type: 'object' };
  const kept = Object.entries(inputSchema).filter(([key]) => !refused.has(key));
  const properties = propertiesOf(inputSchema);
  const required = new RequiredNames(inputSchema).of(inputSchema);
  return {
    ...Object.fromEntries(kept),
    type: 'object',
    ...(properties.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/**
 * Collects the parameters of a schema and of all schemas that it combines. If a name is defined several times, the
 * first definition is used.
 */
function propertiesOf(root: Schema): ReadonlyMap<string, unknown> {
  const all = new Map<string, unknown>();
  const schemas = new Set([root]);
  for (const schema of schemas) {
    const { properties } = schema;
    for (const [name, value] of isObject(properties) ? Object.entries(properties) : [])
      if (!all.has(name)) all.set(name, value);
    for (const key of combining) for (const part of partsOf(schema[key], root)) schemas.add(part);
  }
  return all;
}

/** Finds the parameters that are required in every alternative of a schema. */
class RequiredNames {
  readonly #root: Schema;
  /**
   * Results by schema, so that each is computed once. While a schema's result is being computed, it is an empty set,
   * so that a reference to itself ends the recursion.
   */
  readonly #found = new Map<Schema, ReadonlySet<string>>();

  constructor(root: Schema) {
    this.#root = root;
  }

  of(schema: Schema): ReadonlySet<string> {
    const found = this.#found.get(schema);
    if (found) return found;
    this.#found.set(schema, new Set());
    const names = this.#compute(schema);
    this.#found.set(schema, names);
    return names;
  }

  #compute({ required, allOf, anyOf, oneOf }: Schema): ReadonlySet<string> {
    const names = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
    for (const part of partsOf(allOf, this.#root)) for (const name of this.of(part)) names.add(name);
    for (const alternatives of [anyOf, oneOf]) {
      const [first = new Set<string>(), ...others] = partsOf(alternatives, this.#root).map((part) =>
        this.of(part),
      );
      for (const name of first) if (others.every((other) => other.has(name))) names.add(name);
    }
    return names;
  }
}

/**
 * Returns the schemas in the value of a keyword. A reference such as `#/$defs/Name` is replaced by its definition.
 */
function partsOf(value: unknown, root: Schema): readonly Schema[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return parts.filter(isObject).map((part) => definitionOf(part['$ref'], root) ?? part);
}

function definitionOf(reference: unknown, root: Schema): Schema | undefined {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? [];
  const definitions = place && root[place];
  if (!name || !isObject(definitions) || !Object.hasOwn(definitions, name)) return undefined;
  const definition = definitions[name];
  return isObject(definition) ? definition : undefined;
}
