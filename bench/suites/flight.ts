import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure, stated } from '../figures.js';
import { takeCode } from '../inputs/code.js';
import { post } from '../measure/client.js';
import { startStack } from '../measure/stack-process.js';
import { openOurs, openRelay, type Route } from '../stacks/routes.js';

const IN_FLIGHT = 2_000;
const BODY_BYTES = 50_000;
const CONTEXT = 45_000;
const DELAY_MS = 10_000;
/** Answered at once, so that what a process loads with its first requests is not taken for theirs. */
const WARM_UP = 50;
/** Well below what either can take in, also beside others: how fast they are is not the question. */
const PER_SECOND = 50;
const SAMPLE_MS = 200;
/** One socket to the caller and one to the provider for each request, and some of its own. */
const OPEN_FILES = 2 * IN_FLIGHT + 200;

interface Flight {
  readonly failed: number;
  /** The most that the process grew by while they were in flight, for each, as a multiple of its body. */
  readonly bodies: number;
}

/** Memory of two thousand requests that wait for their provider: none is answered before all have arrived there. */
export async function run({ quick }: { quick: boolean }): Promise<Figure[]> {
  const limit = openFilesLimit();
  if (limit < OPEN_FILES) {
    console.log(`flight needs ${OPEN_FILES} open files, and ulimit -n says ${limit}: left out`);
    return [];
  }
  const count = quick ? 100 : IN_FLIGHT;
  const ours = await fly(openOurs, count);
  const relay = await fly(openRelay, count);
  const memory = `${count} in flight, 50 KB each: memory of one`;
  const failed = `${count} in flight, 50 KB each: failed`;
  return [
    atMost({ what: memory, unit: '× body' }, 2.6, [ours.bodies]),
    atMost({ what: failed, unit: 'requests', digits: 0 }, 0, [ours.failed]),
    stated({ what: `${memory}, Express + SDK`, unit: '× body' }, [relay.bodies]),
    stated({ what: `${failed}, Express + SDK`, unit: 'requests', digits: 0 }, [relay.failed]),
  ];
}

function openFilesLimit(): number {
  // Node documents the report as JSON and types it as an object.
  const report = process.report.getReport() as { userLimits?: { open_files: { soft: number | string } } };
  const soft = Number(report.userLimits?.open_files.soft);
  return Number.isNaN(soft) ? Number.POSITIVE_INFINITY : soft;
}

async function fly(open: (upstreamUrl: string) => Promise<Route>, count: number): Promise<Flight> {
  const upstream = await startStack('upstream', { delayMs: DELAY_MS, warmUp: WARM_UP, holdUntil: count });
  const route = await open(upstream.url);
  for (let index = 0; index < WARM_UP; index += 1) await isAnswered(route);
  const { rssBytes: before } = await route.stack.spent();
  const watch = watchMemory(route);
  const answers: Promise<boolean>[] = [];
  for (let index = 0; index < count; index += 1) {
    answers.push(isAnswered(route));
    await sleep(1_000 / PER_SECOND);
  }
  const failed = (await Promise.all(answers)).filter((isFine) => !isFine).length;
  const peak = await watch();
  route.stack.stop();
  upstream.stop();
  return { failed, bodies: (peak - before) / count / BODY_BYTES };
}

async function isAnswered(route: Route): Promise<boolean> {
  const question = takeCode(BODY_BYTES - CONTEXT - 1_000);
  const body = JSON.stringify(route.body({ context: takeCode(CONTEXT), question, streamed: false }));
  return post(route.url(false), body, { headers: route.headers }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Looks at the process again and again; the result ends that, with the most it has held. */
function watchMemory({ stack }: Route): () => Promise<number> {
  let isStopped = false;
  let peak = 0;
  const watching = (async () => {
    while (!isStopped) {
      peak = Math.max(peak, (await stack.spent()).rssBytes);
      await sleep(SAMPLE_MS);
    }
  })();
  return async () => {
    isStopped = true;
    await watching;
    return peak;
  };
}
