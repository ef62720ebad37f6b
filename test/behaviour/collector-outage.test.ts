import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.js';
import { type SpanReceiver, startSpanReceiver } from '../support/span-receiver.js';
import { until, untilUnchanged } from '../support/until.js';
import { startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

/** Number of spans of one step that ends with an answer. */
const SPANS = 9;
/** Makes the service record only steps whose caller asks for it, since the test support makes steps of its own. */
const asTheCallerSays = { OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
const recorded = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

let service: WholeService | undefined;
let receiver: SpanReceiver | undefined;
afterEach(async () => {
  await service?.close();
  await receiver?.close();
  service = undefined;
  receiver = undefined;
  made = 0;
});

async function start(url: string, environment: Record<string, string> = {}): Promise<WholeService> {
  service = await startWholeService(
    { text: 'Final Answer: 42' },
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      ...asTheCallerSays,
      ...environment,
    },
  );
  return service;
}

/** Number of spans of the steps so far; a refusal by a busy service is one span. */
let made = 0;
async function steps(count: number): Promise<void> {
  for (let answered = 0; answered < count; ) {
    const answer = await service?.post('/api/agent/react_step', stepRequest(), recorded);
    if (answer?.status !== 503) expect(answer?.status).toBe(200);
    made += answer?.status === 503 ? 1 : SPANS;
    answered += answer?.status === 503 ? 0 : 1;
  }
}

const lines = () =>
  (service?.log ?? []).map((line) => JSON.parse(line)).filter(({ msg }) => /span/.test(msg));

async function waitForLines(count: number) {
  await until(() => lines().length >= count);
  return lines();
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const status =
  (code: number, body = ''): Answer =>
  (_, response) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(body);

describe('if the trace collector fails, only spans are lost (rule: span-delivery)', () => {
  test('with no collector at the address the log warns once, and says at the end how many spans were lost', async () => {
    await start(`http://canary:canary@127.0.0.1:${await freePort()}/canary?canary`);
    await steps(2);
    await waitForLines(1);
    await steps(2);
    await untilUnchanged(() => lines().length);
    await service?.close();
    expect(lines()).toEqual([
      expect.objectContaining({ level: 40, code: 'ECONNREFUSED' }),
      expect.objectContaining({ level: 40, lost: made, msg: 'spans were lost because the service ended' }),
    ]);
    expect(service?.log.join('')).not.toMatch(/canary/);
  });

  test.each<[string, Answer, string]>([
    ['never answers', () => {}, 'UNKNOWN'],
    ['answers 500', status(500, 'canary'), '500'],
    ['answers 400 with a page', status(400, '<html>canary</html>'), '400'],
    ['hangs up', ({ socket }) => void socket.destroy(), 'ECONNRESET'],
    ['redirects', (_, response) => void response.writeHead(302, { location: 'http://canary' }).end(), '302'],
  ])('a collector that %s is logged once, and its spans are logged as lost', async (_, answer, code) => {
    receiver = await startSpanReceiver(answer);
    await start(receiver.url);
    await steps(2);
    expect(await waitForLines(1)).toEqual([expect.objectContaining({ level: 40, code })]);
    await steps(2);
    await service?.close();
    expect(lines().at(-1)).toMatchObject({ lost: made });
    expect(service?.log.join('')).not.toMatch(/canary/);
  });

  test('a collector response that is not OTLP counts as success if its status is 200', async () => {
    receiver = await startSpanReceiver(status(200, '<html>canary</html>'));
    await start(receiver.url);
    await steps(2);
    await until(() => (receiver?.spans().length ?? 0) >= made);
    await service?.close();
    expect(lines()).toEqual([]);
  });

  test('when the collector is back, the log says how many spans were lost, and new spans arrive', async () => {
    let isUp = false;
    receiver = await startSpanReceiver((...exchange) => status(isUp ? 200 : 500, '{}')(...exchange));
    await start(receiver.url);
    await steps(3);
    const [{ code }] = await waitForLines(1);
    await until(() => (receiver?.spans().length ?? 0) >= made);
    const lost = made;
    isUp = true;
    await steps(1);
    expect([code, (await waitForLines(2))[1]]).toEqual(['500', expect.objectContaining({ level: 30, lost })]);
    await service?.close();
    expect(lines()).toHaveLength(2);
  });
});

test('spans above the queue limit are dropped and counted (rule: span-delivery)', async () => {
  const open: ServerResponse[] = [];
  receiver = await startSpanReceiver((_, response) => void open.push(response));
  await start(receiver.url, {
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    OTEL_BSP_MAX_QUEUE_SIZE: '20',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
  });
  await steps(20);
  expect(await waitForLines(1)).toEqual([expect.objectContaining({ code: 'QUEUE_FULL' })]);
  const first = await untilUnchanged(() => receiver?.spans().length ?? 0); // only one batch is in flight
  expect(first).toBeLessThanOrEqual(10);
  for (const response of open.splice(0)) response.end('{}');
  expect((await waitForLines(2))[1]).toMatchObject({ level: 30, lost: made - first - 20 });
});

test('the service exits even if the collector never responds (rules: span-delivery, shutdown)', async () => {
  receiver = await startSpanReceiver(() => {});
  await start(receiver.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' });
  await steps(1);
  await service?.close();
  expect(lines()).toEqual([expect.objectContaining({ lost: made })]);
});

test('queued spans are sent before the service exits (rules: span-delivery, shutdown)', async () => {
  receiver = await startSpanReceiver();
  await start(receiver.url, { OTEL_BSP_SCHEDULE_DELAY: '600000' });
  await steps(3);
  expect(receiver.posts).toEqual([]);
  await service?.close();
  expect(receiver.spans()).toHaveLength(made);
});
