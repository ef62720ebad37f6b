import { atMost, type Figure, type Measured } from '../figures.js';
import { type RelayLoad, sendRound } from '../inputs/relay-load.js';
import { type BenchOptions, COLD_REQUESTS, effortOf, interleave } from '../measure/rounds.js';
import { median, ratios } from '../measure/samples.js';
import { cpuMsOf } from '../measure/stack-process.js';
import { installPeers } from '../peers.js';
import { openRoutes, type Route, type RouteName } from '../stacks/routes.js';

type Routes = Readonly<Record<RouteName, Route>>;
type Peer = 'relay' | 'portkey';

const titles: Readonly<Record<Peer, string>> = { relay: 'Express + SDK', portkey: 'Portkey 1.15' };

interface Comparison {
  readonly what: string;
  /**
   * Route of our service that is compared: `chat` is its `/v1/chat/completions`; the default `ours` is its step
   * endpoint.
   */
  readonly own?: 'ours' | 'chat';
  readonly load: RelayLoad;
  readonly rounds: number;
  /** Bound of our CPU time as a share of each peer's; null to print the share without a bound. */
  readonly cpu: Partial<Record<Peer, number | null>>;
  /** Bound of the latency that we add, as a share of the latency that Portkey adds. */
  readonly latency?: number;
}

const small: RelayLoad = { bytes: 1_000, context: 0, requests: 200, atOnce: 8, streamed: false };
const oneAtATime: RelayLoad = { ...small, requests: 100, atOnce: 1 };
const large: RelayLoad = { ...small, bytes: 50_000, context: 45_000, requests: 100 };
const stream: RelayLoad = { ...small, requests: 24, streamed: true };

const comparisons: readonly Comparison[] = [
  { what: '1 KB', load: small, rounds: 9, cpu: { relay: 0.8, portkey: 0.7 }, latency: 0.7 },
  { what: '1 KB chat', own: 'chat', load: small, rounds: 9, cpu: { portkey: 0.8 } },
  // A round takes a quarter of a second and its times vary by a third, so this comparison needs more rounds.
  { what: '1 KB, one at a time', load: oneAtATime, rounds: 25, cpu: {}, latency: 0.7 },
  { what: '50 KB', load: large, rounds: 9, cpu: { relay: 1, portkey: null } },
  // Portkey is left out, because its streams fail with the newest HTTP server package that it allows.
  { what: '500 chunks', load: stream, rounds: 7, cpu: { relay: 0.8 } },
];

/**
 * Compares our service, which counts tokens, cuts the context and parses the reply, with relays that do none of this.
 * Measures CPU time per request, and added latency.
 */
export async function run(options: BenchOptions): Promise<Figure[]> {
  installPeers();
  const figures: Figure[] = [];
  for (const comparison of comparisons) {
    const warm = await measureWarm(comparison, options);
    const cold = await measureCold(comparison, options);
    figures.push(...cpuFigures(comparison, warm, cold), ...latencyFigures(comparison, warm, cold));
  }
  return figures;
}

/** Cost of a route in one round: CPU time per request, and the median latency that callers see. */
interface Round {
  readonly cpuMs: number;
  readonly p50Ms: number;
}

type Rounds = Readonly<Record<RouteName, readonly Round[]>>;

async function measureWarm(comparison: Comparison, options: BenchOptions): Promise<Rounds> {
  const { load } = comparison;
  const { warmUpRequests, rounds } = effortOf(options, comparison.rounds);
  const routes = await openRoutes();
  for (const name of routesOf(comparison))
    await sendRound(routes[name], { ...load, requests: warmUpRequests, atOnce: small.atOnce });
  const measured = await interleave(routesOf(comparison), rounds, (name) => playRound(routes[name], load));
  closeAll(routes);
  return measured;
}

/** Measures the first requests of fresh processes, not including the start of the process. */
async function measureCold(comparison: Comparison, options: BenchOptions): Promise<Rounds> {
  const load = { ...comparison.load, requests: COLD_REQUESTS };
  const rounds: Record<RouteName, Round[]> = { direct: [], ours: [], chat: [], relay: [], portkey: [] };
  for (let left = effortOf(options, 1).coldProcesses; left > 0; left -= 1) {
    const routes = await openRoutes();
    for (const name of routesOf(comparison)) rounds[name].push(await playRound(routes[name], load));
    closeAll(routes);
  }
  return rounds;
}

/**
 * Returns the routes to measure. With a bound for latency, both peers are measured; otherwise only the peers in `cpu`.
 */
function routesOf({ own = 'ours', cpu, latency }: Comparison): readonly RouteName[] {
  const peers: readonly Peer[] = latency === undefined ? (Object.keys(cpu) as Peer[]) : ['relay', 'portkey']; // `cpu` has only peers as keys.
  return ['direct', own, ...peers];
}

async function playRound(route: Route, load: RelayLoad): Promise<Round> {
  let times: number[] = [];
  const cpuMs = await cpuMsOf(route.stack, async () => {
    times = await sendRound(route, load);
  });
  return { cpuMs: cpuMs / load.requests, p50Ms: median(times) };
}

function closeAll(routes: Routes): void {
  for (const { stack } of Object.values(routes)) stack.stop();
}

function cpuFigures({ what, own: route = 'ours', cpu }: Comparison, warm: Rounds, cold: Rounds): Figure[] {
  const cpuMs = (rounds: Rounds, name: RouteName) => rounds[name].map((round) => round.cpuMs);
  const share = (rounds: Rounds, peer: Peer) => ratios(cpuMs(rounds, route), cpuMs(rounds, peer));
  const peers = Object.keys(cpu) as Peer[]; // `cpu` has only peers as keys.
  const shares = peers.map((peer) => ({
    what: `CPU per request, ${what}: share of ${titles[peer]}`,
    unit: '×',
    digits: 2,
    measured: within(cpu[peer], share(warm, peer)),
    cold: { samples: share(cold, peer) },
  }));
  if (shares.length === 0) return [];
  const own = { measured: { samples: cpuMs(warm, route) }, cold: { samples: cpuMs(cold, route) } };
  return [...shares, { what: `CPU per request, ${what}: this service`, unit: 'ms', digits: 2, ...own }];
}

/**
 * Computes the latency that a route adds in each round: its median latency minus that of direct requests to the
 * provider.
 */
function latencyFigures({ what, latency }: Comparison, warm: Rounds, cold: Rounds): Figure[] {
  if (latency === undefined) return [];
  const added = (rounds: Rounds, name: RouteName) =>
    rounds[name].map(({ p50Ms }, round) => p50Ms - (rounds.direct[round]?.p50Ms ?? Number.NaN));
  const share = (rounds: Rounds) => ratios(added(rounds, 'ours'), added(rounds, 'portkey'));
  const title = `added latency p50, ${what}`;
  const own = (name: RouteName) => ({
    measured: { samples: added(warm, name) },
    cold: { samples: added(cold, name) },
  });
  return [
    {
      what: `${title}: share of ${titles.portkey}`,
      unit: '×',
      digits: 2,
      measured: within(latency, share(warm)),
      cold: { samples: share(cold) },
    },
    { what: `${title}: this service`, unit: 'ms', digits: 2, ...own('ours') },
    ...(['relay', 'portkey'] as const).map((peer) => ({
      what: `${title}: ${titles[peer]}`,
      unit: 'ms',
      digits: 2,
      ...own(peer),
    })),
  ];
}

const within = (bound: number | null | undefined, samples: readonly number[]): Measured =>
  typeof bound === 'number' ? atMost(bound, samples) : { samples };
