import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
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

/** Every object of the document with the path that leads to it. */
function nodes(value: Json, path = '#'): { path: string; node: JsonObject }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => nodes(each, `${path}/${index}`));
  if (!isObject(value)) return [];
  return [
    { path, node: value },
    ...Object.entries(value).flatMap(([key, each]) => nodes(each, `${path}/${key}`)),
  ];
}

const schemas = at('components', 'schemas');
const requestOnly = new Set([...referred(['StepRequest', 'CompactionRequest'])]);
const responseOnly = Object.keys(schemas).filter((name) => !requestOnly.has(name));

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

test('openapi.yaml is what the schemas say today (`npm run openapi` writes it)', () => {
  expect(readFileSync('openapi.yaml', 'utf8')).toBe(openapiYaml());
});

describe('rules that let generated clients compile', () => {
  test('the version is 3.0.3', () => {
    expect(document['openapi']).toBe('3.0.3');
  });

  test('no unions, constants, tuples, null types or closed objects', () => {
    const forbidden = ['oneOf', 'anyOf', 'not', 'const', 'discriminator', 'prefixItems', '$id', '$defs'];
    const found = nodes(document).filter(
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

  test('objects with properties are components, never written in place', () => {
    const inline = nodes(schemas, '#')
      .filter(({ path, node }) => path.split('/').length > 2 && isObject(node['properties']))
      .filter(({ path }) => !path.endsWith('/properties'));
    expect(inline.map(({ path }) => path)).toEqual([]);
  });

  test('every reference leads to a component', () => {
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

  test('integers have a format', () => {
    const bare = nodes(document).filter(({ node }) => node['type'] === 'integer' && !node['format']);
    expect(bare).toEqual([]);
  });

  test('answers have no closed enums, patterns or uuid formats, and insist on no nullable field', () => {
    for (const name of responseOnly) {
      for (const { node } of nodes(schemas[name] ?? null)) {
        expect(node).not.toHaveProperty('pattern');
        if (typeof node['type'] === 'string') {
          expect(node).not.toHaveProperty('enum');
          expect(node['format']).not.toBe('uuid');
        }
        const required = Array.isArray(node['required']) ? node['required'] : [];
        const properties = isObject(node['properties']) ? node['properties'] : {};
        const nullable = required.filter((key) => {
          const property = properties[String(key)];
          return isObject(property) && property['nullable'] === true;
        });
        expect(nullable).toEqual([]);
      }
    }
  });

  test('requests keep closed enums, and no uuid pattern', () => {
    expect(at('components', 'schemas', 'Turn', 'properties', 'role')['enum']).toEqual([
      'user',
      'assistant',
      'tool_observation',
    ]);
    expect(at('components', 'schemas', 'StepRequest', 'properties', 'session_id')).toEqual({
      type: 'string',
      format: 'uuid',
    });
  });

  test('a step promises only what every version can keep', () => {
    expect(at('components', 'schemas', 'Step')['required']).toEqual([
      'session_id',
      'status',
      'iterations_remaining',
    ]);
  });

  test('tool arguments are free', () => {
    expect(at('components', 'schemas', 'ActionDetails', 'properties', 'tool_args')).toMatchObject({
      type: 'object',
      additionalProperties: true,
    });
  });

  test('the events of a stream are one flat component of which only the type is certain (rule: stream-events)', () => {
    const { required, properties } = at('components', 'schemas', 'StreamEvent');
    expect(required).toEqual(['type']);
    expect(properties).toMatchObject({
      type: { description: expect.stringContaining('`step.completed`, `error`') },
      report: { nullable: true },
      delta: { type: 'string' },
      step: { allOf: [{ $ref: '#/components/schemas/Step' }] },
      error: { allOf: [{ $ref: '#/components/schemas/ErrorResponse' }] },
    });
  });

  test('the key is a write-only password', () => {
    expect(at('components', 'schemas', 'UserApiKeys', 'properties', 'llmKey')).toMatchObject({
      format: 'password',
      writeOnly: true,
    });
  });
});

describe('operations', () => {
  test('each has a unique lowerCamel id and one tag', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
  });

  test.each(
    operations,
  )('$operationId: one 2xx with one content type, failures share one body', (operation) => {
    const responses = at('paths', operation.path, operation.method, 'responses');
    const statuses = Object.keys(responses);
    expect(statuses.filter((status) => status.startsWith('2'))).toEqual(['200']);
    expect(statuses.every((status) => /^[245]\d\d$/.test(status))).toBe(true);
    for (const status of statuses) {
      const { content, headers } = at('paths', operation.path, operation.method, 'responses', status);
      expect(Object.keys(content ?? {})).toHaveLength(1);
      expect(headers).toHaveProperty(['X-Request-Id']);
      if (status === '200') continue;
      expect(content).toEqual({
        'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } },
      });
      if (status === '429' || status === '503') expect(headers).toHaveProperty(['Retry-After']);
    }
  });
});
