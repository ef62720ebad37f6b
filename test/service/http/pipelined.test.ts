import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { reactStep } from '../../../src/service/step/react-step.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { linux } from '../../support/need.js';
import { needs } from '../../support/needs.js';
import {
  answered,
  startTestService,
  stepBody,
  stepPath,
  streamPath,
  type TestService,
} from '../../support/test-service.js';
import { until, untilUnchanged } from '../../support/until.js';

let service: TestService;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});

/** Opens a connection that sends all requests at once, and reads no response until it is resumed. */
function pipeline(...requests: readonly string[]): Socket {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  socket.pause();
  socket.write(requests.join(''));
  return socket;
}

function takenFrom(socket: Socket): () => string {
  let taken = '';
  socket.on('data', (bytes) => {
    taken += bytes.toString('latin1');
  });
  socket.resume();
  return () => taken;
}

function post(body: string, path = stepPath): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json'];
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}

const step = post(JSON.stringify(stepBody()));
const health = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Requests whose responses are larger than all socket buffers, so that the requests behind them have to wait. */
const unread = Array(30).fill('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n');

const linesOf = (route: string) => service.log.filter((line) => line['route'] === route);

/** Returns a step function that ends only at its deadline, and the requests with which it was called. */
function hangingStep() {
  const called: unknown[] = [];
  const step: typeof reactStep = (request, { deadline }) => {
    called.push(request);
    return new Promise((_resolve, reject) => {
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
    });
  };
  return { step, called };
}

test('when a pipelining caller disconnects, its current request ends and the waiting ones never start (rule: caller-leaves)', async () => {
  const { step: hanging, called } = hangingStep();
  service = await startTestService({ step: hanging });
  const socket = pipeline(step, step, health, step.slice(0, -5));
  await until(() => called.length === 1);
  socket.destroy();
  await until(() => service.inFlight.count === 0);
  expect((await service.call('GET', '/healthz')).status).toBe(200);
  expect(service.log.map(({ status, outcome }) => [status, outcome])).toEqual([
    [499, 'caller_left'],
    [200, 'ok'],
  ]);
  expect(called).toHaveLength(1);
});

test('a pipelined request occupies no slot before the responses in front of it are sent (rule: overload)', async () => {
  const { step: hanging, called } = hangingStep();
  service = await startTestService({
    step: hanging,
    deadlineMs: 50,
    body: { maxBytes: 10_000, timeoutMs: 50 },
  });
  const socket = pipeline(...unread, step);
  await until(() => linesOf('/docs/swagger-ui-bundle.js').length > 0 || socket.bytesRead === 0);
  expect([service.inFlight.count, called.length]).toEqual([0, 0]);
  const taken = takenFrom(socket);
  await until(() => linesOf(stepPath).length === 1);
  expect(taken().match(/HTTP\/1\.1 200/g)).toHaveLength(unread.length);
  expect(linesOf(stepPath)).toMatchObject([{ status: 504, outcome: 'upstream_timeout' }]);
});

test('pipelined requests do not delay the shutdown beyond the grace time (rule: shutdown)', async () => {
  service = await startTestService({ step: hangingStep().step });
  pipeline(step, step);
  await until(() => service.inFlight.count === 1);
  const drained = service.inFlight.idle();
  service.inFlight.interruptAll();
  await drained;
  expect(service.inFlight.count).toBe(0);
});

describe('pipelined requests while the service shuts down (rule: shutdown)', () => {
  /**
   * Returns a step function that starts its stream and then waits. `ends` has for each call a function that ends it.
   */
  function begunSteps() {
    const ends: (() => void)[] = [];
    const step: typeof reactStep = async (_request, _dependencies, observer) => {
      await observer?.delta('thought', 'I know.');
      return new Promise((resolve) => ends.push(() => resolve(answered)));
    };
    return { step, ends };
  }

  test('a draining service closes a connection after the current response and starts none of its later requests', async () => {
    const { step: held, ends } = begunSteps();
    service = await startTestService({ step: held });
    const socket = pipeline(step, step);
    const taken = takenFrom(socket);
    await until(() => ends.length === 1);
    service.inFlight.announceDrain();
    ends[0]?.();
    await until(() => socket.destroyed);
    expect(taken().match(/HTTP\/1\.1 200/g)).toHaveLength(1);
    expect(taken()).toContain('Connection: close');
    expect(ends).toHaveLength(1);
  });

  test('a draining service answers one more request after a stream that started before draining', async () => {
    const { step: held, ends } = begunSteps();
    service = await startTestService({ step: held });
    const socket = pipeline(post(JSON.stringify(stepBody()), streamPath), health, health);
    const taken = takenFrom(socket);
    await until(() => ends.length === 1);
    service.inFlight.announceDrain();
    ends[0]?.();
    await until(() => socket.destroyed);
    expect(taken().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(taken().match(/Connection: close/g)).toHaveLength(1);
  });

  test('a draining service starts no request after it has sent a response with Connection: close', async () => {
    const { step, ends } = begunSteps();
    service = await startTestService({ step });
    service.inFlight.announceDrain();
    const socket = pipeline(post(JSON.stringify(stepBody()), streamPath));
    const taken = takenFrom(socket);
    await until(
      () => taken(),
      (text) => text.includes('Connection: close'),
    );
    socket.write(post(JSON.stringify(stepBody())));
    // The service reads this newer connection after `socket`, so it has read the request above when this call returns.
    await service.call('GET', '/healthz');
    for (const end of ends) end();
    await until(() => socket.destroyed);
    expect(taken()).toMatch(/event: step\.completed/);
    expect([ends.length, linesOf(stepPath), linesOf(streamPath).length]).toEqual([1, [], 1]);
  });
});

test('pipelined requests are answered in order', async () => {
  service = await startTestService();
  const socket = pipeline(step, health, step);
  const taken = takenFrom(socket);
  await until(() => (taken().match(/HTTP\/1\.1 200/g) ?? []).length === 3);
  await until(() => service.log.length === 3);
  expect(service.log.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(service.inFlight.count).toBe(0);
});

/** Returns the file descriptors of this process that point to files of the docs page. */
const openAssets = () =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).includes('contract/page');
    } catch {
      return false; // closed meanwhile
    }
  });

const { test: onLinux } = needs(linux);

onLinux(
  'only one pipelined file is open at a time, and none after the caller has left (rule: caller-leaves)',
  async () => {
    service = await startTestService();
    const socket = pipeline(...unread);
    await until(() => openAssets().length > 0);
    expect(openAssets()).toHaveLength(1);
    socket.destroy();
    await until(() => openAssets().length === 0);
  },
);

test('a 41st waiting request on one connection closes it (rule: caller-leaves)', async () => {
  let answer = (): void => {};
  service = await startTestService({
    step: () => new Promise((resolve) => (answer = () => resolve(answered))),
  });
  pipeline(step, ...Array(40).fill(health)).resume();
  await until(() => service.inFlight.count === 1);
  answer();
  await until(() => service.log.length === 41);
  expect(service.log.map(({ status }) => status)).toEqual(Array(41).fill(200));
  const socket = pipeline(step, ...Array(1_000).fill(health)).resume();
  await until(() => socket.destroyed && service.inFlight.count === 0);
  expect((await service.call('GET', '/version')).status).toBe(200);
  expect(linesOf('/healthz')).toHaveLength(40);
});

/** Returns the bytes outside the heap that are still in use after garbage collection. */
function bytesHeld(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Returns the path of the playground's script, whose name contains a hash. */
async function pathOfProgram(): Promise<string> {
  const { body } = await service.call('GET', '/', { headers: { Accept: 'text/html' } });
  const [name] = /app-\w+\.js/.exec(body) ?? [];
  expect(name).toBeDefined();
  return `/playground/${name}`;
}

test.each([
  ['the contract', async () => '/openapi.yaml'],
  ['the contract in JSON', async () => '/openapi.json'],
  ['the playground', pathOfProgram],
])('unread responses with %s share one copy in memory (rule: caller-leaves)', async (_what, pathOf) => {
  service = await startTestService();
  const get = `GET ${await pathOf()} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  await once(pipeline(get).resume(), 'data');
  const before = bytesHeld();
  for (let caller = 0; caller < 50; caller += 1) pipeline(...Array(40).fill(get));
  await untilUnchanged(() => Math.round(bytesHeld() / 2 ** 20));
  // The service has sent 2,000 responses of at least 50 KB each.
  expect(bytesHeld() - before).toBeLessThan(20 * 2 ** 20);
});

test('a connection is closed if its caller reads no bytes of a response (rule: caller-leaves)', async () => {
  service = await startTestService({ server: { unreadTimeout: 1_000 } });
  pipeline(...unread, health);
  await until(() => service.log.some(({ status }) => status === 499));
  expect(linesOf('/healthz')).toEqual([]);
});

test('a step may take longer than the timeout for unread responses (rule: caller-leaves)', async () => {
  const slow: typeof reactStep = () => new Promise((resolve) => setTimeout(() => resolve(answered), 400));
  service = await startTestService({ step: slow, server: { unreadTimeout: 50 } });
  expect((await service.call('POST', stepPath, { body: stepBody() })).status).toBe(200);
});
