import { openapiSchemaToJsonSchema } from '@openapi-contrib/openapi-schema-to-json-schema';
import { Ajv, type ValidateFunction } from 'ajv';
import { openapiDocument } from '../../src/contract/openapi/openapi.js';
import { operations } from '../../src/contract/openapi/operations.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

type Schema = { [key: string]: unknown; properties?: Record<string, Schema> };

// The document is plain JSON; its shape is asserted by the lint of test/contract/openapi.test.ts.
const document = JSON.parse(JSON.stringify(openapiDocument())) as {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, { responses: Record<string, { content: unknown }> }>>;
};

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
/**
 * Holds an answer to the document: the operation knows the status, the body fits the component, and every key
 * of the component is there (the server sends all of them, null or not).
 */
export function assertKeepsContract(method: string, path: string, answer: Answer): void {
  const component = componentOf(method, path, answer);
  const validate = validatorOf(component);
  if (!validate(answer.body)) {
    throw new Error(
      `${method} ${path} ${answer.status} breaks ${component}: ${ajv.errorsText(validate.errors)}`,
    );
  }
  if (!answer.headers['x-request-id']) throw new Error(`${method} ${path} has no X-Request-Id`);
  if (
    (answer.status === 429 || answer.status === 503) &&
    !/^\d+$/.test(answer.headers['retry-after'] ?? '')
  ) {
    throw new Error(`${method} ${path} ${answer.status} has no Retry-After`);
  }
}

/** Also for the bodies of events. */
export function assertIsComponent(component: string, body: unknown): void {
  const validate = validatorOf(component);
  if (!validate(body)) throw new Error(`breaks ${component}: ${ajv.errorsText(validate.errors)}`);
}

function validatorOf(component: string): ValidateFunction {
  const validate = ajv.getSchema(`#/components/schemas/${component}`);
  if (!validate) throw new Error(`no component ${component}`);
  return validate;
}

/** Paths and methods that the document does not know fail with the common body. */
function componentOf(method: string, path: string, { status }: Answer): string {
  const operation = operations.find((each) => each.path === path && each.method === method.toLowerCase());
  if (!operation) return 'ErrorResponse';
  const response = document.paths[path]?.[operation.method]?.responses[String(status)];
  if (!response) throw new Error(`${operation.operationId} does not document ${status}`);
  return /#\/components\/schemas\/(\w+)/.exec(JSON.stringify(response.content))?.[1] ?? 'none';
}

/** The component as JSON Schema that also insists on every key, but where some are left out. */
function strictly(name: string, schema: Schema): object {
  const required = withOptionalKeys.has(name) ? schema['required'] : Object.keys(schema.properties ?? {});
  const { $schema: _, ...converted } = openapiSchemaToJsonSchema({ ...schema, required } as object) as Schema;
  const properties = Object.entries(converted.properties ?? {}).map(([key, property]) => [
    key,
    isNullableReference(schema.properties?.[key]) ? { anyOf: [property, { type: 'null' }] } : property,
  ]);
  return { ...converted, properties: Object.fromEntries(properties) };
}

/** What callers write themselves, details, which say only what they know, and events, each with its own field. */
const withOptionalKeys = new Set(['Turn', 'ToolCall', 'ToolResult', 'ErrorDetail', 'StreamEvent']);

/** The converter drops `nullable` beside `allOf`. */
function isNullableReference(property: Schema | undefined): boolean {
  return property?.['nullable'] === true && 'allOf' in property;
}

for (const [name, schema] of Object.entries(document.components.schemas)) {
  ajv.addSchema(strictly(name, schema), `#/components/schemas/${name}`);
}
