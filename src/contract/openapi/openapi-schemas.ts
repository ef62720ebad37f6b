import { z } from 'zod';

/** The subset of OpenAPI 3.0's JSON Schema that our schemas use. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  nullable?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: unknown;
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  /**
   * The current values of a field to which newer versions may add values. The keyword comes from Zalando's API
   * guidelines; client generators ignore it.
   */
  'x-extensible-enum'?: readonly unknown[];
  /** The Go type for oapi-codegen, which would otherwise generate a union with a single member. */
  'x-go-type'?: string;
}

/** Returns a reference to the component of a schema. Throws if the schema has no id. */
export function referenceTo(schema: z.ZodType): { $ref: string } {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error('A schema of the contract has no id.');
  return { $ref: `${PREFIX}${id}` };
}

/** Returns all components that the given schemas refer to, sorted by name. */
export function componentSchemas(roots: {
  requests: readonly z.ZodType[];
  responses: readonly z.ZodType[];
}): Record<string, JsonSchema> {
  const all = fromZod();
  const requests = reachable(all, roots.requests.map(nameOf));
  const responses = reachable(all, roots.responses.map(nameOf));
  const names = new Set([...requests, ...responses]);
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const schema = forGenerators(definite(all, name), (each) => typeOf(all, each));
      const readable = responses.has(name) ? withOpenEnums(schema) : schema;
      return [name, requests.has(name) ? readable : { ...withFewPromises(readable), ...promised[name] }];
    }),
  );
}

/**
 * The fields that the document declares as required in responses. The service always sends all fields, but a later
 * version may drop the others without breaking clients that were generated from this document.
 */
const promised: Record<string, { required: string[] }> = {
  Step: { required: ['session_id', 'status', 'iterations_remaining'] },
  ErrorResponse: { required: ['status', 'error'] },
};

const PREFIX = '#/components/schemas/';
const nameOf = (schema: z.ZodType): string => referenceTo(schema).$ref.slice(PREFIX.length);

function fromZod(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    target: 'openapi-3.0',
    io: 'input',
    uri: (id) => `${PREFIX}${id}`,
    unrepresentable: 'any',
  });
  // Cast: Zod declares the result as JSON Schema 2020-12, but for this target it is the OpenAPI 3.0 subset above.
  return JSON.parse(JSON.stringify(schemas)) as Record<string, JsonSchema>;
}

function definite(all: Record<string, JsonSchema>, name: string): JsonSchema {
  const schema = all[name];
  if (!schema) throw new Error(`The contract refers to ${name}, which is no component.`);
  return schema;
}

function reachable(all: Record<string, JsonSchema>, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    referencesIn(definite(all, name)).forEach(visit);
  };
  names.forEach(visit);
  return found;
}

function referencesIn(schema: JsonSchema): string[] {
  const own = schema.$ref ? [schema.$ref.slice(PREFIX.length)] : [];
  return [...own, ...childrenOf(schema).flatMap(referencesIn)];
}

function childrenOf({ properties, items, allOf }: JsonSchema): JsonSchema[] {
  return [...Object.values(properties ?? {}), ...(items ? [items] : []), ...(allOf ?? [])];
}

/** Reduces a schema to keywords that client generators interpret correctly. */
function forGenerators(schema: JsonSchema, typeOf: (name: string) => string): JsonSchema {
  const { minimum, maximum, additionalProperties, pattern, ...rest } = without(schema, '$id');
  const [only] = rest.allOf ?? [];
  if (only?.$ref && Object.keys(rest).length === 1) return only;
  if (rest.nullable && only?.$ref) return nullableReference(rest, only.$ref.slice(PREFIX.length), typeOf);
  return {
    ...mapChildren(rest, (child) => forGenerators(child, typeOf)),
    ...(rest.type === 'integer' && { format: 'int32' }),
    ...(pattern !== undefined && rest.format !== 'uuid' && { pattern }),
    ...(minimum !== undefined && minimum !== int32.minimum && { minimum }),
    ...(maximum !== undefined && maximum !== int32.maximum && { maximum }),
    // Java generators would turn a class with both `properties` and `additionalProperties` into a map. Without the
    // keyword, additional properties are allowed anyway.
    ...(!rest.properties && rest.type === 'object' && { additionalProperties: additionalProperties ?? true }),
  };
}

const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/**
 * Writes a reference that may be null, in the only form that strict validators and all tested generators accept
 * (docs/decisions/openapi.md): with a plain `allOf`, `nullable` would not accept null.
 */
function nullableReference(
  { description }: JsonSchema,
  name: string,
  typeOf: (name: string) => string,
): JsonSchema {
  return {
    ...(description && { description }),
    type: typeOf(name),
    nullable: true,
    anyOf: [{ $ref: `${PREFIX}${name}` }, { enum: [null] }],
    'x-go-type': name,
  };
}

function typeOf(all: Record<string, JsonSchema>, name: string): string {
  const { type } = definite(all, name);
  if (type === undefined) throw new Error(`${name} has no type.`);
  return type;
}

/**
 * Lists the values of enums in responses without restricting the fields to them, so that a new value of a newer service
 * does not break clients that were generated earlier.
 */
function withOpenEnums(schema: JsonSchema): JsonSchema {
  const { enum: values, ...rest } = schema;
  if (!values || rest.type === undefined) return mapChildren(schema, withOpenEnums);
  return { ...rest, description: describeValues(rest.description, values), 'x-extensible-enum': values };
}

/**
 * Removes from responses all patterns, and `required` for nullable fields, so that a changed or missing field does not
 * break clients that were generated earlier.
 */
function withFewPromises(schema: JsonSchema): JsonSchema {
  const { required, pattern: _, ...rest } = schema;
  const promisedNames = required?.filter((name) => rest.properties?.[name]?.nullable !== true) ?? [];
  return {
    ...mapChildren(rest, withFewPromises),
    ...(promisedNames.length > 0 && { required: promisedNames }),
  };
}

function describeValues(description: string | undefined, values: readonly unknown[]): string {
  const list = `One of: ${values.map((value) => `\`${value}\``).join(', ')}; a newer service may send more.`;
  return description ? `${description} ${list}` : list;
}

function mapChildren(schema: JsonSchema, change: (child: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, allOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, change(child)]),
      ),
    }),
    ...(items && { items: change(items) }),
    ...(allOf && { allOf: allOf.map(change) }),
  };
}

function without(schema: JsonSchema, name: string): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([each]) => each !== name));
}
