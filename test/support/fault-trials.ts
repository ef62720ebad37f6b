import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, errorCodes } from '../../src/contract/error-codes.js';
import type { ErrorResponse, Step } from '../../src/contract/step.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { faultNames } from '../../src/offline/faults/faults.js';
import type { FaultName } from '../../src/offline/wire/reply.js';
import { watchHealth } from './health-watch.js';
import { pooled } from './pooled.js';
import { readEvents, type SentEvent } from './read-events.js';
import { startServiceProcess, upstreamsAt } from './service-process.js';
import { llmConfig, stepRequest, type VendorName, vendors } from './whole-service.js';

/** A fault in the shape of one vendor, asked for in one way. */
export interface Way {
  readonly fault: FaultName;
  readonly vendor: VendorName;
  readonly streamed: boolean;
}

/** What one request came to. */
export interface TrialOutcome extends Way {
  readonly status: number;
  /** The error's code, or `ok`. */
  readonly code: string;
  /** From the request to the last byte of the answer, less the deadline; below 0 in time. */
  readonly overMs: number;
  /** The same by the log of the service: what is missing in it the machine took, and whoever asked. */
  readonly loggedOverMs: number;
  readonly providerRequests: number;
  /** Provider exchanges that were still open a second after the answer. */
  readonly left: number;
  /** What of the failure is not as the error table promises (rule: error-table). */
  readonly problem: string | null;
}

export interface TrialOptions {
  readonly runs: number;
  readonly deadlineMs: number;
  readonly atOnce: number;
  readonly faults?: readonly FaultName[];
}

export interface Trials {
  readonly outcomes: readonly TrialOutcome[];
  /** What 19 of 20 answers of `/healthz` took beside them, in milliseconds: how late the machine is. */
  readonly machineMs: number;
  /** Provider connections once the service has ended. */
  readonly socketsAtTheEnd: number;
  readonly exitCode: number | null;
}

/** Every fault (rule: scripted-provider) × both vendors × plain and streamed. */
const waysOf = (faults: readonly FaultName[] = faultNames): Way[] =>
  faults.flatMap((fault) =>
    (Object.keys(vendors) as VendorName[]).flatMap((vendor) =>
      [false, true].map((streamed) => ({ fault, vendor, streamed })),
    ),
  );

/** Asks a service in a process of its own, whose provider is at fault, and looks at what is left a second later. */
export async function runFaultTrials({ runs, deadlineMs, atOnce, faults }: TrialOptions): Promise<Trials> {
  const trials = Array.from({ length: runs }, () => waysOf(faults))
    .flat()
    .map((way, number) => ({ ...way, number }));
  const fake = await startFakeProvider(({ rawBody }) => {
    const { fault = 'bad-request', number = 0 } = trials[Number(markIn(rawBody))] ?? {};
    // Of those that can be tried again, every other one may be tried at once.
    return { fault, ...(number % 8 < 4 && { retryAfter: '0' }) };
  });
  const service = await startServiceProcess({
    ...upstreamsAt(fake.url),
    STEP_DEADLINE_MS: String(deadlineMs),
  });
  await warmUp(service.url);
  const health = await watchHealth(service.url);
  const answers = await pooled(trials, atOnce, (trial) => ask(service.url, trial));
  const { p95: machineMs } = await health.stop();
  await wait(1_000);
  const exchanges = exchangesByTrial(fake);
  const logged = loggedTimes(service.output.stdout);
  const outcomes = answers.map(({ answeredAt, elapsedMs, requestId, ...answer }, number): TrialOutcome => {
    const own = exchanges.get(String(number)) ?? [];
    const left = own.filter(({ endedAt }) => endedAt === null || endedAt > answeredAt + 1_000).length;
    const loggedOverMs = (logged.get(requestId) ?? Number.NaN) - deadlineMs;
    return { ...answer, overMs: elapsedMs - deadlineMs, loggedOverMs, providerRequests: own.length, left };
  });
  const exitCode = await service.stop();
  await wait(100);
  const socketsAtTheEnd = fake.openSockets();
  await fake.close();
  return { outcomes, machineMs, socketsAtTheEnd, exitCode };
}

/** The first steps of a process wait for its token tables; that is no provider's fault. */
async function warmUp(url: string): Promise<void> {
  const ways = waysOf(['bad-request', 'html']).flatMap((way) => Array.from({ length: 10 }, () => way));
  await pooled(ways, 2, (way) => ask(url, { ...way, number: -1 }));
}

/** How long each request took the service, by its id. */
function loggedTimes(log: string): ReadonlyMap<unknown, number> {
  const lines = log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return new Map(lines.map(({ request_id, duration_ms }) => [request_id, duration_ms]));
}

const markIn = (text: string): string | undefined => /trial-(\d+)-/.exec(text)?.[1];

function exchangesByTrial({ requests }: FakeProvider): Map<string, FakeProvider['requests'][number][]> {
  const byTrial = new Map<string, FakeProvider['requests'][number][]>();
  for (const request of requests) {
    const mark = markIn(request.rawBody) ?? '';
    byTrial.set(mark, [...(byTrial.get(mark) ?? []), request]);
  }
  return byTrial;
}

const history = [{ role: 'assistant' as const, content: 'said before', own: { field: 1 } }];

async function ask(url: string, { number, fault, vendor, streamed }: Way & { number: number }) {
  const config = llmConfig(vendor);
  // A refused parameter is remembered by model: each of these trials has a model of its own. (Of Claude models with
  // names of their own nothing is known but that they may refuse it, and so it is not sent.)
  const isNew = fault === 'unsupported-parameter' && vendor === 'openai';
  const modelName = isNew ? `${config.modelName}-${number}` : config.modelName;
  const request = stepRequest({
    user_query: `trial-${number}-`,
    conversation_history: history,
    llm_config: { ...config, modelName, temperature: 0.5 },
  });
  const start = performance.now();
  const response = await fetch(`${url}/api/agent/react_step${streamed ? '/stream' : ''}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  const text = await response.text();
  const elapsedMs = performance.now() - start;
  const answeredAt = Date.now();
  const { status } = response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const ends = isStream ? readEvents(text).filter(isEnd) : [];
  const end = isStream ? bodyOf(ends[0]) : JSON.parse(text);
  const problem = isStream && ends.length !== 1 ? `${ends.length} end events` : problemOf(end);
  const code = end?.error?.code ?? 'ok';
  const requestId = response.headers.get('x-request-id');
  return { fault, vendor, streamed, status, code, problem, elapsedMs, answeredAt, requestId };
}

const isEnd = ({ event }: SentEvent): boolean => event === 'error' || event === 'step.completed';
const bodyOf = (end: SentEvent | undefined): Step | ErrorResponse => end?.data.error ?? end?.data.step;

/** The fixed text of the code, a bounded wait, and the caller's own history. */
function problemOf({ error, updated_conversation_history: given }: Step | ErrorResponse): string | null {
  if (!error) return null;
  const row = errorCodes[error.code as ErrorCode];
  if (error.message !== row?.message || error.retryable !== row.retryable) return 'not the row of the table';
  const waitMs = error.retry_after_ms ?? 1_000;
  if (waitMs < 1_000 || waitMs > 3_600_000) return `retry_after_ms ${waitMs}`;
  return JSON.stringify(given) === JSON.stringify(history) ? null : 'not the history that was sent';
}

/** The highest of some figures. */
export const highest = (figures: readonly number[]): number => figures.reduce((a, b) => Math.max(a, b));

/** Outcomes by their way, in the order of the table. */
export function byWay(outcomes: readonly TrialOutcome[]): { way: Way; outcomes: TrialOutcome[] }[] {
  const faults = new Set(outcomes.map(({ fault }) => fault));
  return waysOf([...faults]).map((way) => ({
    way,
    outcomes: outcomes.filter(
      ({ fault, vendor, streamed }) =>
        fault === way.fault && vendor === way.vendor && streamed === way.streamed,
    ),
  }));
}
