import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { StackName, StackOptions, Usage } from '../stacks/stack-child.js';

/** A stack in its own process, so that its CPU and memory are not mixed with the bench's. */
export interface StackProcess {
  readonly url: string;
  /** Returns the CPU since the last call, and the current memory. */
  usage(): Promise<Usage>;
  stop(): void;
}

const entry = new URL('../stacks/stack-child.js', import.meta.url);

export async function startStack(name: StackName, options: StackOptions = {}): Promise<StackProcess> {
  const child = fork(entry, [name, JSON.stringify(options)], {
    // Without this flag V8 takes a stack that waits for its turn for idle, and discards its optimized code.
    execArgv: ['--no-memory-reducer'],
    // Log lines are written at their usual cost and discarded.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The stack ${name} ended with exit code ${code}.`);
  });
  // Handles the rejection after `stop`, when nothing waits for `ended`.
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

/** Returns the CPU milliseconds that the stack's process used during the work, on all its threads. */
export async function cpuMsOf(stack: StackProcess, work: () => Promise<unknown>): Promise<number> {
  await stack.usage();
  await work();
  return (await stack.usage()).cpuMs;
}
