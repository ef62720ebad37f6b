import { stringify } from 'yaml';
import type { z } from 'zod';
import { type ErrorCode, errorCodes } from '../error-codes.js';
import { errorResponseSchema } from '../step.js';
import { flatStreamEventSchema } from '../stream.js';
import { componentSchemas, referenceTo } from './openapi-schemas.js';
import { type Operation, operations } from './operations.js';

/** Version of the contract; the service that answers it says its own at `/version`. */
const CONTRACT_VERSION = '1.0.0';

/**
 * The contract as an OpenAPI 3.0.3 document, made from the schemas that also check requests. It keeps to what
 * client generators read (no unions, no inline objects, no closed enums in answers): 3.1 breaks most of them.
 */
export function openapiDocument(): object {
  const requests = operations.flatMap(({ request }) => request ?? []);
  const responses = operations.flatMap(({ response }) => {
    if (response === 'stream') return flatStreamEventSchema;
    return 'text' in response ? [] : response;
  });
  return {
    openapi: '3.0.3',
    info: {
      title: 'Stepwise',
      version: CONTRACT_VERSION,
      description: 'One HTTP call is one step of a ReAct agent: you keep the loop, the tools and the keys.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: [
      { name: 'agent', description: 'Steps of an agent.' },
      { name: 'service', description: 'The state of the service.' },
    ],
    paths: paths(),
    components: {
      schemas: componentSchemas({ requests, responses: [...responses, errorResponseSchema] }),
      headers,
      parameters,
      securitySchemes,
    },
  };
}

/** The document as YAML: what `openapi.yaml` holds and `/openapi.yaml` answers, byte for byte. */
export function openapiYaml(): string {
  return stringify(openapiDocument(), { lineWidth: 110, aliasDuplicateObjects: false });
}

function paths(): Record<string, Record<string, object>> {
  const all: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    all[operation.path] = { ...all[operation.path], [operation.method]: operationObject(operation) };
  }
  return all;
}

function operationObject(operation: Operation): object {
  const { operationId, tag, summary, description, request, example, takesModelKey } = operation;
  const names: (keyof typeof parameters)[] = takesModelKey ? ['RequestId', 'ModelKey'] : ['RequestId'];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(request && { requestBody: { required: true, content: json(request, example) } }),
    ...(operation.errors.includes('unauthenticated') && { security: [{}, { ServiceToken: [] }] }),
    responses: { 200: success(operation), ...failures(operation.errors) },
  };
}

function success({ response, summary }: Operation): object {
  return {
    description: `${summary}.`,
    headers: { 'X-Request-Id': requestIdHeader },
    content: contentOf(response),
  };
}

function contentOf(response: Operation['response']): object {
  if (response === 'stream') return eventStream;
  if (!('text' in response)) return json(response);
  return { 'text/plain': { schema: { type: 'string' }, example: response.text } };
}

/** One response for each status, with the codes it may carry. */
function failures(codes: readonly ErrorCode[]): Record<number, object> {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))].sort();
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      failure(
        status,
        codes.filter((code) => errorCodes[code].status === status),
      ),
    ]),
  );
}

function failure(status: number, codes: readonly ErrorCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].message}`).join(' '),
    headers: {
      'X-Request-Id': requestIdHeader,
      ...(codes.includes('unauthenticated') && {
        'WWW-Authenticate': { $ref: '#/components/headers/Challenge' },
      }),
      ...((status === 429 || status === 503) && {
        'Retry-After': { $ref: '#/components/headers/RetryAfter' },
      }),
    },
    content: json(errorResponseSchema),
  };
}

const json = (schema: z.ZodType, example?: unknown) => ({
  'application/json': { schema: referenceTo(schema), ...(example !== undefined && { example }) },
});

const eventStream = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description: 'Server-sent events; the `data` of each is the JSON of a `StreamEvent`.',
      'x-event-data': referenceTo(flatStreamEventSchema), // OpenAPI 3.0 has no word for the items of a stream
    },
  },
};

const requestIdHeader = { $ref: '#/components/headers/RequestId' };

const headers = {
  RequestId: {
    description: 'The id of this request: the one sent, or a new one.',
    schema: { type: 'string' },
  },
  Challenge: {
    description: 'With `unauthenticated`: that a bearer token is wanted (RFC 6750).',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Whole seconds to wait before the next attempt.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
  },
};

const securitySchemes = {
  ServiceToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of this service, where its operator asks for one; the model key is another thing.',
  },
};

const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'An id for logs and the answer: letters, digits, `_`, `.`, `-`, at most 128.',
    schema: { type: 'string' },
  },
  ModelKey: {
    name: 'X-LLM-API-Key',
    in: 'header',
    required: false,
    description: "The caller's model key; wins over `user_api_keys.llmKey`.",
    schema: { type: 'string', format: 'password' },
  },
};
