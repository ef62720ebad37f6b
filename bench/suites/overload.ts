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
/** V8 has compiled what is hot by their end. */
const WARM_UP_SECONDS = 8;
const SECONDS = 3;
/** Not counted, at the beginning of each load: as many wait by then as ever will. */
const SETTLING_SECONDS = 1.5;
/** Between two loads: the callers who still waited have left. */
const PAUSE_MS = 1_000;
const CLOSED_LOOP = 32;
/** Callers who wait at the same time; nobody is sent while there are so many. */
const MOST_WAITING = 3_000;
const TICK_MS = 10;
const MULTIPLES = [1, 2, 10];
const ROUNDS = 3;

/** What was measured close together, so that a drift of the machine meets all of it alike. */
interface Round {
  /** Steps a second where each caller waits for its answer. */
  readonly capacity: number;
  /** By how many times the capacity was sent. */
  readonly loads: ReadonlyMap<number, Load>;
}

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
  await closedLoop(send, quick ? 1 : WARM_UP_SECONDS);
  const rounds: Round[] = [];
  while (rounds.length < (quick ? 1 : ROUNDS)) rounds.push(await measure(send, seconds, rounds.length));
  route.stack.stop();
  upstream.stop();
  return figuresOf(rounds);
}

/** The load that begins changes from round to round. */
async function measure(send: Send, seconds: number, round: number): Promise<Round> {
  const capacity = await closedLoop(send, seconds);
  const loads = new Map<number, Load>();
  for (const times of round % 2 ? MULTIPLES.toReversed() : MULTIPLES)
    loads.set(times, await openLoop(send, capacity * times, seconds));
  return { capacity, loads };
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const of = (times: number, field: keyof Load) =>
    rounds.map(({ loads }) => loads.get(times)?.[field] ?? Number.NaN);
  const peaks = rounds.map(({ capacity, loads }) =>
    Math.max(capacity, ...[...loads.values()].map(({ answered }) => answered)),
  );
  const steps = { unit: 'steps a second', digits: 0 };
  return [
    ...MULTIPLES.map((times) =>
      atLeast(
        { what: `goodput at ${times} × capacity, of its peak`, unit: '%', digits: 0 },
        90,
        of(times, 'answered').map((answered, round) => (100 * answered) / (peaks[round] ?? Number.NaN)),
      ),
    ),
    stated(
      { what: 'capacity, 20 KB bodies', ...steps },
      rounds.map(({ capacity }) => capacity),
    ),
    ...MULTIPLES.flatMap((times) => [
      stated({ what: `answered at ${times} × capacity`, ...steps }, of(times, 'answered')),
      stated({ what: `refused at once at ${times} × capacity`, ...steps }, of(times, 'refused')),
      stated({ what: `sent at ${times} × capacity`, ...steps }, of(times, 'sent')),
    ]),
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
