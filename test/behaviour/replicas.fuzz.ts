import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { RecordedRequest, ScriptedReply } from '../../src/offline/wire/reply.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { RunEvent } from '../../src/sdk/run/run-events.js';
import type { RunResult } from '../../src/sdk/run/run-result.js';
import { needs } from '../support/needs.js';
import { Nginx, nginxServer } from '../support/nginx.js';
import { sendRaw } from '../support/raw-request.js';
import { key, llmConfig, lookUp, task } from '../support/run-harness.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { until } from '../support/until.js';
import { stepRequest } from '../support/whole-service.js';

/** The shutdown settings that docs/operating.md recommends. */
const settings = { SHUTDOWN_DELAY_MS: '5000', TRUST_PROXY: '1' };

/** A replica with a separate provider, whose requests show what this replica did. */
interface Replica {
  readonly provider: FakeProvider;
  process: ServiceProcess;
}

let replicas: Replica[] = [];
let nginx: Nginx | undefined;
afterEach(async () => {
  await nginx?.stop();
  for (const replica of replicas.splice(0)) {
    await kill(replica); // a kill is enough here; the tests below check regular shutdowns
    await replica.provider.close();
  }
});

async function startReplica(): Promise<Replica> {
  const provider = await startFakeProvider();
  return { provider, process: await startServiceProcess({ ...upstreamsAt(provider.url), ...settings }) };
}

async function startBoth(): Promise<Nginx> {
  replicas = await Promise.all([startReplica(), startReplica()]);
  nginx = await Nginx.start(replicas.map(({ process }) => process));
  return nginx;
}

/** Replaces a replica that has ended by a new process on the same port. */
async function startAgain(replica: Replica): Promise<void> {
  const { port } = new URL(replica.process.url);
  const environment = { ...upstreamsAt(replica.provider.url), ...settings, PORT: port };
  replica.process = await startServiceProcess(environment);
}

const asked = (): RecordedRequest[] => replicas.flatMap(({ provider }) => provider.requests);

/** Returns the number of observations in the prompt; the scripted replies depend on nothing else. */
const seen = ({ rawBody }: RecordedRequest): number => rawBody.match(/part \d+ is 42/g)?.length ?? 0;

const STEPS = 7;
const replyTo = (request: RecordedRequest): ScriptedReply => {
  const part = seen(request);
  const text = `Thought: I look at what comes next, which is part ${part}.\nAction: look_up(key="part ${part}")`;
  return { text: part < STEPS - 1 ? text : 'Thought: I know it.\nFinal Answer: It is 42.' };
};

const plain = 'before the response headers';
const streamed = 'in the middle of a stream';
type Moment = typeof plain | typeof streamed;

describe('a run whose replica is killed with SIGKILL (rule: replicas)', () => {
  const when = needs(nginxServer).test.each;

  when([
    [plain, 2],
    [plain, 5],
    [streamed, 1],
    [streamed, 4],
  ] as const)(
    'a run whose replica is killed %s in step %d repeats only the attempt in progress',
    async (moment, atStep) => {
      const { url } = await startBoth();
      scriptAll(replyTo);
      const whole = await run(url, moment === streamed);
      const before = new Set(asked());
      const kill = killAt(atStep, moment);
      const broken = await run(url, moment === streamed, kill.onEvent);
      expect(kill.killed()).toBe(1);
      expect(comparable(broken.result)).toEqual(comparable(whole.result));
      const retries = broken.events.filter(({ type }) => type === 'agent_error');
      expect(retries).toEqual([expect.objectContaining({ retryInMs: expect.any(Number) })]);
      const times = Array<number>(STEPS).fill(0);
      for (const request of asked().filter((each) => !before.has(each)))
        times[seen(request)] = (times[seen(request)] ?? 0) + 1;
      expect(times).toEqual(times.map((_, step) => (step === atStep ? 2 : 1)));
    },
    60_000,
  );

  when([plain, streamed])(
    'a caller whose replica is killed %s gets 502 or a broken stream, and no second model call is made',
    async (moment) => {
      const { url } = await startBoth();
      scriptAll((request) => ({ ...replyTo(request), delayMs: 60_000 }));
      const answer = sendRaw(url, { path: pathOf(moment === streamed) }).then(
        ({ status }) => `HTTP ${status}`,
        (error: Error) => error.message,
      );
      await until(() => asked().length > 0);
      await killWhoIsAsked();
      expect(await answer).toBe(moment === streamed ? 'aborted' : 'HTTP 502');
      await wait(1_000);
      expect(asked()).toHaveLength(1);
    },
    60_000,
  );

  when([false, true])(
    'a run has no error if a replica is killed between two of its steps, streamed: %s',
    async (stream) => {
      const { url } = await startBoth();
      scriptAll(replyTo);
      let killed = false;
      const { events, result } = await run(url, stream, async ({ type }) => {
        if (type !== 'agent_reason' || killed) return;
        killed = true;
        await kill(replicas[0]);
      });
      expect([result.answer, events.filter(({ type }) => type === 'agent_error')]).toEqual(['It is 42.', []]);
      expect(asked()).toHaveLength(STEPS);
    },
    60_000,
  );
});

describe('a rolling restart under load (rules: replicas, shutdown)', () => {
  const when = needs(nginxServer).test;

  when(
    'a restart that is announced to nginx fails no request and repeats none, and /readyz returns 503',
    async () => {
      const { nginx: balancer, load } = await startLoaded();
      for (const replica of replicas) {
        const exit = replica.process.stop();
        await untilReady(replica, 503);
        balancer.reload(replica.process);
        expect(await exit).toBe(0);
        await startAgain(replica);
        await untilReady(replica, 200);
        balancer.reload();
      }
      await wait(1_000);
      const { ends, failed } = summarize('announced', await load.stop());
      expect(failed).toEqual([]);
      expect(asked()).toHaveLength(ends.length);
    },
    120_000,
  );

  when(
    'after a restart that is not announced, nginx finds the listener closed and uses the other replica',
    async () => {
      const { load } = await startLoaded();
      for (const replica of replicas) {
        expect(await replica.process.stop()).toBe(0);
        await startAgain(replica);
        // After a refused connection nginx avoids the replica for a few seconds; this wait is longer.
        await wait(6_000);
      }
      const { ends, failed } = summarize('unannounced', await load.stop());
      // The kernel resets a connection that arrives at the moment the listener closes; the service never accepted it.
      expect(failed.slice(1)).toEqual([]);
      expect(asked().length).toBeLessThanOrEqual(ends.length);
    },
    120_000,
  );
});

const untilReady = async ({ process: { url } }: Replica, status: number): Promise<void> => {
  await until(async () => (await fetch(`${url}/readyz`)).status === status);
};

async function startLoaded() {
  const balancer = await startBoth();
  scriptAll(() => ({ text: 'Final Answer: 42', delayMs: 20 + Math.random() * 400, chunkDelayMs: 50 }));
  return { nginx: balancer, load: startLoad(balancer.url) };
}

/** Runs callers that make one step after the other, plain and streamed, each on a connection of its own. */
function startLoad(url: string) {
  const ends: string[] = [];
  let stopped = false;
  const caller = async (number: number): Promise<void> => {
    for (let count = 0; !stopped; count += 1) {
      const stream = (number + count) % 2 === 0;
      const id = `load-${number}-${count}`;
      ends.push(await ask(url, id, stream));
    }
  };
  const callers = Promise.all(Array.from({ length: 8 }, (_, number) => caller(number)));
  return {
    stop: async () => {
      stopped = true;
      await callers;
      return ends;
    },
  };
}

/**
 * Returns `answered`, or a description of how the step failed. Retries if a replica refuses because its event loop
 * lags: the machine causes that, not the restart.
 */
async function ask(url: string, id: string, stream: boolean): Promise<string> {
  const body = stepRequest({ user_query: `What is ${id}?` });
  try {
    const { status, text } = await sendRaw(url, { path: pathOf(stream), body });
    if (status === 503 && text.includes('"code":"overloaded"')) {
      await wait(1_000); // as its Retry-After says
      return ask(url, id, stream);
    }
    const isWhole = text.includes('"direct_response":"42"');
    return status === 200 && isWhole ? 'answered' : `HTTP ${status}: ${text.slice(0, 200)}`;
  } catch (error) {
    return String(error);
  }
}

/** Prints the results of the load, and returns its failures. */
function summarize(what: string, ends: readonly string[]) {
  const failed = ends.filter((end) => end !== 'answered').map((end) => `${end}; nginx: ${broken()}`);
  const shares = replicas.map(({ provider }) => provider.requests.length).join(' + ');
  const line = `${ends.length} steps, ${failed.length} failed, ${asked().length} model calls (${shares})`;
  process.stdout.write(`rolling restart, ${what}: ${line}\n`);
  expect(ends.length).toBeGreaterThan(50);
  return { ends, failed };
}

/** Returns the warnings of nginx without those about replicas that refused it, to show who caused a failure. */
const broken = (): string =>
  (nginx?.warnings ?? '')
    .split('\n')
    .filter((line) => !/Connection refused/.test(line))
    .join('\n');

const pathOf = (stream: boolean): string => `/api/agent/react_step${stream ? '/stream' : ''}`;

function scriptAll(reply: (request: RecordedRequest) => ScriptedReply): void {
  for (const { provider } of replicas) provider.script(reply);
}

async function kill(replica: Replica | undefined): Promise<void> {
  if (!replica) throw new Error('There is no such replica.');
  await replica.process.kill();
}

const killWhoIsAsked = (): Promise<void> =>
  kill(replicas.find(({ provider }) => provider.requests.some(({ ending }) => ending === null)));

/** Kills the replica that handles the given step, at the given moment, and only once. */
function killAt(step: number, moment: Moment) {
  let killed = 0;
  const isIt = (request: RecordedRequest) => killed === 0 && seen(request) === step;
  scriptAll((request) => {
    if (!isIt(request)) return replyTo(request);
    if (moment === streamed) return { ...replyTo(request), chunkDelayMs: 200 };
    killed += 1;
    setTimeout(() => void killWhoIsAsked(), 50);
    return { ...replyTo(request), delayMs: 60_000 };
  });
  return {
    killed: () => killed,
    onEvent: async ({ type }: RunEvent): Promise<void> => {
      const open = asked().find(({ ending }) => ending === null);
      if (type !== 'thought_delta' || !open || !isIt(open)) return;
      killed += 1;
      await killWhoIsAsked();
    },
  };
}

async function run(url: string, stream: boolean, onEvent?: (event: RunEvent) => Promise<void>) {
  const client = new StepwiseClient({ baseUrl: url, llmKey: key });
  const running = client.run(task, {
    llmConfig: { ...llmConfig, modelName: 'gpt-4o' },
    tools: [lookUp],
    stream,
  });
  const events: RunEvent[] = [];
  for await (const event of running) {
    events.push(event);
    await onEvent?.(event);
  }
  return { events, result: await running.result() };
}

/** Returns the result of a run without its timestamps. */
const comparable = ({ answer, stopReason, steps, history }: RunResult): unknown =>
  JSON.parse(JSON.stringify({ answer, stopReason, steps, history }), (name, value) =>
    name === 'timestamp' ? undefined : value,
  );
