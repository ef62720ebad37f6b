import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from '@jest/globals';
import { CallerLimits } from '../../../src/service/operations/limits/caller-limits.js';
import { MemoryCounter } from '../../../src/service/operations/limits/window-counter.js';
import type { reactStep } from '../../../src/service/step/react-step.js';
import {
  answered,
  startTestService,
  stepBody,
  stepPath,
  streamPath,
  type TestService,
} from '../../support/test-service.js';

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

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
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

test('who pipelines and leaves frees every place: those of steps that hang, of answers that wait for their turn, of a body that is still arriving (rule: caller-leaves)', async () => {
  const { step: hanging, called } = hangingStep();
  const steps = [hanging, async () => answered, hanging, async () => answered];
  service = await startTestService({ step: (...given) => (steps.shift() ?? hanging)(...given) });
  const socket = pipeline(step, step, step, step, health, step.slice(0, -5));
  await until(() => service.inFlight.count === 5 && called.length === 2);
  socket.destroy();
  await until(() => service.inFlight.count === 0);
  await until(() => service.log.length === 6);
  // What was not taken is logged as such, plain answers included (rule: request-log).
  expect(service.log.map(({ status, outcome }) => [status, outcome])).toEqual(
    Array(6).fill([499, 'caller_left']),
  );
  expect((await service.call('GET', '/healthz')).status).toBe(200);
});

test('each of their places among the requests of one caller is given back, and what they used is charged (rule: token-limits)', async () => {
  const requests = new MemoryCounter(60);
  const tokens = new MemoryCounter(86_400);
  const limits = new CallerLimits({ requestsPerMinute: 0, requests, tokens });
  const caller = {
    name: 'ci',
    projects: 'all',
    expiresAt: Number.POSITIVE_INFINITY,
    allowance: { requestsAtOnce: 3, tokensPerDay: 1_000 },
  } as const;
  service = await startTestService({ limits, tokens: { identify: () => caller, close: () => {} } });
  const socket = pipeline(...unread, step, step, step);
  await until(() => service.inFlight.count === 3);
  expect((await service.call('POST', stepPath, { body: stepBody() })).body.error.details[0].code).toBe(
    'requestsAtOnce',
  );
  socket.destroy();
  await until(() => linesOf(stepPath).length === 4);
  expect((await service.call('POST', stepPath, { body: stepBody() })).status).toBe(200);
  const today = `ci:${new Date().toISOString().slice(0, 10)}`;
  expect((await tokens.read(today)).sum).toBeGreaterThanOrEqual(39);
});

test.each([
  ['an answer', step],
  ['a refusal', post('{')],
])('%s that waits for its turn until the deadline frees its slot, and those before it go on (rule: overload)', async (_what, request) => {
  service = await startTestService({ deadlineMs: 50, body: { maxBytes: 10_000, timeoutMs: 50 } });
  const socket = pipeline(...unread, request);
  await until(() => service.inFlight.count === 1);
  await until(() => service.inFlight.count === 0);
  expect(linesOf(stepPath)).toMatchObject([{ status: 499, outcome: 'caller_left' }]);
  const taken = takenFrom(socket);
  await until(() => socket.destroyed);
  // The downloads before it are whole; its own turn ends the connection, with one line in the log all the same.
  expect(taken().match(/HTTP\/1\.1 200/g)).toHaveLength(unread.length);
  await until(() => linesOf('/docs/swagger-ui-bundle.js').length === unread.length);
  expect(linesOf(stepPath)).toHaveLength(1);
});

test('at the end of the grace they do not hold the service (rule: shutdown)', async () => {
  service = await startTestService({ step: hangingStep().step });
  const socket = pipeline(...unread, step, step);
  await until(() => service.inFlight.count === 2);
  const drained = service.inFlight.idle();
  service.inFlight.interruptAll();
  await drained;
  expect(socket.destroyed).toBe(false);
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

  const paths = [stepPath, streamPath];
  const pairs = paths.flatMap((first) => paths.map((second) => [first, second] as const));

  test.each(
    pairs,
  )('answers all that one connection was owed, and ends it with the first answer that can say so: %s, %s', async (...order) => {
    const { step, ends } = begunSteps();
    service = await startTestService({ step });
    const socket = pipeline(...order.map((path) => post(JSON.stringify(stepBody()), path)));
    const taken = takenFrom(socket);
    await until(() => ends.length === 2);
    service.inFlight.announceDrain();
    for (const end of ends) end();
    await until(() => service.log.length === 2);
    // The head of a stream has left already.
    const isTold = order[1] === stepPath;
    if (!isTold) socket.write(health);
    await until(() => socket.destroyed);
    expect(taken().match(/Connection: close/g)).toHaveLength(1);
    expect(taken().match(/HTTP\/1\.1 200/g)).toHaveLength(isTold ? 2 : 3);
    expect(service.log.map(({ status }) => status)).toEqual(Array(isTold ? 2 : 3).fill(200));
  });

  test('begins nothing that comes after the answer that called itself the last', async () => {
    const { step, ends } = begunSteps();
    service = await startTestService({ step });
    service.inFlight.announceDrain();
    const socket = pipeline(post(JSON.stringify(stepBody()), streamPath));
    const taken = takenFrom(socket);
    await until(() => taken().includes('Connection: close'));
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

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(
  'of files that are waited for, one is open, and none once the caller has left (rule: caller-leaves)',
  async () => {
    service = await startTestService();
    const socket = pipeline(...unread);
    await until(() => openAssets().length > 0);
    expect(openAssets()).toHaveLength(1);
    socket.destroy();
    await until(() => service.log.length === unread.length);
    await until(() => openAssets().length === 0);
  },
);

test('a connection is owed 40 answers at most: one more request ends it, and none after that is looked at (rule: caller-leaves)', async () => {
  let answer = (): void => {};
  service = await startTestService({
    step: () => new Promise((resolve) => (answer = () => resolve(answered))),
  });
  pipeline(step, ...Array(39).fill(health)).resume();
  await until(() => service.inFlight.count === 1);
  answer();
  await until(() => service.log.length === 40);
  expect(service.log.map(({ status }) => status)).toEqual(Array(40).fill(200));
  pipeline(step, ...Array(1_000).fill(health)).resume();
  await until(() => service.log.length >= 80);
  expect((await service.call('GET', '/version')).status).toBe(200);
  expect(linesOf('/healthz').map(({ status }) => status)).toEqual([
    ...Array(39).fill(200),
    ...Array(39).fill(499),
  ]);
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
  service = await startTestService({ step: hangingStep().step });
  const get = `GET ${await pathOf()} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  await once(pipeline(get).resume(), 'data');
  const before = bytesHeld();
  for (let caller = 0; caller < 50; caller += 1) pipeline(step, ...Array(39).fill(get));
  await until(() => service.inFlight.count === 50);
  await new Promise((resolve) => setTimeout(resolve, 500));
  // Two thousand answers of 50 KB and more, of which not even a socket takes anything before the step.
  expect(bytesHeld() - before).toBeLessThan(20 * 2 ** 20);
});

test('an answer of which nothing is taken ends its connection, a file and those that wait for it too (rule: caller-leaves)', async () => {
  service = await startTestService({ server: { unreadTimeout: 2_000 } });
  pipeline(...unread, health);
  await until(() => service.log.length === unread.length + 1);
  expect(linesOf('/healthz')).toMatchObject([{ status: 499 }]);
});

test('a step that takes longer than that is waited for (rule: caller-leaves)', async () => {
  const slow: typeof reactStep = () => new Promise((resolve) => setTimeout(() => resolve(answered), 400));
  service = await startTestService({ step: slow, server: { unreadTimeout: 50 } });
  expect((await service.call('POST', stepPath, { body: stepBody() })).status).toBe(200);
});
