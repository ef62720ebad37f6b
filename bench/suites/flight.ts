import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure } from '../figures.js';
import { takeCode } from '../inputs/code.js';
import { post } from '../measure/client.js';
import type { BenchOptions } from '../measure/rounds.js';
import { startStack } from '../measure/stack-process.js';
import { openOurs, openRelay, type Route } from '../stacks/routes.js';

const IN_FLIGHT = 2_000;
const BODY_BYTES = 50_000;
const CONTEXT = 45_000;
const UPSTREAM_DELAY_MS = 10_000;
/**
 * Number of requests before the measurement, so that memory which a process allocates only for its first requests is
 * not measured. The provider answers them without delay.
 */
const WARM_UP_REQUESTS = 50;
/** Rate of requests far below the capacity of either stack, because this suite does not measure speed. */
const REQUESTS_PER_SECOND = 50;
const SAMPLE_MS = 200;
/**
 * Limit of open files: two sockets for each request (to the caller and to the provider), and some for the process.
 */
const OPEN_FILES = 2 * IN_FLIGHT + 200;

interface Flight {
  readonly failed: number;
  /** Maximum growth of memory for each request in flight, as a multiple of the request's body. */
  readonly bodies: number;
}

/**
 * Measures the memory that 2,000 requests in flight need. The provider answers none of them before all have
 * arrived.
 */
export async function run({ quick }: BenchOptions): Promise<Figure[]> {
  const limit = openFilesLimit();
  if (limit < OPEN_FILES) {
    console.log(
      `Skipped the suite flight: it needs ${OPEN_FILES} open files, but the limit is ${limit}. Raise it with ulimit -n.`,
    );
    return [];
  }
  const count = quick ? 100 : IN_FLIGHT;
  const ours = await fly(openOurs, count);
  const relay = await fly(openRelay, count);
  const memory = { what: `${count} in flight, 50 KB each: memory of one`, unit: '× body' };
  const failed = { what: `${count} in flight, 50 KB each: failed`, unit: 'requests', digits: 0 };
  return [
    { ...memory, measured: atMost(3.5, [ours.bodies]) },
    { ...failed, measured: atMost(0, [ours.failed]) },
    { ...memory, what: `${memory.what}, Express + SDK`, measured: { samples: [relay.bodies] } },
    { ...failed, what: `${failed.what}, Express + SDK`, measured: { samples: [relay.failed] } },
  ];
}

function openFilesLimit(): number {
  // Cast: Node documents the report as JSON, although its type is just `object`.
  const report = process.report.getReport() as { userLimits?: { open_files: { soft: number | string } } };
  const soft = Number(report.userLimits?.open_files.soft);
  return Number.isNaN(soft) ? Number.POSITIVE_INFINITY : soft;
}

async function fly(open: (upstreamUrl: string) => Promise<Route>, count: number): Promise<Flight> {
  const upstream = await startStack('upstream', {
    delayMs: UPSTREAM_DELAY_MS,
    warmUp: WARM_UP_REQUESTS,
    holdUntil: count,
  });
  const route = await open(upstream.url);
  for (let index = 0; index < WARM_UP_REQUESTS; index += 1) await isAnswered(route);
  const { rssBytes: before } = await route.stack.usage();
  const stopWatching = watchMemory(route);
  const answers: Promise<boolean>[] = [];
  for (let index = 0; index < count; index += 1) {
    answers.push(isAnswered(route));
    await sleep(1_000 / REQUESTS_PER_SECOND);
  }
  const failed = (await Promise.all(answers)).filter((isFine) => !isFine).length;
  const peak = await stopWatching();
  route.stack.stop();
  upstream.stop();
  return { failed, bodies: (peak - before) / count / BODY_BYTES };
}

async function isAnswered(route: Route): Promise<boolean> {
  const question = takeCode(BODY_BYTES - CONTEXT - 1_000);
  const body = JSON.stringify(route.body({ context: takeCode(CONTEXT), question, streamed: false }));
  return post(route.url(false), body, route.headers).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/**
 * Samples the memory of a stack's process repeatedly. The returned function stops the sampling, and resolves to the
 * maximum.
 */
function watchMemory({ stack }: Route): () => Promise<number> {
  let isStopped = false;
  let peak = 0;
  const watching = (async () => {
    while (!isStopped) {
      peak = Math.max(peak, (await stack.usage()).rssBytes);
      await sleep(SAMPLE_MS);
    }
  })();
  return async () => {
    isStopped = true;
    await watching;
    return peak;
  };
}
