import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, type Figure, stated } from '../figures.js';
import { takeCode } from '../inputs/code.js';
import { post } from '../measure/client.js';
import { startStack } from '../measure/stack-process.js';
import { openOurs, type Route } from '../stacks/routes.js';

const DELAY_MS = 50;
const BODY_BYTES = 20_000;
const CONTEXT = 18_000;
/** Different bodies; each comes again, as the context of a run does. */
const BODIES = 50;
const SECONDS = 15;
const CLOSED_SECONDS = 6;
/** Not counted, at the beginning of each load: as many wait by then as ever will. */
const SETTLING_SECONDS = 5;
/** Between two loads: the callers who still waited have left. */
const PAUSE_MS = 2_000;
const CLOSED_LOOP = 32;
/** Callers who wait at the same time; nobody is sent while there are so many. */
const MOST_WAITING = 3_000;
const TICK_MS = 10;
const MULTIPLES = [1, 2, 10];

interface Load {
  /** 200s a second. */
  readonly answered: number;
  /** 503s a second. */
  readonly refused: number;
  /** Requests a second. */
  readonly sent: number;
}

/** What a service still answers when it is asked for more than it can do; the caller sends at a rate, come what may. */
export async function run({ quick }: { quick: boolean }): Promise<Figure[]> {
  const upstream = await startStack('upstream', { delayMs: DELAY_MS });
  const route = await openOurs(upstream.url);
  const bodies = Array.from({ length: BODIES }, () => bodyOf(route));
  const seconds = quick ? 1 : SECONDS;
  const send: Send = (index, signal) =>
    post(route.url(false), bodies[index % BODIES] ?? '', { signal }).then(({ status }) => status);
  await closedLoop(send, quick ? 1 : CLOSED_SECONDS);
  const capacity = await closedLoop(send, quick ? 1 : CLOSED_SECONDS);
  const loads: Load[] = [];
  for (const times of MULTIPLES) loads.push(await openLoop(send, capacity * times, seconds));
  route.stack.stop();
  upstream.stop();
  const peak = Math.max(capacity, ...loads.map(({ answered }) => answered));
  return [
    ...loads.map(({ answered }, index) =>
      atLeast({ what: `goodput at ${MULTIPLES[index]} × capacity, of its peak`, unit: '%', digits: 0 }, 90, [
        (100 * answered) / peak,
      ]),
    ),
    stated({ what: 'capacity, 20 KB bodies', unit: 'steps a second', digits: 0 }, [capacity]),
    ...loads.map(({ answered }, index) =>
      stated({ what: `answered at ${MULTIPLES[index]} × capacity`, unit: 'steps a second', digits: 0 }, [
        answered,
      ]),
    ),
    ...loads.map(({ refused }, index) =>
      stated({ what: `refused at once at ${MULTIPLES[index]} × capacity`, unit: 'a second', digits: 0 }, [
        refused,
      ]),
    ),
    ...loads.map(({ sent }, index) =>
      stated({ what: `sent at ${MULTIPLES[index]} × capacity`, unit: 'a second', digits: 0 }, [sent]),
    ),
  ];
}

function bodyOf(route: Route): string {
  const question = takeCode(BODY_BYTES - CONTEXT - 1_000);
  return JSON.stringify(route.body({ context: takeCode(CONTEXT), question, streamed: false }));
}

/** Resolves to the status. */
type Send = (index: number, signal?: AbortSignal) => Promise<number>;

/** Answers a second, where so many callers send again as soon as they are answered. */
async function closedLoop(send: Send, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let answered = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) if ((await send(answered)) === 200) answered += 1;
  };
  await Promise.all(Array.from({ length: CLOSED_LOOP }, caller));
  return answered / seconds;
}

async function openLoop(send: Send, perSecond: number, seconds: number): Promise<Load> {
  const begin = performance.now() + SETTLING_SECONDS * 1_000;
  const end = begin + seconds * 1_000;
  const leaving = new AbortController();
  setMaxListeners(MOST_WAITING, leaving.signal);
  const count = { sent: 0, counted: 0, answered: 0, refused: 0, waiting: 0 };
  const caller = async (): Promise<void> => {
    count.waiting += 1;
    const status = await send(count.sent, leaving.signal).catch(() => 0);
    count.waiting -= 1;
    const now = performance.now();
    if (now < begin || now >= end) return;
    if (status === 200) count.answered += 1;
    if (status === 503) count.refused += 1;
  };
  const waits: Promise<void>[] = [];
  for (let last = performance.now(); last < end; ) {
    await sleep(TICK_MS);
    const now = performance.now();
    const due = Math.round(((now - last) / 1_000) * perSecond);
    last = now;
    for (let index = 0; index < due && count.waiting < MOST_WAITING; index += 1) {
      count.sent += 1;
      if (now >= begin) count.counted += 1;
      waits.push(caller());
    }
  }
  leaving.abort();
  await Promise.all(waits);
  await sleep(PAUSE_MS);
  return {
    answered: count.answered / seconds,
    refused: count.refused / seconds,
    sent: count.counted / seconds,
  };
}
