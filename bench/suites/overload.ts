import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, type Figure, stated } from '../figures.js';
import { takeCode } from '../inputs/code.js';
import { post } from '../measure/client.js';
import { openLoop } from '../measure/open-loop.js';
import { startStack } from '../measure/stack-process.js';
import { openOurs } from '../stacks/routes.js';

const BODY_BYTES = 20_000;
const CONTEXT = 18_000;
/** Different bodies; each comes again, as the context of a run does. */
const BODIES = 50;
/** V8 has compiled what is hot by their end. */
const WARM_UP_SECONDS = 8;
const SECONDS = 3;
const SETTLING_SECONDS = 2;
/** Between two loads: what still waited was answered, or has left. */
const PAUSE_MS = 1_000;
const ROUNDS = 3;

/** What bounds a service: how many steps it takes at a time, while each waits for a model, or its processor. */
interface Bound {
  readonly what: string;
  /** Of the fake provider, on average. */
  readonly delayMs: number;
  readonly inFlight?: number;
  /** Callers who each wait for their answer, enough to reach the capacity. */
  readonly callers: number;
  readonly offers: readonly Offer[];
}

/** So many times the capacity, sent at its rate come what may. */
interface Offer {
  readonly what: string;
  readonly times: number;
}

const once: Offer = { what: '1 × capacity', times: 1 };
const twice: Offer = { what: '2 × capacity', times: 2 };
const tenfold: Offer = { what: '10 × capacity', times: 10 };
/** A full processor takes no more connections than it answers on: how much of the rate is offered is only told. */
const allWaiting: Offer = { what: 'all connections waiting', times: 10 };

const bounds: readonly Bound[] = [
  {
    what: '128 at a time',
    delayMs: 800,
    inFlight: 128,
    callers: 128,
    offers: [once, twice, tenfold],
  },
  { what: 'processor', delayMs: 50, callers: 200, offers: [once, allWaiting] },
];

/** What was measured close together, so that a drift of the machine meets all of it alike. */
interface Round {
  /** Steps a second where each caller waits for its answer. */
  readonly capacity: number;
  readonly loads: ReadonlyMap<Offer, Load>;
}

/** A second. */
interface Load {
  /** 200s. */
  readonly answered: number;
  /** 503s. */
  readonly refused: number;
  /** Requests that were sent. */
  readonly offered: number;
}

/** What a service still answers when it is asked for more than it can do; the caller sends at a rate, come what may. */
export async function run({ quick }: { quick: boolean }): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const bound of bounds) figures.push(...figuresOf(bound, await measure(bound, quick)));
  return figures;
}

async function measure(bound: Bound, quick: boolean): Promise<Round[]> {
  // As models do: callers who began together and each waited for the same time would be answered in waves for ever, and a
  // window of seconds would count whole ones, more than were ever possible at a time.
  const upstream = await startStack('upstream', { delayMs: bound.delayMs, spread: true });
  const route = await openOurs(upstream.url, bound.inFlight ? { MAX_IN_FLIGHT: bound.inFlight } : {});
  const question = (): string => takeCode(BODY_BYTES - CONTEXT - 1_000);
  const bodies = Array.from({ length: BODIES }, () =>
    JSON.stringify(route.body({ context: takeCode(CONTEXT), question: question(), streamed: false })),
  );
  const target: Target = { url: route.url(false), bodies, bound };
  await closedLoop(target, quick ? 1 : WARM_UP_SECONDS);
  const rounds: Round[] = [];
  while (rounds.length < (quick ? 1 : ROUNDS))
    rounds.push(await playRound(target, quick ? 1 : SECONDS, rounds.length));
  route.stack.stop();
  upstream.stop();
  return rounds;
}

interface Target {
  readonly url: string;
  readonly bodies: readonly string[];
  readonly bound: Bound;
}

/** The load that begins changes from round to round. */
async function playRound(target: Target, seconds: number, round: number): Promise<Round> {
  const { url, bodies, bound } = target;
  const capacity = await closedLoop(target, seconds);
  const loads = new Map<Offer, Load>();
  for (const offer of round % 2 ? bound.offers.toReversed() : bound.offers) {
    const perSecond = capacity * offer.times;
    const timing = { settlingMs: SETTLING_SECONDS * 1_000, countedMs: seconds * 1_000 };
    const { sent, answers } = await openLoop({ url, bodies, perSecond, ...timing });
    loads.set(offer, { offered: sent, answered: answers.get(200) ?? 0, refused: answers.get(503) ?? 0 });
    await sleep(PAUSE_MS);
  }
  return { capacity, loads };
}

/** Answers a second, where so many callers send again as soon as they are answered; the first of each are not counted. */
async function closedLoop({ url, bodies, bound }: Target, seconds: number): Promise<number> {
  const begin = performance.now() + 2 * bound.delayMs;
  const end = begin + seconds * 1_000;
  let sent = 0;
  let answered = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const { status } = await post(url, bodies[sent++ % bodies.length] ?? '');
      const now = performance.now();
      if (status === 200 && now >= begin && now < end) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: bound.callers }, caller));
  return answered / seconds;
}

const steps = { unit: 'steps a second', digits: 0 };

function figuresOf({ what, offers }: Bound, rounds: readonly Round[]): Figure[] {
  const capacity = stated(
    { what: `capacity, 20 KB bodies (${what})`, ...steps },
    rounds.map((round) => round.capacity),
  );
  return [...offers.flatMap((offer) => figuresOfOffer(offer, what, rounds)), capacity];
}

function figuresOfOffer(offer: Offer, bound: string, rounds: readonly Round[]): Figure[] {
  const at = `at ${offer.what} (${bound})`;
  const of = (field: keyof Load) => rounds.map(({ loads }) => loads.get(offer)?.[field] ?? Number.NaN);
  const ofPeak = of('answered').map((answered, round) => (100 * answered) / peakOf(rounds[round]));
  const ofRate = of('offered').map(
    (offered, round) => (100 * offered) / (offer.times * (rounds[round]?.capacity ?? Number.NaN)),
  );
  const rate = { what: `really offered ${at}`, unit: '%', digits: 0 };
  return [
    atLeast({ what: `goodput ${at}, of its peak`, unit: '%', digits: 0 }, 90, ofPeak),
    offer === allWaiting ? stated(rate, ofRate) : atLeast(rate, 95, ofRate),
    ...(['answered', 'refused', 'offered'] as const).map((field) =>
      stated({ what: `${field} ${at}`, ...steps }, of(field)),
    ),
  ];
}

function peakOf(round: Round | undefined): number {
  if (!round) return Number.NaN;
  return Math.max(round.capacity, ...[...round.loads.values()].map(({ answered }) => answered));
}
