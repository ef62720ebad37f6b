import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { failureExamples } from '../../src/contract/openapi/examples/failures.js';
import { type Operation, operations } from '../../src/contract/openapi/operations.js';
import { type Service, startService } from '../../src/service/server.js';
import { breaches } from '../support/contract-check.js';
import { patience } from '../support/patience.js';
import { call } from '../support/test-service.js';

let service: Service;
beforeAll(async () => {
  service = await startService({ ...patience, PORT: 0, LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: 0 });
});
afterAll(() => service.close());

const posted = operations.flatMap((operation) =>
  Object.entries(operation.examples).map(([name, example]) => ({ name, operation, ...example })),
);
const bodies = posted.filter(({ operation }) => typeof operation.response !== 'string');

async function answerTo({ method, path }: Operation, body: unknown): Promise<unknown> {
  let answer = await call(service.url, method.toUpperCase(), path, { body });
  // On a busy machine, the service may answer 503 (rule: overload).
  while (answer.status === 503) answer = await call(service.url, method.toUpperCase(), path, { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('the examples of the OpenAPI document', () => {
  test.each(
    bodies.filter(({ operation }) => operation.method === 'post'),
  )('a newly started service answers the example $name of $operation.operationId as documented', async ({
    operation,
    request,
    answer,
  }) => {
    expect(comparable(await answerTo(operation, request))).toEqual(comparable(answer));
  });

  test('streamReactStep: the service streams the events of the example in its order', async () => {
    for (const { operation, request, answer } of posted.filter(
      ({ operation: { response } }) => response === 'stream',
    )) {
      expect(eventsOf(await answerTo(operation, request))).toEqual(eventsOf(answer));
    }
  });

  test('listModels, getVersion, getMetrics: the answer of the service contains the example', async () => {
    const examples = Object.fromEntries(
      posted.map(({ operation, answer }) => [operation.operationId, { operation, answer }]),
    );
    const { listModels, getVersion, getMetrics } = examples;
    if (!listModels || !getVersion || !getMetrics) throw new Error('an operation has no example');
    const { models, upstreams } = listModels.answer as Record<string, unknown[]>;
    expect(await answerTo(listModels.operation, undefined)).toEqual({
      models: expect.arrayContaining(models ?? []),
      upstreams: expect.arrayContaining(upstreams ?? []),
    });
    expect(await answerTo(getVersion.operation, undefined)).toEqual(getVersion.answer);
    const [help = 'none'] = String(getMetrics.answer).split('\n');
    expect(await answerTo(getMetrics.operation, undefined)).toContain(help);
  });

  test.each(bodies)('the example $name of $operation.operationId is valid in openapi.yaml', ({
    operation,
    request,
    answer,
  }) => {
    const { request: taken, response } = operation;
    if (typeof response === 'string') return;
    expect(breaches(nameOf(response), answer)).toBe('');
    if (taken) expect(breaches(nameOf(taken), request)).toBe('');
  });

  test.each(
    Object.entries(failureExamples),
  )('the example failure %s is valid in openapi.yaml', (_, example) => {
    expect(breaches('ErrorResponse', example)).toBe('');
  });
});

const nameOf = (schema: Exclude<Operation['response'], string>): string => String(schema.meta()?.['id']);

/** Replaces values that differ between requests, or that change with the wording of the prompt. */
function comparable(value: unknown): unknown {
  const volatile = new Set(['timestamp', 'request_id', 'system', 'prompt_sha256', 'stable_prompt_sha256']);
  return JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (volatile.has(key)) return key;
      return /token/.test(key) && typeof each === 'number' ? 0 : each;
    }),
  );
}

/** Reads the events of a stream. Joins adjacent deltas of one type: a text may be split in any way. */
function eventsOf(stream: unknown): unknown[] {
  const events: Event[] = [];
  for (const [, json] of String(stream).matchAll(/^data: (.*)$/gm)) {
    const event: Event = JSON.parse(json ?? 'null');
    const last = events.at(-1);
    if (last?.delta !== undefined && last.type === event.type) last.delta += event.delta;
    else events.push(event);
  }
  return events.map(comparable);
}

interface Event {
  readonly type: string;
  delta?: string;
}
