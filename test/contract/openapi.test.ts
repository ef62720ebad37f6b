import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { errorCodes } from '../../src/contract/error-codes.js';
import { openapiDocument, openapiYaml } from '../../src/contract/openapi/openapi.js';
import { operations } from '../../src/contract/openapi/operations.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const document: JsonObject = JSON.parse(JSON.stringify(openapiDocument()));
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function at(...path: string[]): JsonObject {
  let value: Json | undefined = document;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  if (!isObject(value)) throw new Error(`no object at ${path.join('/')}`);
  return value;
}

function nodes(value: Json, path = '#'): { path: string; node: JsonObject }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => nodes(each, `${path}/${index}`));
  if (!isObject(value)) return [];
  return [
    { path, node: value },
    ...Object.entries(value).flatMap(([key, each]) => nodes(each, `${path}/${key}`)),
  ];
}

const schemas = at('components', 'schemas');
const inRequests = referred(['StepRequest', 'CompactionRequest']);
const inAnswers = referred(['Step', 'ErrorResponse', 'StreamEvent', 'Preview', 'Compaction', 'ModelList']);
const answersOnly = Object.keys(schemas).filter((name) => !inRequests.has(name));

function referred(names: string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const targets = nodes(schemas[name] ?? null).flatMap(({ node }) =>
      typeof node['$ref'] === 'string' ? [node['$ref'].split('/').at(-1) ?? ''] : [],
    );
    referred(targets, found);
  }
  return found;
}

test('openapi.yaml matches the schemas (`npm run openapi` rewrites it)', () => {
  expect(readFileSync('openapi.yaml', 'utf8')).toBe(openapiYaml());
});

describe('openapi.yaml for client generators (docs/decisions/openapi.md)', () => {
  test('openapi.yaml has the OpenAPI version 3.0.3', () => {
    expect(document['openapi']).toBe('3.0.3');
  });

  test('openapi.yaml has no unions, constants, tuples, null types or closed objects', () => {
    const forbidden = [
      'oneOf',
      'allOf',
      'not',
      'const',
      'discriminator',
      'prefixItems',
      '$id',
      '$defs',
      'writeOnly',
    ];
    const found = nodes(schemas).filter(
      ({ node }) =>
        forbidden.some((key) => key in node) ||
        node['type'] === 'null' ||
        Array.isArray(node['type']) ||
        node['additionalProperties'] === false ||
        'exclusiveMinimum' in node ||
        'default' in node,
    );
    expect(found).toEqual([]);
  });

  test('every object with properties in openapi.yaml is a component, never inline', () => {
    const inline = nodes(schemas, '#')
      .filter(({ path, node }) => path.split('/').length > 2 && isObject(node['properties']))
      .filter(({ path }) => !path.endsWith('/properties'));
    expect(inline.map(({ path }) => path)).toEqual([]);
  });

  test('every reference in openapi.yaml has a target', () => {
    const broken = nodes(document)
      .flatMap(({ node }) => (typeof node['$ref'] === 'string' ? [node['$ref']] : []))
      .filter((reference) => {
        const [, ...path] = reference.split('/');
        return (
          path.reduce<Json | undefined>(
            (value, key) => (isObject(value) ? value[key] : undefined),
            document,
          ) === undefined
        );
      });
    expect(broken).toEqual([]);
  });

  test('every anyOf in openapi.yaml is a component or null, with the type of the component', () => {
    for (const { node, path } of nodes(schemas).filter(({ node }) => 'anyOf' in node)) {
      const { type, nullable, anyOf, 'x-go-type': name } = node;
      const target = String(name);
      const choice = [{ $ref: `#/components/schemas/${target}` }, { enum: [null] }];
      const expected = { type: at('components', 'schemas', target)['type'], nullable: true, anyOf: choice };
      expect({ path, type, nullable, anyOf }).toEqual({ path, ...expected });
    }
  });

  test('every nullable schema in openapi.yaml has a type and no enum of its own', () => {
    const nullable = nodes(schemas).filter(({ node }) => node['nullable'] === true);
    expect(nullable.filter(({ node }) => typeof node['type'] !== 'string' || 'enum' in node)).toEqual([]);
  });

  test('no component of openapi.yaml has the name of a built-in type of a language', () => {
    const taken = ['Error', 'Include', 'Model', 'Selection', 'Task', 'Version', 'Warning'];
    expect(Object.keys(schemas).filter((name) => taken.includes(name))).toEqual([]);
  });

  test('every integer in openapi.yaml has a format', () => {
    const bare = nodes(document).filter(({ node }) => node['type'] === 'integer' && !node['format']);
    expect(bare).toEqual([]);
  });

  test('responses in openapi.yaml have open enums, no patterns and no required nullable fields', () => {
    const closed = [...inAnswers]
      .flatMap((name) => nodes(schemas[name] ?? null, name))
      .filter(({ node }) => typeof node['type'] === 'string' && 'enum' in node);
    expect(closed).toEqual([]);
    for (const { node } of answersOnly.flatMap((name) => nodes(schemas[name] ?? null))) {
      expect(node).not.toHaveProperty('pattern');
      expect(node['format']).not.toBe('uuid');
      const required = Array.isArray(node['required']) ? node['required'] : [];
      const properties = isObject(node['properties']) ? node['properties'] : {};
      const nullable = required.filter((key) => {
        const property = properties[String(key)];
        return isObject(property) && property['nullable'] === true;
      });
      expect(nullable).toEqual([]);
    }
  });

  test('an open enum lists its current values in its description and in x-extensible-enum', () => {
    const { description, 'x-extensible-enum': values } = at(
      'components',
      'schemas',
      'Turn',
      'properties',
      'role',
    );
    expect(values).toEqual(['user', 'assistant', 'tool_observation']);
    expect(description).toBe(
      'Author of the turn. One of: `user`, `assistant`, `tool_observation`; a newer service may send more.',
    );
  });

  test('requests in openapi.yaml have closed enums, and UUIDs without a pattern', () => {
    expect(at('components', 'schemas', 'Protocol')['enum']).toEqual([
      'text',
      'xml',
      'json',
      'native',
      'auto',
    ]);
    expect(at('components', 'schemas', 'StepRequest', 'properties', 'session_id')).toEqual({
      type: 'string',
      format: 'uuid',
      description: 'UUID of the session, for logs.',
    });
  });

  test('Step in openapi.yaml requires session_id, status and iterations_remaining only', () => {
    expect(at('components', 'schemas', 'Step')['required']).toEqual([
      'session_id',
      'status',
      'iterations_remaining',
    ]);
  });

  test('tool_args in openapi.yaml may have any properties', () => {
    expect(at('components', 'schemas', 'ActionDetails', 'properties', 'tool_args')).toMatchObject({
      type: 'object',
      additionalProperties: true,
    });
  });

  test('StreamEvent in openapi.yaml is one flat component that requires only its type (rule: stream-events)', () => {
    const { required, properties } = at('components', 'schemas', 'StreamEvent');
    expect(required).toEqual(['type']);
    expect(properties).toMatchObject({
      type: { 'x-extensible-enum': expect.arrayContaining(['step.completed', 'error']) },
      report: { nullable: true },
      delta: { type: 'string' },
      step: { $ref: '#/components/schemas/Step' },
      error: { $ref: '#/components/schemas/ErrorResponse' },
    });
  });

  test('llmKey in openapi.yaml has no pattern, because a failed check would print the key', () => {
    const { format, description, ...more } = at(
      'components',
      'schemas',
      'UserApiKeys',
      'properties',
      'llmKey',
    );
    expect({ format, more }).toEqual({ format: 'password', more: { type: 'string', nullable: true } });
    expect(description).toContain('8 to 8192 printable ASCII characters');
  });

  test('every component and operation in openapi.yaml has a description, and every body an example', () => {
    expect(Object.keys(schemas).filter((name) => !at('components', 'schemas', name)['description'])).toEqual(
      [],
    );
    for (const { path, node } of nodes(at('paths')).filter(({ node }) => isObject(node['content']))) {
      for (const media of Object.values(isObject(node['content']) ? node['content'] : {})) {
        expect({ path, media }).toMatchObject({ media: { examples: expect.anything() } });
      }
    }
    expect(operations.filter(({ description }) => description.length < 80)).toEqual([]);
  });

  test('openapi.yaml has the version of the package (rule: one-version)', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(at('info')['version']).toBe(version);
  });
});

describe('operations of openapi.yaml', () => {
  test('every operation has a unique lowerCamelCase id', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
  });

  test.each(
    operations,
  )('the operation $operationId has one success with one content type, and one body for all failures', (operation) => {
    const responses = at('paths', operation.path, operation.method, 'responses');
    expect(Object.keys(responses).filter((status) => !['200', '4XX', '5XX'].includes(status))).toEqual([]);
    for (const [range, response] of Object.entries(responses)) {
      const { content, headers } = isObject(response) ? response : {};
      expect(Object.keys(content ?? {})).toHaveLength(1);
      expect(headers).toHaveProperty(['X-Request-Id']);
      if (range === '200') continue;
      expect(content).toMatchObject({
        'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } },
      });
    }
  });

  test.each(
    operations,
  )('the operation $operationId lists each of its error codes with its status', (operation) => {
    for (const code of operation.errors) {
      const { status } = errorCodes[code];
      const range = at(
        'paths',
        operation.path,
        operation.method,
        'responses',
        `${Math.floor(status / 100)}XX`,
      );
      expect(range['description']).toContain(`- ${status} \`${code}\`: `);
      if (status === 429 || status === 503) expect(range['headers']).toHaveProperty(['Retry-After']);
    }
  });
});
