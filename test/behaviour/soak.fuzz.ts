import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startFakeProvider } from '../../src/offline/fake-provider.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { Inspector, inspectable } from '../support/inspector.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { replyOf, SoakLoad } from '../support/soak-load.js';
import { writeTokenFile } from '../support/token-file.js';

/** Duration of the soak, half an hour by default. */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 30);
/**
 * Number of periods of load. The process is sampled after the warm-up and after each period, while no request is in
 * flight.
 */
const LOOKS = 12;
const CALLERS = 5;
/** Pause of a caller between two requests: the soak looks for leaks, not for peak load. */
const PAUSE_MS = 100;
const mebibyte = 2 ** 20;

/** Resources that an idle process holds. */
interface Holding {
  readonly requests: number;
  /** Heap in bytes after a garbage collection. */
  readonly heap: number;
  readonly buffers: number;
  readonly resident: number;
  /** Number of open files and sockets. */
  readonly descriptors: number;
  /** Number of libuv handles, such as timers and sockets. */
  readonly handles: number;
  /** Number of listeners on `process`, which would grow if each request added one. */
  readonly listeners: number;
  /** Milliseconds of CPU for each request since the previous sample. */
  readonly cpu: number;
}

test(
  'half an hour of mixed load leaves memory, sockets, handles, listeners and CPU per request flat (rules: loop-share, caller-leaves, slow-reader)',
  async () => {
    const [token, poorToken] = [createToken(), createToken()];
    const provider = await startFakeProvider(replyOf);
    const service = await startServiceProcess({
      ...upstreamsAt(provider.url),
      ...inspectable,
      AUTH_TOKENS_FILE: writeTokenFile(
        { token, name: 'soak' },
        { token: poorToken, name: 'poor', limits: { requestsPerMinute: 20, requestsAtOnce: 1 } },
      ),
      LOG_LEVEL: 'info',
    });
    const inspector = await Inspector.connect(service);
    const load = new SoakLoad({ url: service.url, token, poorToken });
    const looks: Holding[] = [];
    let requests = 0;
    let cpuBefore = 0;
    for (let look = 0; look <= LOOKS; look += 1) {
      const asked =
        look === 0 ? await warmUp(load) : await loadFor((minutes * 60_000) / LOOKS, load, requests);
      requests += asked;
      load.rest();
      // The fake provider records requests for other tests; here the record would fill the memory.
      (provider.requests as unknown[]).length = 0;
      const { cpuMs, ...held } = await lookAt(service, inspector);
      looks.push({ requests, ...held, cpu: (cpuMs - cpuBefore) / asked });
      cpuBefore = cpuMs;
      tell(looks);
    }
    process.stdout.write(`answers by status: ${JSON.stringify(load.statuses)}\n`);
    inspector.close();
    expect(service.output.stdout).not.toMatch(/"level":[56]0/);
    expect(await service.stop()).toBe(0);
    await provider.close();
    assertLevel(looks);
  },
  minutes * 60_000 + 600_000,
);

/** Warms up with each kind of request, so that compilation and caches do not count as growth. */
async function warmUp(load: SoakLoad): Promise<number> {
  const numbers = Array.from({ length: load.kinds.length * 8 }, (_, number) => number);
  for (const number of numbers) await load.kinds[number % load.kinds.length]?.(number);
  return numbers.length;
}

/** Sends load for the given time and returns the number of requests sent. */
async function loadFor(milliseconds: number, load: SoakLoad, before: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const number = before + sent;
      sent += 1;
      await load.kinds[number % load.kinds.length]?.(number);
      await wait(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return sent;
}

const looksAtProcess = `({
  memory: process.memoryUsage(),
  handles: process.getActiveResourcesInfo().length,
  listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  cpu: process.cpuUsage(),
})`;

interface ProcessLook {
  readonly memory: NodeJS.MemoryUsage;
  readonly handles: number;
  readonly listeners: number;
  readonly cpu: NodeJS.CpuUsage;
}

async function lookAt({ pid }: ServiceProcess, inspector: Inspector) {
  const descriptors = await settledDescriptors(pid);
  await inspector.collectGarbage();
  const { memory, handles, listeners, cpu } = await inspector.evaluate<ProcessLook>(looksAtProcess);
  return {
    heap: memory.heapUsed,
    buffers: memory.external,
    resident: memory.rss,
    descriptors,
    handles,
    listeners,
    cpuMs: (cpu.user + cpu.system) / 1_000,
  };
}

/**
 * Waits until the number of open files and sockets stops falling, and returns it. Connections to the provider stay open
 * for some seconds.
 */
async function settledDescriptors(pid: number): Promise<number> {
  const count = () => readdirSync(`/proc/${pid}/fd`).length;
  for (let least = count(), calm = 0; ; calm += 1) {
    if (calm === 6) return least;
    await wait(1_000);
    if (count() < least) {
      least = count();
      calm = 0;
    }
  }
}

function tell(looks: readonly Holding[]): void {
  const last = looks.at(-1);
  if (!last) return;
  const { requests, heap, buffers, resident, descriptors, handles, listeners, cpu } = last;
  const megabytes = [heap, buffers, resident].map((bytes) => (bytes / mebibyte).toFixed(1).padStart(6));
  const row = [...megabytes, descriptors, handles, listeners, cpu.toFixed(2)];
  if (looks.length === 1)
    process.stdout.write('requests · heap, buffers, resident MiB · fds · handles · listeners · CPU ms\n');
  process.stdout.write(`${String(requests).padStart(8)}  ${row.join('  ')}\n`);
}

/** Compares the last third of the samples with the middle third. By then, caches of a fixed size are full. */
function assertLevel(looks: readonly Holding[]): void {
  const third = Math.floor(looks.length / 3);
  const [middle, end] = [looks.slice(third, 2 * third), looks.slice(-third)];
  const grown = (of: (holding: Holding) => number): number => median(end.map(of)) - median(middle.map(of));
  expect(grown(({ heap }) => heap)).toBeLessThan(4 * mebibyte);
  expect(grown(({ buffers }) => buffers)).toBeLessThan(4 * mebibyte);
  expect(grown(({ resident }) => resident)).toBeLessThan(40 * mebibyte);
  expect(grown(({ descriptors }) => descriptors)).toBeLessThan(3);
  expect(grown(({ handles }) => handles)).toBeLessThan(5);
  expect(grown(({ listeners }) => listeners)).toBe(0);
  expect(median(end.map(({ cpu }) => cpu))).toBeLessThan(1.5 * median(middle.map(({ cpu }) => cpu)));
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
