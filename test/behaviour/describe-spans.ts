import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Script } from '../../src/offline/fake-provider.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import { type Collector, startCollector } from '../support/collector.js';
import { listen } from '../support/listen.js';
import { type ReceivedSpan, type SpanReceiver, startSpanReceiver, treeOf } from '../support/span-receiver.js';
import { until } from '../support/until.js';
import { startWholeService, stepRequest, uuid, type WholeService } from '../support/whole-service.js';

const callerSpan = 'b7ad6b7169203331';
let made = 0;
const newTrace = () => (++made).toString(16).padStart(32, 'a');
const parentOf = (header: string | undefined) => header?.split('-')[2];

/** The `traceparent` headers that the context service below received. The service answers every request with 404. */
const contextCallers: (string | undefined)[] = [];
const contextService = createServer(({ headers }, response) => {
  contextCallers.push(headers['traceparent'] as string | undefined); // cast: the header occurs once
  response.statusCode = 404;
  response.end();
});

const prompt = ['  read_situation', '  gather_context', '  fit_to_budget', '  render_prompt'];
const conclusion = ['  read_reply', '  conclude'];
const answer = { text: 'Thought: I know.\nFinal Answer: 42' };

/**
 * Declares the tests of the spans of a step. The spans arrive at a receiver as JSON: directly, or through a
 * collector, to which the service sends them as protocol buffers.
 */
export function describeSpans(to: 'a receiver of JSON' | 'a real collector'): void {
  let receiver: SpanReceiver;
  let collector: Collector | undefined;
  let service: WholeService;
  beforeAll(async () => {
    receiver = await startSpanReceiver();
    collector = to === 'a real collector' ? await startCollector(receiver.url) : undefined;
    const CONTEXT_SERVICE_URL = await listen(contextService);
    service = await startWholeService(answer, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector?.url ?? receiver.url,
      ...(!collector && { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }),
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=trial%20run',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      CONTEXT_SERVICE_URL,
    });
  });
  afterAll(async () => {
    await service.close();
    await collector?.stop();
    await receiver.close();
    await new Promise((resolve) => contextService.close(resolve));
  });

  interface Traced {
    readonly spans: ReceivedSpan[];
    readonly tree: string[];
    readonly parents: (string | undefined)[];
    span(name: string): ReceivedSpan;
  }

  /** Makes one request and returns its spans, with the parent span ids that its provider requests carried. */
  async function traceOf(path: string, body: unknown, script: Script = answer): Promise<Traced> {
    service.fake.script(script);
    const before = service.fake.requests.length;
    const traceId = newTrace();
    const traceparent = `00-${traceId}-${callerSpan}-01`;
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent, tracestate: 'vendor=1' },
      body: JSON.stringify(body),
    });
    await response.text();
    const spans = await receiver.trace(traceId);
    const sent = service.fake.requests.slice(before).map(({ headers }) => headers);
    expect(sent.map(({ tracestate }) => tracestate)).toEqual(sent.map(() => 'vendor=1'));
    return {
      spans,
      tree: treeOf(spans),
      parents: sent.map(({ traceparent }) => parentOf(traceparent)),
      span(name) {
        const found = spans.find((span) => span.name === name);
        if (!found) throw new Error(`no span ${name}`);
        return found;
      },
    };
  }

  test('a plain step has spans for its stages, the model call and the HTTP request, each below its parent', async () => {
    const { tree, spans, span, parents } = await traceOf('/api/agent/react_step', stepRequest());
    expect(tree).toEqual([
      'POST /api/agent/react_step',
      ...prompt,
      '  chat gpt-4o',
      '    POST',
      ...conclusion,
    ]);
    const server = span('POST /api/agent/react_step');
    expect(server).toMatchObject({ kind: 2, parentSpanId: callerSpan });
    expect(server.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/agent/react_step',
      'url.path': '/api/agent/react_step',
      'url.scheme': 'http',
      'http.response.status_code': 200,
      'stepwise.outcome': 'answer',
      'stepwise.request_id': expect.stringMatching(/^[\da-f-]{36}$/),
      'gen_ai.conversation.id': uuid,
    });
    expect(span('chat gpt-4o').kind).toBe(3);
    expect(span('chat gpt-4o').attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.request.max_tokens': 1_000,
      'gen_ai.conversation.id': uuid,
      'gen_ai.response.model': 'gpt-4o',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.usage.cache_creation.input_tokens': 0,
      'gen_ai.usage.reasoning.output_tokens': 0,
    });
    expect(span('POST').kind).toBe(3);
    expect(span('POST').attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(service.fake.url).port),
      'http.response.status_code': 200,
    });
    expect(parents).toEqual([span('POST').spanId]);
    expect(spans.map(({ status }) => status.code ?? 0)).toEqual(spans.map(() => 0));
    for (const { startTimeUnixNano, endTimeUnixNano, resource } of spans) {
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
      expect(resource).toMatchObject({
        'service.name': 'stepwise',
        'service.version': '0.1.0',
        'deployment.environment.name': 'trial run',
        'telemetry.sdk.language': 'nodejs',
      });
    }
  });

  test('the model call of a streamed step has attributes for streaming and for the time to the first chunk', async () => {
    const { tree, span } = await traceOf('/api/agent/react_step/stream', stepRequest());
    expect(tree).toEqual([
      'POST /api/agent/react_step/stream',
      ...prompt,
      '  chat gpt-4o',
      '    POST',
      ...conclusion,
    ]);
    expect(span('chat gpt-4o').attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.response.finish_reasons': ['stop'],
    });
  });

  test('the spans of a step with a native call by Anthropic have its provider name, the finish reason `tool` and the outcome `action`', async () => {
    const body = stepRequest({
      protocol: 'native',
      tools: [{ name: 'read_file', inputSchema: { type: 'object', properties: {} } }],
      llm_config: {
        modelName: 'claude-sonnet-4-6',
        provider: 'anthropic',
        tokenLimit: 16_000,
        reservedOutputTokens: 1_000,
      },
    });
    const script = {
      text: 'I look.',
      toolCalls: [{ name: 'read_file', arguments: {} }],
      finishReason: 'tool',
    };
    const { span } = await traceOf('/api/agent/react_step', body, script);
    expect(span('chat claude-sonnet-4-6').attributes).toMatchObject({
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.response.finish_reasons': ['tool'],
    });
    expect(span('POST /api/agent/react_step').attributes).toMatchObject({ 'stepwise.outcome': 'action' });
  });

  test('each request to the provider has its own span below the model call (rule: second-request)', async () => {
    const script = [{ fault: 'unavailable' as const }, answer];
    const { tree, spans, parents } = await traceOf('/api/agent/react_step', stepRequest(), script);
    expect(tree.slice(5, 8)).toEqual(['  chat gpt-4o', '    POST', '    POST']);
    const [first, second] = spans.filter(({ name }) => name === 'POST');
    expect(parents).toEqual([first?.spanId, second?.spanId]);
    expect(first).toMatchObject({
      status: { code: 2 },
      attributes: { 'http.response.status_code': 503, 'error.type': '503' },
    });
    expect(first?.attributes).not.toHaveProperty('http.request.resend_count');
    expect(second?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'http.request.resend_count': 1,
    });
    expect(second?.status.code ?? 0).toBe(0);
  });

  test.each([
    ['/api/agent/react_step', 'server-error', 'failed', 502, 'upstream_error'],
    ['/api/agent/react_step', 'html', 'invalid_response', 502, 'upstream_invalid_response'],
    ['/api/agent/react_step/stream', 'empty-choices', 'invalid_response', 200, 'upstream_invalid_response'],
  ] as const)('the spans of %s that fails with %s contain only codes, no messages', async (path, fault, failure, status, code) => {
    const { tree, span } = await traceOf(path, stepRequest(), { fault });
    const before = [`POST ${path}`, ...prompt];
    expect(tree.slice(0, before.length + 2)).toEqual([...before, '  chat gpt-4o', '    POST']);
    expect(span('chat gpt-4o')).toMatchObject({ attributes: { 'error.type': failure }, status: { code: 2 } });
    expect(span(`POST ${path}`)).toMatchObject({
      attributes: { 'http.response.status_code': status, 'error.type': code, 'stepwise.outcome': code },
      status: { code: 2 },
    });
    expect(span('chat gpt-4o').status.message ?? '').toBe('');
  });

  test('a rejected provider key gives the server span the status code 401 but no error status', async () => {
    const { span } = await traceOf('/api/agent/react_step', stepRequest(), { fault: 'unauthorized' });
    expect(span('POST').attributes).toMatchObject({ 'http.response.status_code': 401, 'error.type': '401' });
    expect(span('chat gpt-4o').attributes).toMatchObject({ 'error.type': 'authentication' });
    const server = span('POST /api/agent/react_step');
    expect(server.attributes).toMatchObject({
      'http.response.status_code': 401,
      'stepwise.outcome': 'upstream_authentication_failed',
    });
    expect(server.status.code ?? 0).toBe(0);
  });

  test('an invalid request gives the server span the status code 400 but no error status', async () => {
    const { tree, span } = await traceOf('/api/agent/react_step', { canary: true });
    expect(tree).toEqual(['POST /api/agent/react_step']);
    expect(span('POST /api/agent/react_step')).toMatchObject({
      attributes: { 'http.response.status_code': 400, 'stepwise.outcome': 'invalid_request' },
    });
    expect(span('POST /api/agent/react_step').status.code ?? 0).toBe(0);
  });

  test('in the trace of a refused step, the span of the stage that refused it is the last one and has an error status', async () => {
    const body = stepRequest({ user_query: '', conversation_history: [] });
    const { tree, span } = await traceOf('/api/agent/react_step', body);
    expect(tree).toEqual(['POST /api/agent/react_step', '  read_situation']);
    expect(span('read_situation')).toMatchObject({
      attributes: { 'error.type': 'invalid_request' },
      status: { code: 2 },
    });
  });

  test('a preview has no span of a model call; its request to the context service belongs to gather_context', async () => {
    contextCallers.length = 0;
    const body = stepRequest({ explicit_context_paths: ['a.ts'] });
    const { tree, span } = await traceOf('/api/agent/context_preview', body);
    expect(tree).toEqual(['POST /api/agent/context_preview', ...prompt]);
    expect(contextCallers.map(parentOf)).toEqual([span('gather_context').spanId]);
  });

  test('a compaction of the history has one model call with one HTTP request', async () => {
    const body = {
      ...stepRequest(),
      conversation_history: Array.from({ length: 12 }, (_, index) => [
        { role: 'user', content: `Question ${index}` },
        { role: 'assistant', content: 'A long story. '.repeat(2_000) },
      ]).flat(),
      target_tokens: 100,
      strategy: 'summarize',
    };
    const { tree, span, parents } = await traceOf('/api/agent/compact_history', body);
    expect(tree).toEqual(['POST /api/agent/compact_history', '  chat gpt-4o', '    POST']);
    expect(parents).toEqual([span('POST').spanId]);
  });

  test('an unsampled trace is passed on to the provider, and its spans are not exported', async () => {
    const traceId = newTrace();
    const before = service.fake.requests.length;
    service.fake.script(answer);
    await service.post('/api/agent/react_step', stepRequest(), {
      traceparent: `00-${traceId}-${callerSpan}-00`,
    });
    expect(service.fake.requests[before]?.headers['traceparent']).toMatch(
      new RegExp(`^00-${traceId}-(?!${callerSpan})[\\da-f]{16}-00$`),
    );
    await traceOf('/api/agent/react_step', stepRequest());
    expect(receiver.spans().filter((span) => span.traceId === traceId)).toEqual([]);
  });

  test('the steps of a client and their requests to the provider belong to the trace of the client', async () => {
    service.fake.script(answer);
    const traceId = newTrace();
    const before = service.fake.requests.length;
    const headers = () => ({ traceparent: `00-${traceId}-${callerSpan}-01` });
    const client = new StepwiseClient({ baseUrl: service.url, headers });
    for (let made = 0; made < 2; made += 1) await client.step(stepRequest());
    const spans = await until(
      () => receiver.trace(traceId),
      ({ length }) => length >= 18,
    );
    const ids = spans.filter(({ name }) => name === 'POST').map(({ spanId }) => spanId);
    expect(spans.filter(({ kind }) => kind === 2).map(({ parentSpanId }) => parentSpanId)).toEqual([
      callerSpan,
      callerSpan,
    ]);
    expect(service.fake.requests.slice(before).map((each) => each.headers['traceparent'])).toEqual(
      ids.map((id) => `00-${traceId}-${id}-01`),
    );
  });

  test('a request without a traceparent starts a trace, and the log has its id (rule: request-log)', async () => {
    const before = service.log.length;
    await service.step();
    await until(() => service.log.length > before);
    const { trace_id: traceId } = JSON.parse(service.log[before] ?? '');
    const server = (await receiver.trace(traceId)).find(({ kind }) => kind === 2);
    expect(server).toMatchObject({ name: 'POST /api/agent/react_step', kind: 2 });
    expect(server?.parentSpanId ?? '').toBe('');
  });

  test('a request for /healthz has no trace', async () => {
    const before = service.log.length;
    await fetch(`${service.url}/healthz`, { headers: { traceparent: `00-${newTrace()}-${callerSpan}-01` } });
    await until(() => service.log.length > before);
    expect(JSON.parse(service.log[before] ?? '')).not.toHaveProperty('trace_id');
  });
}
