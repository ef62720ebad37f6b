import { stringify } from 'yaml';
import type { z } from 'zod';
import { type ErrorCode, errorCodes } from '../error-codes.js';
import { errorResponseSchema } from '../step.js';
import { flatStreamEventSchema } from '../stream.js';
import { failureExamples } from './examples/failures.js';
import { componentSchemas, referenceTo } from './openapi-schemas.js';
import { CONTRACT_VERSION, type Example, type Operation, operations } from './operations.js';

/**
 * Returns the contract as an OpenAPI 3.0.3 document, built from the schemas that also check requests. Uses only what client
 * generators can read (docs/decisions/openapi.md).
 */
export function openapiDocument(): object {
  const requests = operations.flatMap(({ request }) => request ?? []);
  const responses = operations.flatMap(({ response }) => {
    if (response === 'stream') return flatStreamEventSchema;
    return typeof response === 'string' ? [] : response;
  });
  const reduced = operations.flatMap(({ reducedResponse }) => reducedResponse ?? []);
  return {
    openapi: '3.0.3',
    info: {
      title: 'Stepwise',
      version: CONTRACT_VERSION,
      description,
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
      schemas: componentSchemas({
        requests,
        responses: [...responses, ...reduced, errorResponseSchema],
      }),
      examples: failureValues(),
      headers,
      parameters,
      securitySchemes,
    },
  };
}

/**
 * Returns the document as YAML: exactly the content of the file `openapi.yaml` and of the response to
 * `GET /openapi.yaml`.
 */
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
  const { operationId, tag, summary, description, request, examples, takesModelKey, errors } = operation;
  const names: (keyof typeof parameters)[] = takesModelKey ? ['RequestId', 'ModelKey'] : ['RequestId'];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(request && { requestBody: { required: true, content: json(request, requestsOf(examples)) } }),
    ...(errors.includes('unauthenticated') && { security: [{}, { ServiceToken: [] }] }),
    responses: { 200: success(operation), ...failures(errors) },
  };
}

function success({ response, reducedResponse, summary, examples, links }: Operation): object {
  return {
    description: `${summary}.`,
    headers: { 'X-Request-Id': requestIdHeader },
    ...(reducedResponse && { 'x-reduced-schema': referenceTo(reducedResponse) }),
    content: contentOf(
      response,
      valuesOf(examples, ({ answer }) => answer),
    ),
    ...(links && { links }),
  };
}

function contentOf(response: Operation['response'], examples: object): object {
  if (response === 'stream') return { 'text/event-stream': { schema: eventStream, examples } };
  if (response === 'watch') return { 'text/event-stream': { schema: watchStream, examples } };
  if (response === 'text') return { 'text/plain': { schema: { type: 'string' }, examples } };
  return json(response, examples);
}

const requestsOf = (examples: Operation['examples']): object => valuesOf(examples, ({ request }) => request);

function valuesOf(examples: Operation['examples'], read: (example: Example) => unknown): object {
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [
      name,
      { summary: example.summary, value: read(example) },
    ]),
  );
}

/**
 * Describes failures by the ranges `4XX` and `5XX` instead of single statuses or `default`. All generators can
 * read ranges, and ranges include statuses that a newer service may add (docs/decisions/openapi.md).
 */
function failures(codes: readonly ErrorCode[]): Record<string, object> {
  const ranges = [...new Set(codes.map(rangeOf))].sort();
  return Object.fromEntries(
    ranges.map((range) => [range, failure(codes.filter((code) => rangeOf(code) === range))]),
  );
}

const rangeOf = (code: ErrorCode): string => `${String(errorCodes[code].status).slice(0, 1)}XX`;

function failure(codes: readonly ErrorCode[]): object {
  const statuses = codes.map((code) => errorCodes[code].status);
  const withExample = codes.filter((code) => failureExamples[code]);
  return {
    description: listed(codes),
    headers: {
      'X-Request-Id': requestIdHeader,
      ...(codes.includes('unauthenticated') && {
        'WWW-Authenticate': { $ref: '#/components/headers/Challenge' },
      }),
      ...((statuses.includes(429) || statuses.includes(503)) && {
        'Retry-After': { $ref: '#/components/headers/RetryAfter' },
      }),
    },
    content: json(
      errorResponseSchema,
      Object.fromEntries(withExample.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    ),
  };
}

/** Lists the error codes, one per line, in the order of their statuses. */
function listed(codes: readonly ErrorCode[]): string {
  return [...codes]
    .sort((one, other) => errorCodes[one].status - errorCodes[other].status)
    .map((code) => `- ${errorCodes[code].status} \`${code}\`: ${errorCodes[code].message}`)
    .join('\n');
}

function failureValues(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(failureExamples).map(([code, value]) => [code, { summary: value.error.message, value }]),
  );
}

const json = (schema: z.ZodType, examples: object) => ({
  'application/json': { schema: referenceTo(schema), examples },
});

const eventStream = {
  type: 'string',
  description: 'Server-sent events; the `data` of each is the JSON of a `StreamEvent`.',
  'x-event-data': referenceTo(flatStreamEventSchema), // OpenAPI 3.0 cannot describe the items of a stream
};

const watchStream = {
  type: 'string',
  description: 'Server-sent events; docs/reference/service.md describes the `data` of each.',
};

const description = `One HTTP call is one step of a ReAct agent: you keep the loop, the tools and the keys.

Rules that the schemas of requests cannot express; a request that breaks one is answered with 400 \`invalid_request\`: no string contains the
character NUL; no integer is beyond 2^53; nothing is nested deeper than 64 levels; \`reservedOutputTokens\` is less than \`tokenLimit\`;
\`user_query\` is not blank unless the history has a task (\`no_task\`); \`protocol: native\` needs \`tools\` (\`tools_required\`);
no tool is named \`find_tools\` if a tool is deferred (\`reserved_name\`);
\`protocol: native\` and \`phase\` need \`include.extensions\` (\`extensions_required\`); \`role\`, \`kind\` and \`phase\` of a turn
have one of the listed values.

A newer service may add fields to its answers, and values to the lists in \`x-extensible-enum\`. The service ignores unknown fields of a
request and names them in \`warnings\`; it keeps unknown fields of a turn.`;

const requestIdHeader = { $ref: '#/components/headers/RequestId' };

const headers = {
  RequestId: {
    description: 'The id of this request: the one that the caller sent, or a new one.',
    schema: { type: 'string' },
  },
  Challenge: {
    description: 'Sent with `unauthenticated`: the request needs a bearer token (RFC 6750).',
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
    description: 'A token of this service, if its operator requires one. It is not the key of the model.',
  },
};

const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'An id for logs and the answer: at most 128 letters, digits, `_`, `.` and `-`. The service replaces any other id by a new one.',
    schema: { type: 'string' },
    example: '8c79401a-37f0-4a20-b79c-a51d56c9457b',
  },
  ModelKey: {
    name: 'X-LLM-API-Key',
    in: 'header',
    required: false,
    description:
      "The caller's API key for the model; wins over `user_api_keys.llmKey`. 8 to 8192 printable ASCII characters without spaces, else 401 " +
      '`malformed_api_key`.',
    schema: { type: 'string', format: 'password' },
    example: 'an-example-and-no-key',
  },
};
