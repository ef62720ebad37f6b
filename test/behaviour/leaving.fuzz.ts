import { type ClientRequest, createServer, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { RecordedRequest, ScriptedReply } from '../../src/offline/wire/reply.js';
import { highest } from '../support/fault-trials.js';
import { watchHealth } from '../support/health-watch.js';
import { listen } from '../support/listen.js';
import { pooled } from '../support/pooled.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { llmConfig, stepRequest } from '../support/whole-service.js';

/** Phases in which the caller disconnects, each with the provider's reply. */
const phases = {
  'during the upload': { text: 'never asked' },
  'while context is read': { text: 'never asked' },
  'before the provider’s headers': { fault: 'silence' },
  'between two attempts': { fault: 'rate-limited', retryAfter: '4' },
  'in the body': { fault: 'drip', intervalMs: 5 },
  'in the stream': { text: 'word '.repeat(2_000), chunkDelayMs: 5 },
} as const satisfies Record<string, ScriptedReply>;
type Phase = keyof typeof phases;
const phaseNames = Object.keys(phases) as Phase[];

interface Trial {
  readonly number: number;
  readonly phase: Phase;
}

const trials: Trial[] = Array.from({ length: 1_000 }, (_, number) => ({
  number,
  phase: phaseNames[number % phaseNames.length] ?? 'in the body',
}));

/** Delivers each event to the trial with the given number, if that trial is waiting for it. */
class Notices<Notice> {
  readonly #awaited = new Map<number, (notice: Notice) => void>();
  next(number: number): Promise<Notice> {
    return new Promise((resolve) => this.#awaited.set(number, resolve));
  }
  tell(number: number, notice: Notice): void {
    this.#awaited.get(number)?.(notice);
  }
}

const providerAsked = new Notices<RecordedRequest>();
const contextAsked = new Notices<void>();
const contextClosed = new Notices<number>();
const logged = new Notices<{ at: number; status: number }>();

const contextService = createServer((incoming, response) => {
  const number = Number(/trial-(\d+)/.exec(incoming.url ?? '')?.[1]);
  contextAsked.tell(number);
  // Never responds, and reports when the service closes the connection.
  response.once('close', () => contextClosed.tell(number, Date.now()));
});

let fake: FakeProvider;
let service: ServiceProcess;

beforeAll(async () => {
  fake = await startFakeProvider((request) => {
    const number = Number(/trial-(\d+)-/.exec(request.rawBody)?.[1]);
    providerAsked.tell(number, request);
    return phases[trials[number]?.phase ?? 'in the body'];
  });
  const url = await listen(contextService);
  service = await startServiceProcess({
    ...upstreamsAt(fake.url),
    CONTEXT_SERVICE_URL: url,
    SHUTDOWN_GRACE_MS: '200000',
  });
  createInterface(service.stdout).on('line', (line) => {
    const { request_id, status } = JSON.parse(line);
    logged.tell(Number(String(request_id).replace('trial-', '')), { at: Date.now(), status });
  });
});
afterAll(async () => {
  await service.stop();
  contextService.closeAllConnections();
  contextService.close();
  await fake.close();
});

test('when 1,000 callers leave, their work and provider calls end and nothing stays open (rule: caller-leaves)', async () => {
  // Warms up the process, whose first steps are slower than the others.
  await pooled(trials.slice(0, 30), 2, leaveInTime);
  const asked = fake.requests.length;
  const health = await watchHealth(service.url);
  const latencies = await pooled(trials, 6, leaveInTime);
  const machine = await health.stop();
  const rows = phaseNames.map((phase) => {
    const own = latencies.filter((_, index) => trials[index]?.phase === phase).sort((a, b) => a - b);
    const at = (share: number) => own[Math.min(own.length - 1, Math.floor(own.length * share))] ?? 0;
    return `${phase}: ${own.length} trials, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${highest(own)} ms`;
  });
  process.stdout.write(`${rows.join('\n')}\n/healthz beside them: p95 ${machine.p95.toFixed(1)} ms\n`);
  // A busy machine may delay some trials, so 5 % of them may exceed this bound.
  const late = 100 + 10 * machine.p95;
  expect(latencies.filter((ms) => ms > late).length).toBeLessThanOrEqual(latencies.length * 0.05);
  expect(highest(latencies)).toBeLessThan(2_000 + 10 * machine.worst);
  const withCall = trials.filter(({ phase }) => !('text' in phases[phase]) || phase === 'in the stream');
  expect(fake.requests.length - asked).toBe(withCall.length);
  expect(fake.requests.filter(({ ending }) => ending === null)).toEqual([]);
  const before = Date.now();
  // The service exits as soon as nothing is in flight; otherwise it would wait 200 seconds.
  expect(await service.stop()).toBe(0);
  expect(Date.now() - before).toBeLessThan(100_000);
  await wait(50);
  expect(fake.openSockets()).toBe(0);
}, 300_000);

/** Throws if a trial does not end. */
const leaveInTime = (trial: Trial): Promise<number> =>
  Promise.race([
    leave(trial),
    wait(20_000, undefined, { ref: false }).then(() => {
      throw new Error(`Trial ${trial.number}, ${trial.phase}: nobody has noticed that the caller left.`);
    }),
  ]);

/** Returns the milliseconds from the departure of the caller to the end of the work done for it. */
async function leave(trial: Trial): Promise<number> {
  const end = logged.next(trial.number);
  const stopped = await reach(trial);
  const leftAt = Date.now();
  stopped.caller.destroy();
  const [{ at, status }, closedAt] = await Promise.all([end, stopped.closedAt]);
  expect(status).toBe(499);
  return Math.max(at, closedAt) - leftAt;
}

interface Reached {
  readonly caller: ClientRequest;
  /** Time at which the service closed the provider call of the caller. */
  readonly closedAt: Promise<number>;
}

/** Resolves in the middle of the phase. */
async function reach({ number, phase }: Trial): Promise<Reached> {
  const asked = providerAsked.next(number);
  const read = contextAsked.next(number);
  const closed = contextClosed.next(number);
  const streamed = phase === 'in the stream';
  const body = JSON.stringify(
    stepRequest({
      user_query: `trial-${number}-`,
      llm_config: llmConfig(number % 4 < 2 ? 'openai' : 'anthropic'),
      explicit_context_paths: phase === 'while context is read' ? [`trial-${number}.ts`] : [],
    }),
  );
  const caller = callerOf({ number, phase }, body);
  if (phase === 'during the upload') {
    caller.flushHeaders();
    await new Promise((resolve) => caller.once('continue', resolve));
    caller.write(body.slice(0, 100));
    await wait(10 + (number % 40));
    return { caller, closedAt: Promise.resolve(0) };
  }
  const told = new Promise((resolve) => caller.once('response', (answer) => answer.once('data', resolve)));
  caller.end(body);
  if (phase === 'while context is read') {
    await read;
    return { caller, closedAt: closed };
  }
  const request = await asked;
  if (streamed) await told;
  // In this phase the first attempt has been answered and the second has not started.
  if (phase === 'between two attempts') await request.ended;
  await wait(5 + (number % 60));
  return { caller, closedAt: request.ended.then(() => request.endedAt ?? Date.now()) };
}

function callerOf({ number, phase }: Trial, body: string): ClientRequest {
  return httpRequest(`${service.url}/api/agent/react_step${phase === 'in the stream' ? '/stream' : ''}`, {
    method: 'POST',
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': `trial-${number}`,
      // The 100 Continue response shows that the service reads the upload.
      ...(phase === 'during the upload' && { Expect: '100-continue' }),
    },
  }).on('error', () => {});
}
