import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import {
  type GrownRequest,
  grownRequests,
  ordinaryRequest,
  pathOf,
  smallRequest,
} from '../support/grown-requests.js';
import { watchHealth } from '../support/health-watch.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';

/**
 * The goal for any single request of at most 4 MiB, hostile ones included: `/healthz` responds within 250 ms meanwhile,
 * and the memory of the process grows by at most 20 times the largest body, compared with a process that has served an
 * ordinary request of that size (rules: loop-share, body-limits). The output marks and counts requests that miss the
 * goal. The suite fails only above `HELD`, four times the wait and 1.5 times the memory, because V8 collects garbage
 * later on a busy machine. `GROWN=history` selects requests by name, `GROWN_TRIALS=1` makes one trial of each,
 * `GROWN_STRICT=1` fails every request that misses the goal.
 */
const FIGURES = { waitMs: 250, grownMiB: 20 * 4 };
const HELD = process.env['GROWN_STRICT']
  ? FIGURES
  : { waitMs: 4 * FIGURES.waitMs, grownMiB: 1.5 * FIGURES.grownMiB };
/** A busy machine delays responses too, so the best of this many trials counts. */
const MOST_TRIALS = 3;
const TRIALS = Number(process.env['GROWN_TRIALS'] ?? MOST_TRIALS);
const DEADLINE_MS = 20_000;

interface Row {
  readonly name: string;
  readonly status: number | string;
  readonly ms: number;
  readonly waitMs: number;
  readonly grownMiB: number;
  /** True if the service responded intentionally: with a status below 500, or 504 after the deadline. */
  readonly isAnswer: boolean;
  readonly isFine: boolean;
}

const rows: Row[] = [];
let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(async () => {
  await fake.close();
  process.stdout.write(table());
});

const chosen = grownRequests.filter(({ name }) => name.includes(process.env['GROWN'] ?? ''));

test.each(chosen)('a large request keeps the service responsive: $name (rule: loop-share)', async (grown) => {
  let best = await look(grown);
  for (let trial = 1; trial < (isHeld(best) ? TRIALS : MOST_TRIALS) && !best.isFine; trial += 1) {
    const next = await look(grown);
    if (isBetter(next, best)) best = next;
  }
  rows.push(best);
  process.stdout.write(`${lineOf(best)}\n`);
  expect(best).toMatchObject({ isAnswer: true });
  expect(best.waitMs).toBeLessThanOrEqual(HELD.waitMs);
  expect(best.grownMiB).toBeLessThanOrEqual(HELD.grownMiB);
}, 120_000);

/** Returns whether a trial is better than the best so far: within the bounds, or else with a shorter wait. */
const isBetter = (next: Row, best: Row): boolean =>
  isHeld(next) === isHeld(best) ? next.isFine || next.waitMs < best.waitMs : isHeld(next);

/**
 * Returns whether a trial is within the bounds. If a busy machine made the service refuse the request, it is not; the
 * trial is then repeated, like a late one.
 */
const isHeld = ({ isAnswer, waitMs, grownMiB }: Row): boolean =>
  isAnswer && waitMs <= HELD.waitMs && grownMiB <= HELD.grownMiB;

/** Sends one request to a new process, whose memory contains nothing of earlier requests. */
async function look(grown: GrownRequest): Promise<Row> {
  const service = await startServiceProcess({
    ...upstreamsAt(fake.url),
    OFFLINE_MODEL: 'on',
    UPSTREAMS: JSON.stringify({ local: { url: `${fake.url}/v1`, keyRequired: false } }),
    STEP_DEADLINE_MS: String(DEADLINE_MS),
    SHUTDOWN_GRACE_MS: '0',
  });
  try {
    return await measure(service, grown);
  } finally {
    await service.stop();
  }
}

async function measure(service: ServiceProcess, grown: GrownRequest): Promise<Row> {
  await send(service.url, smallRequest);
  await send(service.url, ordinaryRequest);
  if (grown.reply) fake.script(grown.reply);
  const body = grown.body();
  const before = await service.residentBytes();
  forgetPeak(service.pid);
  const health = await watchHealth(service.url);
  const start = performance.now();
  const status = await send(service.url, { ...grown, body: () => body });
  const ms = performance.now() - start;
  const { worst: waitMs } = await health.stop();
  const grownMiB = (peakBytes(service.pid) - before) / 2 ** 20;
  const isAnswer = typeof status === 'number' && (status < 500 || status === 504);
  return {
    name: grown.name,
    status,
    ms: Math.round(ms),
    waitMs: Math.round(waitMs),
    grownMiB: Math.round(grownMiB),
    isAnswer,
    isFine: isAnswer && waitMs <= FIGURES.waitMs && grownMiB <= FIGURES.grownMiB,
  };
}

/** Reads the response completely and returns its status, or the reason why there is no response. */
function send(url: string, grown: GrownRequest): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { 'Content-Type': 'application/json' };
    httpRequest(url + pathOf(grown), { method: 'POST', headers, agent: false })
      .once('response', (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', ({ message }) => resolve(message));
      })
      .once('error', ({ message }) => resolve(message))
      .end(grown.body());
  });
}

/** Resets the record of the peak memory of a process, which Linux keeps. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function peakBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

function table(): string {
  const worstFirst = [...rows].sort((a, b) => b.waitMs - a.waitMs);
  const missed = rows.filter(({ isFine }) => !isFine).length;
  const heading = `${missed} of ${rows.length} requests miss a figure\n    wait/ms  MiB up      ms  code request, the worst first`;
  return `\n${heading}\n${worstFirst.map(lineOf).join('\n')}\n`;
}

const lineOf = ({ name, status, ms, waitMs, grownMiB, isFine }: Row): string =>
  [
    isFine ? '   ' : '!! ',
    String(waitMs).padStart(7),
    String(grownMiB).padStart(7),
    String(ms).padStart(7),
    String(status).padStart(5),
    ` ${name}`,
  ].join('');
