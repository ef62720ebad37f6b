import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Profiler } from 'node:inspector';
import type { Spent, StackName, StackOptions } from '../stacks/stack-child.js';

/** A stack in a process of its own, so that what it uses is not mixed with what the bench uses. */
export interface StackProcess {
  readonly url: string;
  spent(): Promise<Spent>;
  /** The profile of what it does until the work is done. */
  profile(work: () => Promise<void>): Promise<Profiler.Profile>;
  stop(): void;
}

const entry = new URL('../stacks/stack-child.js', import.meta.url);

export async function startStack(name: StackName, options: StackOptions = {}): Promise<StackProcess> {
  const child = fork(entry, [name, JSON.stringify(options)], {
    // Its log goes where a log costs what it costs, and is not read.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The stack ${name} ended with exit code ${code}.`);
  });
  // It ends as well when it is stopped, and nobody waits then.
  ended.catch(() => undefined);
  const answer = async <Answer>(): Promise<Answer> => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  const ask = <Answer>(question: string): Promise<Answer> => {
    child.send(question);
    return answer();
  };
  return {
    url: await answer<string>(),
    spent: () => ask('spent'),
    profile: async (work) => {
      await ask('profile');
      await work();
      return ask('profiled');
    },
    stop: () => child.kill(),
  };
}
