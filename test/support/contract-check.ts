import { Ajv, type ValidateFunction } from 'ajv';
import { type ErrorCode, errorCodes } from '../../src/contract/error-codes.js';
import { openapiDocument } from '../../src/contract/openapi/openapi.js';
import { referenceTo } from '../../src/contract/openapi/openapi-schemas.js';
import { type Operation, operations } from '../../src/contract/openapi/operations.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  /**
   * The body of the request. It may turn the extensions off, so that the response has fewer fields (rule:
   * source-fields).
   */
  readonly sent?: unknown;
}

type Schema = { [key: string]: unknown; properties?: Record<string, Schema> };

// Cast: the document is plain JSON; test/contract/openapi.test.ts asserts its shape.
const document = JSON.parse(JSON.stringify(openapiDocument())) as {
  components: { schemas: Record<string, Schema> };
};

/**
 * Asserts that a response matches openapi.yaml: its operation lists the error code, its body is valid, and the
 * body has every key of its component, because the service sends all of them, even if they are null.
 */
export function assertKeepsContract(method: string, path: string, answer: Answer): void {
  const operation = operations.find((each) => each.path === path && each.method === method.toLowerCase());
  const component = componentOf(operation, answer);
  const validate = validatorOf(component);
  if (!validate(answer.body)) {
    throw new Error(
      `${method} ${path} ${answer.status} breaks ${component}: ${complete.errorsText(validate.errors)}`,
    );
  }
  if (answer.status !== 200) assertIsDocumented(operation, answer);
  assertHasHeaders(`${method} ${path} ${answer.status}`, answer);
}

/** Asserts that a value, such as the body of an event, is valid and has every key of its component. */
export function assertIsComponent(component: string, body: unknown): void {
  const validate = validatorOf(component);
  if (!validate(body)) throw new Error(`breaks ${component}: ${complete.errorsText(validate.errors)}`);
}

/** Returns the errors that a strict validator finds when it knows only openapi.yaml; empty for a valid body. */
export function breaches(component: string, body: unknown): string {
  const validate = strict.getSchema(referenceOf(component));
  if (!validate) throw new Error(`no component ${component}`);
  return validate(body) ? '' : strict.errorsText(validate.errors);
}

/** Asserts that a failure has the status that its code requires, and that its operation lists the code. */
function assertIsDocumented(operation: Operation | undefined, { status, body }: Answer): void {
  // Cast: the validator has already checked the body.
  const { code } = (body as { error: { code: ErrorCode } }).error;
  if (errorCodes[code]?.status !== status)
    throw new Error(`the error code ${code} must not have the status ${status}`);
  if (operation && !operation.errors.includes(code)) {
    throw new Error(`${operation.operationId} does not document ${code}`);
  }
}

function assertHasHeaders(request: string, { status, headers }: Answer): void {
  if (!headers['x-request-id']) throw new Error(`${request} has no X-Request-Id`);
  if ((status === 429 || status === 503) && !/^\d+$/.test(headers['retry-after'] ?? '')) {
    throw new Error(`${request} has no Retry-After`);
  }
}

function validatorOf(component: string): ValidateFunction {
  const validate = complete.getSchema(referenceOf(component));
  if (!validate) throw new Error(`no component ${component}`);
  return validate;
}

/** Returns the component that describes a response. Unknown paths and methods get the common error body. */
function componentOf(operation: Operation | undefined, { status, sent }: Answer): string {
  if (operation?.operationId.endsWith('ReactStep') && declinesExtensions(sent)) return 'SourceStep';
  if (!operation || status !== 200) return 'ErrorResponse';
  const { response } = operation;
  if (typeof response === 'string') throw new Error(`${operation.operationId} does not answer JSON`);
  return referenceTo(response).$ref.slice(referenceOf('').length);
}

const declinesExtensions = (sent: unknown): boolean =>
  (sent as { include?: { extensions?: unknown } | null } | undefined)?.include?.extensions === false;

const referenceOf = (component: string): string => `#/components/schemas/${component}`;

/**
 * Makes all keys of a component required unless the component has optional keys, and forbids additional fields in
 * responses without extensions.
 */
function withAllKeys(name: string, schema: Schema): Schema {
  if (name.startsWith('Source')) {
    const required = Object.keys(schema.properties ?? {}).filter((key) => key !== 'error');
    return { ...schema, required, additionalProperties: false };
  }
  if (withOptionalKeys.has(name) || !schema.properties) return schema;
  return { ...schema, required: Object.keys(schema.properties) };
}

/**
 * Components with optional keys: parts of requests, error details, and `StreamEvent`, which has the fields of all kinds
 * of events.
 */
const withOptionalKeys = new Set(['Turn', 'ToolCall', 'ToolResult', 'ErrorDetail', 'StreamEvent']);

/** Creates a strict validator. A keyword without effect, such as `nullable` without a type, is an error for it. */
function validator(change: (name: string, schema: Schema) => Schema): Ajv {
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    formats: { int32, double: true, password: true, uuid },
  });
  for (const word of ['x-go-type', 'x-extensible-enum', 'x-event-data']) ajv.addKeyword(word);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(change(name, schema), referenceOf(name));
  }
  return ajv;
}

const int32 = { type: 'number', validate: (value: number) => (value | 0) === value } as const;
const uuid = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i;
const complete = validator(withAllKeys);
const strict = validator((_, schema) => schema);
