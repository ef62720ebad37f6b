import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Settings } from '../../src/service/config.js';
import type { UpstreamOptions } from './upstream.js';

export interface StackOptions extends UpstreamOptions {
  /** Where the stack finds its provider, without `/v1`. */
  readonly upstreamUrl?: string;
  /** Of the service, over the bench's. */
  readonly settings?: Settings;
  /** Whether to note how long the event loop is held, which costs a timer a millisecond. */
  readonly watchLoop?: boolean;
}

/** What a stack has used since it was asked last. */
export interface Spent {
  /** Of all threads of its process. */
  readonly cpuMs: number;
  /** The longest that its event loop was held; 0 where it is not watched. */
  readonly heldMs: number;
  /** What it holds now. */
  readonly rssBytes: number;
}

type Start = (upstreamUrl: string, options: StackOptions) => Promise<string>;

/** Each answers with the URL it listens on, and loads nothing of the others. */
const starts = {
  stepwise: async (url, { settings }) =>
    (await import('./stepwise-stack.js')).startStepwiseStack(url, settings),
  plain: async (url) => (await import('./plain-stack.js')).startPlainStack(url),
  relay: async (url) => (await import('./relay-stack.js')).startRelayStack(url),
  portkey: async () => (await import('./portkey-stack.js')).startPortkeyStack(),
  floor: async (url) => (await import('./floor-stack.js')).startFloorStack(url),
  upstream: async (_, options) => (await import('./upstream.js')).startUpstream(options),
} satisfies Readonly<Record<string, Start>>;

export type StackName = keyof typeof starts;

const [, , name, given] = process.argv;
const options: StackOptions = JSON.parse(given ?? '{}');
const loop = monitorEventLoopDelay({ resolution: 1 });
const session = new Session();
let before = process.cpuUsage();

const answers: Readonly<Record<string, () => Promise<unknown>>> = {
  spent: async () => {
    const { user, system } = process.cpuUsage(before);
    const spent: Spent = {
      cpuMs: (user + system) / 1_000,
      heldMs: options.watchLoop ? loop.max / 1e6 : 0,
      rssBytes: process.memoryUsage.rss(),
    };
    before = process.cpuUsage();
    loop.reset();
    return spent;
  },
  profile: async () => {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
  },
  profiled: async () => (await session.post('Profiler.stop')).profile,
};

process.on('message', async (question: string) => process.send?.((await answers[question]?.()) ?? null));
if (options.watchLoop) loop.enable();
const start: Start = starts[name as StackName]; // the parent has checked it
process.send?.(await start(options.upstreamUrl ?? '', options));
