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
  // A busy machine may be told to wait (rule: overload).
  while (answer.status === 503) answer = await call(service.url, method.toUpperCase(), path, { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('the examples of the document', () => {
  test.each(
    bodies.filter(({ operation }) => operation.method === 'post'),
  )('$operation.operationId: a service that was just started answers $name as told', async ({
    operation,
    request,
    answer,
  }) => {
    expect(comparable(await answerTo(operation, request))).toEqual(comparable(answer));
  });

  test('streamReactStep: the events come in the order of the example, with what it says', async () => {
    for (const { operation, request, answer } of posted.filter(
      ({ operation: { response } }) => response === 'stream',
    )) {
      expect(eventsOf(await answerTo(operation, request))).toEqual(eventsOf(answer));
    }
  });

  test('listModels, getVersion, getMetrics: what the example says is among the answer', async () => {
    const told = Object.fromEntries(
      posted.map(({ operation, answer }) => [operation.operationId, { operation, answer }]),
    );
    const { listModels, getVersion, getMetrics } = told;
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

  test.each(bodies)('$operation.operationId $name keeps the document', ({ operation, request, answer }) => {
    const { request: taken, response } = operation;
    if (typeof response === 'string') return;
    expect(breaches(nameOf(response), answer)).toBe('');
    if (taken) expect(breaches(nameOf(taken), request)).toBe('');
  });

  test.each(Object.entries(failureExamples))('%s keeps the document', (_, example) => {
    expect(breaches('ErrorResponse', example)).toBe('');
  });
});

const nameOf = (schema: Exclude<Operation['response'], string>): string => String(schema.meta()?.['id']);

/** Without what differs from request to request, or with the words of the instructions. */
function comparable(value: unknown): unknown {
  const volatile = new Set(['timestamp', 'request_id', 'system', 'prompt_sha256', 'stable_prompt_sha256']);
  return JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (volatile.has(key)) return key;
      return /token/.test(key) && typeof each === 'number' ? 0 : each;
    }),
  );
}

/** The events of a stream. Adjacent deltas of one type are joined: a text may arrive in any number of them. */
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
