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

/** One kind of trial: a fault in the format of one vendor, in a plain or a streamed response. */
export interface Way {
  readonly fault: FaultName;
  readonly vendor: VendorName;
  readonly streamed: boolean;
}

/** The outcome of one request to the service while its provider fails. */
export interface TrialOutcome extends Way {
  readonly status: number;
  /** Error code, or `ok`. */
  readonly code: string;
  /**
   * Milliseconds from the request to the last byte of the response, minus the deadline; negative if the response
   * was in time.
   */
  readonly overMs: number;
  /**
   * Like `overMs`, but computed from the duration that the service logged, so without delays of the machine and
   * the client.
   */
  readonly loggedOverMs: number;
  readonly providerRequests: number;
  /** Number of provider requests that are still open one second after the response. */
  readonly left: number;
  /** Description of how the failure deviates from the error table (rule: error-table); null if it does not. */
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
  /**
   * 95th percentile of the response times of concurrent `/healthz` requests, in milliseconds: how much the machine
   * delays responses.
   */
  readonly machineMs: number;
  /** Number of connections to the provider that are still open after the service has exited. */
  readonly socketsAtTheEnd: number;
  readonly exitCode: number | null;
}

/** Returns all combinations of a fault (rule: scripted-provider), a vendor, and plain or streamed. */
const waysOf = (faults: readonly FaultName[] = faultNames): Way[] =>
  faults.flatMap((fault) =>
    (Object.keys(vendors) as VendorName[]).flatMap((vendor) =>
      [false, true].map((streamed) => ({ fault, vendor, streamed })),
    ),
  );

/**
 * Sends requests to a service process whose provider fails. One second after each response, checks what is still
 * open.
 */
export async function runFaultTrials({ runs, deadlineMs, atOnce, faults }: TrialOptions): Promise<Trials> {
  const trials = Array.from({ length: runs }, () => waysOf(faults))
    .flat()
    .map((way, number) => ({ ...way, number }));
  const fake = await startFakeProvider(({ rawBody }) => {
    const { fault = 'bad-request', number = 0 } = trials[Number(markIn(rawBody))] ?? {};
    // In half of the trials, `Retry-After: 0` allows an immediate retry.
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

/** Makes the process load its token tables, so that the first trials are not slower than the others. */
async function warmUp(url: string): Promise<void> {
  const ways = waysOf(['bad-request', 'html']).flatMap((way) => Array.from({ length: 10 }, () => way));
  await pooled(ways, 2, (way) => ask(url, { ...way, number: -1 }));
}

/** Returns the duration of each request according to the log, by request id. */
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
  // Each trial of a refused parameter uses a new model name, because the service caches refusals by model.
  const isNew = fault === 'unsupported-parameter';
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

/** Checks that a failure has its code's fixed message, a bounded wait, and the unchanged history. */
function problemOf({ error, updated_conversation_history: given }: Step | ErrorResponse): string | null {
  if (!error) return null;
  const row = errorCodes[error.code as ErrorCode];
  if (error.message !== row?.message || error.retryable !== row.retryable) return 'not the row of the table';
  const waitMs = error.retry_after_ms ?? 1_000;
  if (waitMs < 1_000 || waitMs > 3_600_000) return `retry_after_ms ${waitMs}`;
  return JSON.stringify(given) === JSON.stringify(history) ? null : 'not the history that was sent';
}

/** Returns the highest number of a list. `Math.max(...)` would fail for long lists. */
export const highest = (figures: readonly number[]): number => figures.reduce((a, b) => Math.max(a, b));

/** Groups outcomes by fault, vendor and streaming, in the order of the faults' table. */
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
