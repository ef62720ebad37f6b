import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Script } from '../../src/offline/fake-provider.js';
import { listen } from '../support/listen.js';
import { until } from '../support/until.js';
import { startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const trace = { traceparent, tracestate: 'vendor=1' };

const seenByContext: Record<string, unknown>[] = [];
const contextService = createServer((request, response) => {
  const { traceparent, tracestate, baggage } = request.headers;
  seenByContext.push({ traceparent, tracestate, baggage });
  response.statusCode = 404;
  response.end();
});

let service: WholeService;
beforeAll(async () => {
  const url = await listen(contextService);
  service = await startWholeService(undefined, { CONTEXT_SERVICE_URL: url });
});
afterAll(async () => {
  contextService.close();
  await service.close();
});
beforeEach(() => {
  seenByContext.length = 0;
});

const paths = [
  '/api/agent/react_step',
  '/api/agent/react_step/stream',
  '/api/agent/compact_history',
] as const;
const body = stepRequest({ explicit_context_paths: ['a.ts'] });
const long = 'A long story. '.repeat(2_000);
const compaction = {
  ...stepRequest(),
  conversation_history: Array.from({ length: 12 }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: long },
  ]).flat(),
  target_tokens: 100,
  strategy: 'summarize',
};

/** Returns the trace headers that the provider received with each request. */
async function headersAfter(
  path: string,
  headers: Record<string, string>,
  script: Script = { text: 'Final Answer: 42' },
) {
  service.fake.script(script);
  const before = service.fake.requests.length;
  const sent = path.endsWith('compact_history') ? compaction : body;
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(sent),
  });
  await response.text();
  return service.fake.requests.slice(before).map(({ headers: { traceparent, tracestate, baggage } }) => ({
    traceparent,
    tracestate,
    baggage,
  }));
}

describe.each(paths)('the trace of a caller of %s is passed on unchanged (rule: trace-context)', (path) => {
  test('the provider receives the trace with each attempt, and no baggage', async () => {
    const once = await headersAfter(path, { ...trace, baggage: 'user=canary' });
    expect(once).toEqual([{ ...trace, baggage: undefined }]);
    const twice = await headersAfter(path, trace, [{ fault: 'unavailable' }, { text: 'Final Answer: 42' }]);
    expect(twice).toEqual([trace, trace].map((each) => ({ ...each, baggage: undefined })));
  });

  test('a malformed trace is not passed on', async () => {
    const seen = await headersAfter(path, { traceparent: `${traceparent}-more`, tracestate: 'vendor=1' });
    expect(seen).toEqual([{}]);
    const list = await headersAfter(path, { traceparent, tracestate: 'no list' });
    expect(list).toEqual([{ traceparent }]);
  });

  test('for a request without a trace, no trace is sent to the provider', async () => {
    expect(await headersAfter(path, {})).toEqual([{}]);
  });
});

test('the context service receives the trace (rules: trace-context, context-service)', async () => {
  await headersAfter('/api/agent/react_step', { ...trace, baggage: 'user=canary' });
  expect(seenByContext).toEqual([trace]);
  await service.post('/api/agent/context_preview', body, trace);
  expect(seenByContext).toEqual([trace, trace]);
});

test('the log line of a request names its trace, even if the request was refused (rule: request-log)', async () => {
  const lineAfter = async (sent: unknown, headers: Record<string, string>) => {
    const before = service.log.length;
    await service.post('/api/agent/react_step', sent, headers);
    await until(() => service.log.length > before);
    return JSON.parse(service.log[before] ?? '');
  };
  expect(await lineAfter(body, trace)).toMatchObject({ trace_id: traceId, outcome: 'answer' });
  expect(await lineAfter({}, trace)).toMatchObject({ trace_id: traceId, outcome: 'invalid_request' });
  expect(await lineAfter(body, {})).not.toHaveProperty('trace_id');
});
