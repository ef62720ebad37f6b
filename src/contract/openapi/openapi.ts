import { stringify } from 'yaml';
import type { z } from 'zod';
import { type ErrorCode, errorCodes } from '../error-codes.js';
import { errorResponseSchema } from '../step.js';
import { flatStreamEventSchema } from '../stream.js';
import { failureExamples } from './examples/failures.js';
import { componentSchemas, referenceTo } from './openapi-schemas.js';
import { CONTRACT_VERSION, type Example, type Operation, operations } from './operations.js';

/**
 * The contract as an OpenAPI 3.0.3 document, made from the schemas that also check requests. It keeps to what client
 * generators read (docs/decisions/openapi.md).
 */
export function openapiDocument(): object {
  const requests = operations.flatMap(({ request }) => request ?? []);
  const responses = operations.flatMap(({ response }) => {
    if (response === 'stream') return flatStreamEventSchema;
    return response === 'text' ? [] : response;
  });
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
      schemas: componentSchemas({ requests, responses: [...responses, errorResponseSchema] }),
      examples: failureValues(),
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

function success({ response, summary, examples, links }: Operation): object {
  return {
    description: `${summary}.`,
    headers: { 'X-Request-Id': requestIdHeader },
    content: contentOf(
      response,
      valuesOf(examples, ({ answer }) => answer),
    ),
    ...(links && { links }),
  };
}

function contentOf(response: Operation['response'], examples: object): object {
  if (response === 'stream') return { 'text/event-stream': { schema: eventStream, examples } };
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
 * Ranges, and neither one response for each status nor `default`: these are what all generators read, and a status of a
 * newer service is none that is unknown (docs/decisions/openapi.md).
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
  const shown = codes.filter((code) => failureExamples[code]);
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
      Object.fromEntries(shown.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    ),
  };
}

/** A line for each code, in the order of their statuses. */
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
  'x-event-data': referenceTo(flatStreamEventSchema), // OpenAPI 3.0 has no word for the items of a stream
};

const description = `One HTTP call is one step of a ReAct agent: you keep the loop, the tools and the keys.

What the schemas of requests cannot say, and is 400 \`invalid_request\` all the same: no string holds the character NUL; no integer is beyond
2^53; nothing is nested deeper than 64 levels; \`reservedOutputTokens\` is less than \`tokenLimit\`; without a task in the history
\`user_query\` is not empty (\`no_task\`); \`protocol: native\` needs \`tools\` (\`tools_required\`); \`role\`, \`kind\` and \`phase\` of a turn are
of the values listed.

Answers may grow: a newer service may send more fields, and more values where \`x-extensible-enum\` lists those of today. Unknown
fields of a request are ignored and named in \`warnings\`; those of a turn are kept.`;

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
    description:
      'An id for logs and the answer: letters, digits, `_`, `.`, `-`, at most 128; any other is replaced by a new one.',
    schema: { type: 'string' },
    example: '8c79401a-37f0-4a20-b79c-a51d56c9457b',
  },
  ModelKey: {
    name: 'X-LLM-API-Key',
    in: 'header',
    required: false,
    description:
      "The caller's model key; wins over `user_api_keys.llmKey`. 8 to 512 printable ASCII characters without spaces, else 401 " +
      '`malformed_api_key`.',
    schema: { type: 'string', format: 'password' },
    example: 'an-example-and-no-key',
  },
};
