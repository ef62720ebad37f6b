import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openTracing } from '../../../../src/service/operations/tracing/open-tracing.js';
import { type SpanReceiver, startSpanReceiver } from '../../../support/span-receiver.js';
import { withEnvironment } from '../../../support/with-environment.js';

let receiver: SpanReceiver;
afterEach(() => receiver.close());

/** Opens tracing with the given environment variables, records one request, and closes tracing. */
async function recordOne(variables: Record<string, string>, headers: Record<string, string> = {}) {
  receiver = await startSpanReceiver();
  const environment = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...variables };
  await withEnvironment(environment, async () => {
    const options = { url: `${receiver.url}/v1/traces`, log: pino({ level: 'silent' }), version: '1.2.3' };
    const tracing = await openTracing(options);
    const trace = tracing.begin({ method: 'POST', route: '/api/agent/react_step', headers });
    trace.end({ status: 200, outcome: 'answer', requestId: 'id' });
    await tracing.close();
  });
  return { spans: receiver.spans(), post: receiver.posts.join('\n') };
}

test('spans have the resource attributes from OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES (rule: tracing-settings)', async () => {
  const variables = { OTEL_SERVICE_NAME: 'agents', OTEL_RESOURCE_ATTRIBUTES: 'team=a%2Cb' };
  const { spans, post } = await recordOne(variables);
  expect(spans).toHaveLength(1);
  expect(post).toContain('{"key":"service.name","value":{"stringValue":"agents"}}');
  expect(post).toContain('{"key":"team","value":{"stringValue":"a,b"}}');
  expect(post).toContain('{"key":"service.version","value":{"stringValue":"1.2.3"}}');
});

test.each([
  ['always_on', 'unsampled', 1],
  ['always_off', 'sampled', 0],
  ['traceidratio', 'sampled', 0],
  ['parentbased_always_on', 'unsampled', 0],
  ['parentbased_always_off', 'sampled', 1],
  ['parentbased_traceidratio', 'sampled', 1],
  ['unheard-of', 'sampled', 1],
  ['', 'unsampled', 0],
])('with OTEL_TRACES_SAMPLER=%s and an incoming trace that is %s, the number of recorded spans is %d (rule: tracing-settings)', async (sampler, caller, count) => {
  const traceparent = `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0${caller === 'sampled' ? 1 : 0}`;
  const variables = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0' };
  const { spans } = await recordOne(variables, { traceparent });
  expect(spans).toHaveLength(count);
});

test('invalid values of OpenTelemetry variables are treated as unset (rule: tracing-settings)', async () => {
  const variables = {
    OTEL_BSP_MAX_QUEUE_SIZE: 'many',
    OTEL_BSP_SCHEDULE_DELAY: '-1',
    OTEL_TRACES_SAMPLER_ARG: 'x',
  };
  expect((await recordOne(variables)).spans).toHaveLength(1);
});
