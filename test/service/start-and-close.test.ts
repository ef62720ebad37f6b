import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import type { Settings } from '../../src/service/settings/settings.js';
import { startSpanReceiver } from '../support/span-receiver.js';
import { call, linesInto, stepPath } from '../support/test-service.js';
import { until } from '../support/until.js';

const logs = { created: 0, closed: 0 };
jest.unstable_mockModule('../../src/service/operations/logging/log.js', () => ({
  droppedLines: () => 0,
  createLog: () => {
    logs.created += 1;
    return {
      logger: pino({ level: 'silent' }),
      close: async () => {
        logs.closed += 1;
      },
    };
  },
}));
jest.unstable_mockModule('../../src/service/make-agent.js', () => ({
  makeAgent: () => ({
    models: {
      warmUp: async () => {},
      close: () => Promise.reject(new Error('models that cannot be closed')),
    },
  }),
}));
const { startService } = await import('../../src/service/start.js');

/** A server in place of Redis that accepts connections and never responds. */
let silent: Server;
const connections = { accepted: 0, open: 0 };
let shared: Settings;

beforeEach(async () => {
  Object.assign(logs, { created: 0, closed: 0 });
  Object.assign(connections, { accepted: 0, open: 0 });
  silent = createServer((socket) => {
    connections.accepted += 1;
    connections.open += 1;
    const count = () => {
      connections.open -= 1;
    };
    socket
      .on('error', () => {})
      .on('close', count)
      .resume();
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  shared = { PORT: 0, REDIS_URL: `redis://127.0.0.1:${portOf(silent)}`, RATE_LIMIT_PER_MINUTE: 5 };
});
afterEach(() => {
  silent.close();
  delete process.env['OTEL_EXPORTER_OTLP_PROTOCOL'];
});

// A server that listens on TCP has an `AddressInfo`.
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

test('startService rejects a gRPC collector before it opens anything (rule: tracing-settings)', async () => {
  process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'grpc';
  const started = startService({ ...shared, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317' });
  await expect(started).rejects.toThrow(/^OTEL_EXPORTER_OTLP_PROTOCOL: gRPC is not supported/);
  expect([connections.accepted, logs.created]).toEqual([0, 0]);
});

test('startService closes everything it has opened if it fails to start', async () => {
  await expect(startService({ ...shared, PORT: portOf(silent) })).rejects.toThrow(/EADDRINUSE/);
  expect(logs).toEqual({ created: 1, closed: 1 });
  expect(connections.accepted).toBeGreaterThan(0);
  await until(() => connections.open === 0);
});

test('closing the service sends the last spans and closes the log, even if closing the model connections fails (rule: shutdown)', async () => {
  process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'http/json';
  const collector = await startSpanReceiver();
  const service = await startService({ PORT: 0, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await service.warm;
  expect((await call(service.url, 'POST', stepPath, { raw: '{' })).status).toBe(400);
  await service.close();
  expect(collector.spans()).toHaveLength(1);
  expect(logs).toEqual({ created: 1, closed: 1 });
  await collector.close();
});

test('closing the service leaves a logger open that the caller passed in', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(linesInto(lines));
  const service = await startService({ PORT: 0 }, logger);
  await service.close();
  logger.info('later');
  expect(lines).toMatchObject([{ msg: 'later' }]);
  expect(logs.created).toBe(0);
});
