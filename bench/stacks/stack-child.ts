import type { Settings } from '../../src/service/settings/settings.js';
import type { UpstreamOptions } from './upstream.js';

export interface StackOptions extends UpstreamOptions {
  /** URL of the provider, without `/v1`. */
  readonly upstreamUrl?: string;
  /** Settings of the service that override those of the benchmark. */
  readonly settings?: Settings;
}

export interface Usage {
  /** CPU time since the last query, of all threads of the process. */
  readonly cpuMs: number;
  /** Current resident memory of the process. */
  readonly rssBytes: number;
}

type Start = (upstreamUrl: string, options: StackOptions) => Promise<string>;

/**
 * Functions that start the stacks. Each imports only the code of its own stack, and resolves to the URL of the running
 * stack.
 */
const starts = {
  stepwise: async (url, { settings }) =>
    (await import('./stepwise-stack.js')).startStepwiseStack(url, settings),
  plain: async (url) => (await import('./plain-stack.js')).startPlainStack(url),
  relay: async (url) => (await import('./relay-stack.js')).startRelayStack(url),
  portkey: async () => (await import('./portkey-stack.js')).startPortkeyStack(),
  upstream: async (_, options) => (await import('./upstream.js')).startUpstream(options),
} satisfies Readonly<Record<string, Start>>;

export type StackName = keyof typeof starts;

const [, , name, given] = process.argv;
const options: StackOptions = JSON.parse(given ?? '{}');
let before = process.cpuUsage();

process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  const usage: Usage = { cpuMs: (user + system) / 1_000, rssBytes: process.memoryUsage.rss() };
  before = process.cpuUsage();
  process.send?.(usage);
});

const start: Start = starts[name as StackName]; // `startStack` accepts only these names.
process.send?.(await start(options.upstreamUrl ?? '', options));
