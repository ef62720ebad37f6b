import { getEventListeners } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { ScriptedReply } from '../../../src/offline/wire/reply.js';
import { startConnectProxy } from '../../support/connect-proxy.js';
import { listen } from '../../support/listen.js';
import {
  ask,
  completionRequest,
  connect,
  directoryAt,
  failureOf,
  fakeProvider,
  patienceOf,
  ways,
} from '../../support/providers/requests.js';
import { until, untilUnchanged } from '../../support/until.js';

test.each([
  false,
  true,
])('a deadline ends a call that waits for the offline model to start, streamed: %s (rule: one-deadline)', async (streamed) => {
  const models = directoryAt('http://127.0.0.1:9', { startOffline: () => new Promise(() => {}) });
  const deadline = patienceOf();
  const failed = failureOf(ask(connect(models, 'offline'), { model: 'offline', streamed }, deadline));
  setImmediate(() => deadline.interrupt('deadline'));
  expect(await failed).toBe(deadline.signal.reason);
  expect(getEventListeners(deadline.signal, 'abort')).toEqual([]);
});

describe.each(ways)('callers that disconnect (rule: caller-leaves): $title', (way) => {
  const phases: readonly { phase: string; reply: ScriptedReply }[] = [
    { phase: 'before the response headers', reply: { fault: 'silence' } },
    { phase: 'during the response body', reply: { fault: 'stalled-body' } },
    { phase: 'while the reply arrives slowly', reply: { fault: 'drip', intervalMs: 20 } },
  ];

  test.each(phases)('aborting a provider call $phase closes its connection', async ({ reply }) => {
    const fake = await fakeProvider(reply);
    const deadline = patienceOf();
    const failed = failureOf(ask(connect(directoryAt(fake.url), way.model), way, deadline));
    const request = await fake.request(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    deadline.interrupt('caller_left');
    expect(await failed).toBe(deadline.signal.reason);
    expect(await request.ended).toBe('aborted');
    await until(() => fake.openSockets() === 0);
  });

  test('aborting a call while it connects ends it at once, and nothing is sent', async () => {
    // Accepts the connection and never answers the TLS handshake.
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on('error', () => {}).resume()));
    const url = (await listen(server)).replace('http:', 'https:');
    const deadline = patienceOf();
    const failed = failureOf(ask(connect(directoryAt(url), way.model), way, deadline));
    await until(() => sockets.length === 1);
    deadline.interrupt('shutting_down');
    const leftAt = performance.now();
    expect(await failed).toBe(deadline.signal.reason);
    expect(performance.now() - leftAt).toBeLessThan(1_000);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test.each([
    ['waits for the answer to CONNECT', false],
    ['waits for the TLS handshake of the server', true],
  ])('aborting a call that %s closes its connection to the proxy at once', async (_, opens) => {
    const waiting: Socket[] = [];
    const proxy = await startConnectProxy(
      () => 9,
      (socket) => {
        if (opens) socket.once('data', () => waiting.push(socket)).write('HTTP/1.1 200 OK\r\n\r\n');
        else waiting.push(socket.resume());
      },
    );
    const models = directoryAt('https://model.example', { proxyFor: () => proxy.url });
    const deadline = patienceOf();
    const failed = failureOf(ask(connect(models, way.model), way, deadline));
    await until(() => waiting.length === 1);
    deadline.interrupt('caller_left');
    const leftAt = performance.now();
    expect(await failed).toBe(deadline.signal.reason);
    await until(() => waiting[0]?.readableEnded === true || waiting[0]?.destroyed === true);
    expect(performance.now() - leftAt).toBeLessThan(5_000);
    proxy.close();
  });

  test('aborting many waiting calls opens no new connections', async () => {
    let opened = 0;
    const server = createServer((socket) => {
      opened += 1;
      socket.on('error', () => {}).resume();
    });
    const provider = connect(directoryAt(await listen(server)), way.model);
    const calls = Array.from({ length: 5 }, () => patienceOf());
    const failures = calls.map((deadline) => failureOf(ask(provider, way, deadline)));
    await until(() => opened === calls.length);
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const deadline of calls) deadline.interrupt('caller_left');
    await Promise.all(failures);
    await untilUnchanged(() => opened);
    expect(opened).toBe(calls.length);
    server.close();
  });

  test('a call with an aborted signal sends nothing', async () => {
    const fake = await fakeProvider();
    const deadline = patienceOf();
    deadline.interrupt('caller_left');
    expect(await failureOf(ask(connect(directoryAt(fake.url), way.model), way, deadline))).toBe(
      deadline.signal.reason,
    );
    expect(fake.requests).toHaveLength(0);
  });

  test.each<ScriptedReply>([
    { text: 'Final Answer: done' },
    { fault: 'unauthorized' },
    { fault: 'cut' },
    { fault: 'redirect' },
  ])('no abort listener remains on the caller’s signal after the reply %o', async (reply) => {
    const fake = await fakeProvider(reply);
    const deadline = patienceOf();
    await ask(connect(directoryAt(fake.url), way.model), way, deadline).catch(() => {});
    await until(() => getEventListeners(deadline.signal, 'abort').length === 0);
  });

  test('an idle connection is used again', async () => {
    const fake = await fakeProvider();
    const provider = connect(directoryAt(fake.url), way.model);
    for (let call = 0; call < 3; call += 1) {
      await ask(provider, way);
      // undici needs one turn of the event loop before it reuses a connection.
      await nextTurn();
    }
    expect(fake.openSockets()).toBe(1);
    expect(new Set(fake.requests.map(({ headers }) => headers['connection']))).toEqual(
      new Set(['keep-alive']),
    );
  });
});

describe.each(
  ways.filter(({ streamed }) => streamed),
)('streams that are abandoned (rule: caller-leaves): $title', (way) => {
  test('if the consumer of a stream stops early, the provider call is closed', async () => {
    const fake = await fakeProvider({ text: 'word '.repeat(1_000), chunkDelayMs: 5 });
    const provider = connect(directoryAt(fake.url), way.model);
    for await (const event of provider.stream(completionRequest({ model: way.model }), patienceOf())) {
      if (event.type === 'text') break;
    }
    expect(await fake.requests[0]?.ended).toBe('aborted');
    await until(() => fake.openSockets() === 0);
  });

  test('a slow consumer of a stream slows the provider down instead of filling memory', async () => {
    let made = 0;
    const chunks = (function* () {
      for (; made < 20_000; made += 1) yield 'x'.repeat(1_000);
    })();
    const fake = await fakeProvider({ chunks });
    const stream = connect(directoryAt(fake.url), way.model).stream(
      completionRequest({ model: way.model }),
      patienceOf(),
    );
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    await untilUnchanged(() => made);
    // Sockets buffer a few megabytes on both sides. Without back-pressure, all 20 MB would be produced at once.
    expect(made).toBeLessThan(15_000);
    await events.return?.();
  });
});
