import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { StackName, StackOptions, Usage } from '../stacks/stack-child.js';

/**
 * A compared server (a stack) in a process of its own, so that its CPU time and memory are measured separately from
 * those of the benchmark.
 */
export interface StackProcess {
  readonly url: string;
  /** Resolves to the CPU time since the last call, and to the current memory. */
  usage(): Promise<Usage>;
  stop(): void;
}

const entry = new URL('../stacks/stack-child.js', import.meta.url);

export async function startStack(name: StackName, options: StackOptions = {}): Promise<StackProcess> {
  const child = fork(entry, [name, JSON.stringify(options)], {
    // Without this flag, V8 would consider a stack idle while it waits for its turn, and would discard its
    // optimized code.
    execArgv: ['--no-memory-reducer'],
    // The log lines of the stack are discarded, but the stack still spends the usual time on writing them.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The stack ${name} ended with exit code ${code}.`);
  });
  // After `stop`, nothing awaits `ended` any more, so its rejection is handled here.
  ended.catch(() => undefined);
  const answer = async <Answer>(): Promise<Answer> => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  return {
    url: await answer<string>(),
    usage: () => {
      child.send('usage');
      return answer<Usage>();
    },
    stop: () => child.kill(),
  };
}

/** Returns the CPU milliseconds that all threads of the stack's process used during the work. */
export async function cpuMsOf(stack: StackProcess, work: () => Promise<unknown>): Promise<number> {
  await stack.usage();
  await work();
  return (await stack.usage()).cpuMs;
}
