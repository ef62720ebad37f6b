import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { reactStep } from '../../../src/service/step/react-step.js';
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

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let service: TestService;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});

/** A caller that sends all of these at once on one connection, and reads no answer unless it is told to. */
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
/** More than the sockets on the way can hold: what comes after it waits for its turn. */
const unread = Array(30).fill('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n');

const linesOf = (route: string) => service.log.filter((line) => line['route'] === route);

/** A step that ends with its deadline alone. */
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

test('when a caller that pipelines leaves, its request in the making ends and those that wait are never begun (rule: caller-leaves)', async () => {
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

test('a pipelined request takes no slot before the answers in front of it have left (rule: overload)', async () => {
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

test('at the end of the grace pipelined requests do not hold the service (rule: shutdown)', async () => {
  service = await startTestService({ step: hangingStep().step });
  pipeline(step, step);
  await until(() => service.inFlight.count === 1);
  const drained = service.inFlight.idle();
  service.inFlight.interruptAll();
  await drained;
  expect(service.inFlight.count).toBe(0);
});

describe('a service that ends (rule: shutdown)', () => {
  /** Steps that have begun, streams included, and end when they are told to. */
  function begunSteps() {
    const ends: (() => void)[] = [];
    const step: typeof reactStep = async (_request, _dependencies, observer) => {
      await observer?.delta('thought', 'I know.');
      return new Promise((resolve) => ends.push(() => resolve(answered)));
    };
    return { step, ends };
  }

  test('ends a connection with the answer in the making, and begins no request that waits behind it', async () => {
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

  test('answers one more request after a stream whose head had left before the drain began', async () => {
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

  test('begins nothing that comes after the answer that called itself the last', async () => {
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
    // Another connection is read after it.
    await service.call('GET', '/healthz');
    for (const end of ends) end();
    await until(() => socket.destroyed);
    expect(taken()).toMatch(/event: step\.completed/);
    expect([ends.length, linesOf(stepPath), linesOf(streamPath).length]).toEqual([1, [], 1]);
  });
});

test('pipelined requests of a caller that stays are answered in their order', async () => {
  service = await startTestService();
  const socket = pipeline(step, health, step);
  const taken = takenFrom(socket);
  await until(() => (taken().match(/HTTP\/1\.1 200/g) ?? []).length === 3);
  await until(() => service.log.length === 3);
  expect(service.log.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(service.inFlight.count).toBe(0);
});

/** The descriptors of this process that lead to a file of the contract's page. */
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
  'of pipelined files one is open at a time, and none once the caller has left (rule: caller-leaves)',
  async () => {
    service = await startTestService();
    const socket = pipeline(...unread);
    await until(() => openAssets().length > 0);
    expect(openAssets()).toHaveLength(1);
    socket.destroy();
    await until(() => openAssets().length === 0);
  },
);

test('at most 40 requests may wait on one connection: one more ends it (rule: caller-leaves)', async () => {
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

/** Outside of the heap, of what is still needed. */
function bytesHeld(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** The program of the playground, by the name that its build gave it. */
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
])('%s is held in memory once, not for each caller who does not take it (rule: caller-leaves)', async (_what, pathOf) => {
  service = await startTestService();
  const get = `GET ${await pathOf()} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  await once(pipeline(get).resume(), 'data');
  const before = bytesHeld();
  for (let caller = 0; caller < 50; caller += 1) pipeline(...Array(40).fill(get));
  await untilUnchanged(() => Math.round(bytesHeld() / 2 ** 20));
  // Two thousand answers of 50 KB and more.
  expect(bytesHeld() - before).toBeLessThan(20 * 2 ** 20);
});

test('an answer of which nothing is read ends its connection, a file too (rule: caller-leaves)', async () => {
  service = await startTestService({ server: { unreadTimeout: 1_000 } });
  pipeline(...unread, health);
  await until(() => service.log.some(({ status }) => status === 499));
  expect(linesOf('/healthz')).toEqual([]);
});

test('a step that takes longer than that is waited for (rule: caller-leaves)', async () => {
  const slow: typeof reactStep = () => new Promise((resolve) => setTimeout(() => resolve(answered), 400));
  service = await startTestService({ step: slow, server: { unreadTimeout: 50 } });
  expect((await service.call('POST', stepPath, { body: stepBody() })).status).toBe(200);
});
