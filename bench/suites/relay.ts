import { atMost, type Figure, stated } from '../figures.js';
import { type RelayLoad, sendRound } from '../inputs/relay-load.js';
import { interleave } from '../measure/rounds.js';
import { median, quantile, ratios } from '../measure/samples.js';
import { installPeers } from '../peers.js';
import { openRoutes, type Route, type RouteName } from '../stacks/routes.js';

type Routes = Readonly<Record<RouteName, Route>>;
type Relay = Exclude<RouteName, 'direct'>;

const relays: Readonly<Record<Exclude<Relay, 'ours'>, string>> = {
  relay: 'Express + SDK',
  portkey: 'Portkey 1.15',
  floor: 'node:http + undici',
};

interface Comparison {
  readonly what: string;
  readonly load: RelayLoad;
  /** The service's share of another's CPU, at most. */
  readonly wanted: Partial<Record<Relay, number>>;
}

/**
 * Every stack has answered some thousands before anything is kept: measured in a row, each of them falls for so long, since
 * the JIT compiles on, on threads of its own.
 */
const small: RelayLoad = {
  bytes: 1_000,
  context: 0,
  requests: 200,
  atOnce: 8,
  streamed: false,
  warmUp: 20,
  kept: 9,
};
const large: RelayLoad = { ...small, bytes: 50_000, context: 45_000, requests: 100, warmUp: 30 };
/** A round is a quarter of a second here, and one differs from the next by a third: more of them. */
const alone: RelayLoad = { ...small, requests: 100, atOnce: 1, warmUp: 4, kept: 25 };
const together: RelayLoad = { ...small, warmUp: 4 };
const stream: RelayLoad = { ...small, requests: 24, streamed: true, warmUp: 80, kept: 7 };
const slowStream: RelayLoad = { ...stream, warmUp: 1, kept: 3 };
const SLOW_CHUNK_MS = 2;

/** A step that counts, cuts and parses, beside relays that do nothing of it: CPU, and the time that each adds. */
export async function run({ quick }: { quick: boolean }): Promise<Figure[]> {
  installPeers();
  const once = (load: RelayLoad): RelayLoad => (quick ? { ...load, warmUp: 0, kept: 1 } : load);
  const routes = await openRoutes();
  const figures = [
    ...(await compareCpu(routes, { what: '1 KB', load: once(small), wanted: { relay: 1, portkey: 0.5 } })),
    ...(await compareCpu(routes, { what: '50 KB', load: once(large), wanted: { relay: 1 } })),
    ...(await compareCpu(routes, { what: '500 chunks', load: once(stream), wanted: { relay: 0.25 } })),
    ...(await compareLatency(routes, once(together))),
    ...(await compareLatency(routes, once(alone))),
  ];
  closeAll(routes);
  const slow = await openRoutes({ chunkEveryMs: SLOW_CHUNK_MS });
  const what = `500 chunks, ${SLOW_CHUNK_MS} ms apart`;
  figures.push(...(await compareCpu(slow, { what, load: once(slowStream), wanted: {} })));
  closeAll(slow);
  return figures;
}

function closeAll(routes: Routes): void {
  for (const route of Object.values(routes)) route.stack.stop();
}

async function compareCpu(routes: Routes, { what: kind, load, wanted }: Comparison): Promise<Figure[]> {
  const what = `${kind} (warm by ${load.warmUp * load.requests})`;
  // The gateway's streams fail with the newest of the servers that its package allows.
  const others = load.streamed ? (['relay', 'floor'] as const) : (['relay', 'portkey', 'floor'] as const);
  const names = ['ours', ...others] as const;
  const ms = await interleave(names, load, (name) => cpuPerRequest(routes[name], load));
  const shares = others.map((name) => {
    const quantity = { what: `CPU per request, ${what}, of that of ${relays[name]}`, unit: '×', digits: 2 };
    const bound = wanted[name];
    const share = ratios(ms.ours, ms[name]);
    return bound === undefined ? stated(quantity, share) : atMost(quantity, bound, share);
  });
  return [
    ...shares,
    stated({ what: `CPU per request, ${what}: this service`, unit: 'ms', digits: 2 }, ms.ours),
  ];
}

async function cpuPerRequest(route: Route, load: RelayLoad): Promise<number> {
  await route.stack.spent();
  await sendRound(route, load);
  return (await route.stack.spent()).cpuMs / load.requests;
}

/**
 * What a relay adds is the difference to asking the provider itself: of the medians of each round, and at the 99th percentile,
 * for which one round is too short, of all rounds together.
 */
async function compareLatency(routes: Routes, load: RelayLoad): Promise<Figure[]> {
  const names = ['direct', 'ours', 'relay', 'portkey', 'floor'] as const;
  const rounds = await interleave(names, load, (name) => sendRound(routes[name], load));
  const p99 = (name: RouteName): number => quantile(rounds[name].flat(), 0.99);
  const added = {
    p50: (name: RouteName) =>
      rounds[name].map((times, round) => median(times) - median(rounds.direct[round] ?? [])),
    p99: (name: RouteName) => [p99(name) - p99('direct')],
  };
  return (['p50', 'p99'] as const).flatMap((percentile) => {
    const what = `added latency ${percentile}, 1 KB, ${load.atOnce} at a time`;
    const share = ratios(added[percentile]('ours'), added[percentile]('portkey'));
    return [
      atMost({ what: `${what}, of that of ${relays.portkey}`, unit: '×', digits: 2 }, 0.5, share),
      stated({ what: `${what}: this service`, unit: 'ms', digits: 2 }, added[percentile]('ours')),
      ...(['relay', 'portkey', 'floor'] as const).map((name) =>
        stated({ what: `${what}: ${relays[name]}`, unit: 'ms', digits: 2 }, added[percentile](name)),
      ),
    ];
  });
}
