import { z } from 'zod';

/** The part of JSON Schema, as OpenAPI 3.0 has it, that our schemas come out as. */
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
}

/** The reference to the component of a schema that has an id. */
export function referenceTo(schema: z.ZodType): { $ref: string } {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error('A schema of the contract has no id.');
  return { $ref: `${PREFIX}${id}` };
}

/** The components the given schemas need, each once, in the order of their names. */
export function componentSchemas(roots: {
  requests: readonly z.ZodType[];
  responses: readonly z.ZodType[];
}): Record<string, JsonSchema> {
  const all = fromZod();
  const requests = reachable(all, roots.requests.map(nameOf));
  const names = new Set([...requests, ...reachable(all, roots.responses.map(nameOf))]);
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const schema = forGenerators(definite(all, name));
      return [name, requests.has(name) ? schema : { ...forResponses(schema), ...promised[name] }];
    }),
  );
}

/**
 * All fields of an answer are always sent, but only these are promised: what a later version no longer knows
 * must not break a client that was generated before.
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
  // A JSON copy: what Zod types as JSON Schema 2020-12 is the plain 3.0 subset above for this target.
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

/** Only what client generators read as meant. */
function forGenerators(schema: JsonSchema): JsonSchema {
  const { minimum, maximum, additionalProperties, pattern, ...rest } = without(schema, '$id');
  return {
    ...mapChildren(rest, forGenerators),
    ...(rest.type === 'integer' && { format: 'int32' }),
    ...(pattern !== undefined && rest.format !== 'uuid' && { pattern }),
    ...(minimum !== undefined && minimum !== int32.minimum && { minimum }),
    ...(maximum !== undefined && maximum !== int32.maximum && { maximum }),
    // Beside properties it turns a class into a map in Java; absent, it is allowed all the same.
    ...(!rest.properties && rest.type === 'object' && { additionalProperties: additionalProperties ?? true }),
  };
}

const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/**
 * Answers may grow: new values of an enum and absent nullable fields must not break a client that was
 * generated before.
 */
function forResponses(schema: JsonSchema): JsonSchema {
  const { enum: values, required, pattern: _, ...rest } = schema;
  const sure = required?.filter((name) => rest.properties?.[name]?.nullable !== true) ?? [];
  return {
    ...mapChildren(rest, forResponses),
    ...(values && { description: describeValues(rest.description, values) }),
    ...(sure.length > 0 && { required: sure }),
  };
}

function describeValues(description: string | undefined, values: readonly unknown[]): string {
  const list = `One of: ${values.map((value) => `\`${value}\``).join(', ')}; more may come.`;
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
