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

/** A fault of one vendor, plain or streamed. */
export interface Way {
  readonly fault: FaultName;
  readonly vendor: VendorName;
  readonly streamed: boolean;
}

/** The result of one request. */
export interface TrialOutcome extends Way {
  readonly status: number;
  /** The error's code, or `ok`. */
  readonly code: string;
  /** Time from the request to the last byte of the answer, minus the deadline; negative if in time. */
  readonly overMs: number;
  /** The same time from the service's log, which excludes delays of the machine and the caller. */
  readonly loggedOverMs: number;
  readonly providerRequests: number;
  /** Number of provider exchanges that were still open a second after the answer. */
  readonly left: number;
  /** A difference between the failure and its row in the error table; null if none (rule: error-table). */
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
  /** 95th percentile of the response times of `/healthz` meanwhile: how much the machine is delayed. */
  readonly machineMs: number;
  /** Number of provider connections after the service has ended. */
  readonly socketsAtTheEnd: number;
  readonly exitCode: number | null;
}

/** Lists every fault (rule: scripted-provider) × both vendors × plain and streamed. */
const waysOf = (faults: readonly FaultName[] = faultNames): Way[] =>
  faults.flatMap((fault) =>
    (Object.keys(vendors) as VendorName[]).flatMap((vendor) =>
      [false, true].map((streamed) => ({ fault, vendor, streamed })),
    ),
  );

/**
 * Sends requests to a service in its own process whose provider fails; counts what is left open a second
 * later.
 */
export async function runFaultTrials({ runs, deadlineMs, atOnce, faults }: TrialOptions): Promise<Trials> {
  const trials = Array.from({ length: runs }, () => waysOf(faults))
    .flat()
    .map((way, number) => ({ ...way, number }));
  const fake = await startFakeProvider(({ rawBody }) => {
    const { fault = 'bad-request', number = 0 } = trials[Number(markIn(rawBody))] ?? {};
    // Half of the retryable faults allow an immediate retry.
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

/** The first steps of a process wait for its token tables, for which the provider is not responsible. */
async function warmUp(url: string): Promise<void> {
  const ways = waysOf(['bad-request', 'html']).flatMap((way) => Array.from({ length: 10 }, () => way));
  await pooled(ways, 2, (way) => ask(url, { ...way, number: -1 }));
}

/** Returns the time that each request took in the service, by request id. */
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
  // The service remembers refused parameters by model, so each of these trials uses its own model. Claude
  // models with unknown names may refuse the parameter, so it is not sent to them.
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

/**
 * Checks the code's fixed message, a bounded retry wait, and the returned history; returns the difference or
 * null.
 */
function problemOf({ error, updated_conversation_history: given }: Step | ErrorResponse): string | null {
  if (!error) return null;
  const row = errorCodes[error.code as ErrorCode];
  if (error.message !== row?.message || error.retryable !== row.retryable) return 'not the row of the table';
  const waitMs = error.retry_after_ms ?? 1_000;
  if (waitMs < 1_000 || waitMs > 3_600_000) return `retry_after_ms ${waitMs}`;
  return JSON.stringify(given) === JSON.stringify(history) ? null : 'not the history that was sent';
}

/** Returns the highest of the figures. */
export const highest = (figures: readonly number[]): number => figures.reduce((a, b) => Math.max(a, b));

/** Groups outcomes by fault, vendor and streaming, in the order of the table. */
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
