import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readConfig } from '../src/service/config.js';
import { startService } from '../src/service/start.js';
import { startNaiveStack } from './naive-stack.js';

export type StackName = 'ours' | 'plain';

/** What a stack in a process of its own has used since it was asked last. */
interface Spent {
  readonly cpuMs: number;
  /** The longest that its event loop was held. */
  readonly heldMs: number;
}

export interface StackProcess {
  readonly url: string;
  spent(): Promise<Spent>;
  stop(): void;
}

const starts: Readonly<Record<StackName, (upstreamUrl: string) => Promise<string>>> = {
  plain: (upstreamUrl) => startNaiveStack(`${upstreamUrl}/v1`),
  ours: async (upstreamUrl) => {
    const config = readConfig({
      PORT: '0',
      OFFLINE_MODEL: 'off',
      OPENAI_UPSTREAM_URL: `${upstreamUrl}/v1`,
      ANTHROPIC_UPSTREAM_URL: upstreamUrl,
    });
    return (await startService(config, pino({ level: 'silent' }))).url;
  },
};

/** Starts a stack in a process of its own, so that what it uses is not mixed with what the bench uses. */
export async function startStack(name: StackName, upstreamUrl: string): Promise<StackProcess> {
  const child = fork(fileURLToPath(import.meta.url), [name, upstreamUrl]);
  const url: string = await answer(child);
  return {
    url,
    spent: () => {
      child.send('spent');
      return answer(child);
    },
    stop: () => child.kill(),
  };
}

async function answer<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message');
  return message;
}

async function serveAsChild(name: StackName, upstreamUrl: string): Promise<void> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  let before = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(before);
    process.send?.({ cpuMs: (user + system) / 1_000, heldMs: loop.max / 1e6 } satisfies Spent);
    before = process.cpuUsage();
    loop.reset();
  });
  loop.enable();
  process.send?.(await starts[name](upstreamUrl));
}

const [, entry, name, upstreamUrl] = process.argv;
if (entry === fileURLToPath(import.meta.url) && (name === 'ours' || name === 'plain') && upstreamUrl) {
  await serveAsChild(name, upstreamUrl);
}
