import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { needs } from '../../support/needs.js';
import { pooled } from '../../support/pooled.js';
import { until } from '../../support/until.js';
import { type DurableStack, startDurableStack } from './durable-stack.js';
import { type Journal, readJournal } from './journal.js';
import { dependencies, prepareExample } from './prepare-example.js';
import type { Program } from './program.js';
import { answerOf, ScriptedModel, stepsOf, trialRuns } from './scenarios.js';

const { describe: describeWithRestate } = needs(dependencies);
const runs = trialRuns(200);
const stepsInAll = runs.reduce((sum, run) => sum + stepsOf(run), 0);

/** Processes to kill in this order, spread evenly over the trial. */
const KILLS = [
  ...Array.from({ length: 5 }, () => 'worker' as const),
  'Restate' as const,
  ...Array.from({ length: 3 }, () => 'worker' as const),
  'service' as const,
  ...Array.from({ length: 2 }, () => 'worker' as const),
];

/** A kill, and the journal's state at that time. */
interface Kill {
  readonly what: (typeof KILLS)[number];
  /** Time after which journalled results must not be repeated. */
  readonly journalReadAt: number;
  readonly journal: Journal;
}

/** Start of a step or a tool call. */
interface Beginning {
  readonly at: number;
  /** Name in the journal, such as `trial-7 step 2`. */
  readonly name: string;
}

let stack: DurableStack;
const model = new ScriptedModel(runs);

describeWithRestate('200 durable runs at once while processes are killed twelve times', () => {
  beforeAll(async () => {
    await prepareExample();
    stack = await startDurableStack();
    stack.provider.script(model.respond);
  }, 300_000);
  afterAll(() => stack.close());

  test('although processes are killed twelve times, 200 durable runs finish and repeat no journaled step', async () => {
    const began = Date.now();
    let outcomes: unknown;
    await pooled(runs, 20, ({ name }) =>
      stack.restate.agent(`${name}/run/send`, { task: `Look after ${name}.` }),
    );
    const person = new AbortController();
    const replies = replyToAll(person.signal);
    const kills: Kill[] = [];
    try {
      for (const [index, what] of KILLS.entries()) {
        // All first steps begin at once. So before each kill at least 20 further steps must begin, even if the planned
        // number has begun already.
        const planned = 0.25 * stepsInAll + (0.7 * stepsInAll * index) / KILLS.length;
        await stepsBegun(Math.min(stepsInAll, Math.max(planned, countBegun() + 20)));
        kills.push(await kill(what));
      }
      outcomes = await pooled(runs, runs.length, ({ name }) => stack.restate.attach(name));
    } finally {
      person.abort();
      await replies;
    }
    expect(outcomes).toEqual(runs.map((run) => ({ state: 'answered', answer: answerOf(run) })));

    const steps = model.calls.map(({ request, run, step }) => ({ at: request.at, name: `${run} ${step}` }));
    const calls = stack.executions.map(({ at, run, call }) => ({ at, name: `${run} ${call}` }));
    const { done, open } = await readJournal(stack.restate);
    expect([...open]).toEqual([]);
    expect([...steps, ...calls].filter(({ name }) => !done.has(name))).toEqual([]);
    expect(countBegun()).toBe(stepsInAll);
    expect(kills.filter((each) => caughtBy(each, steps).size === 0)).toEqual([]);
    report(kills, { steps, calls, seconds: (Date.now() - began) / 1_000 });
    expect(repeatedThoughJournalled(steps, kills)).toEqual([]);
    expect(repeatedThoughJournalled(calls, kills)).toEqual([]);
    expect(unexplained(steps, kills)).toEqual([]);
    expect(unexplained(calls, kills)).toEqual([]);
    // Expects one refund for each allowed run, however often its call ran.
    const refunds = runs.filter(({ reply }) => reply?.['type'] === 'allow').map(({ name }) => name);
    expect(readdirSync(join(stack.folder, 'refunds')).sort()).toEqual(
      refunds.map((name) => `${name}-call_2.json`).sort(),
    );
  }, 240_000);
});

const countBegun = (): number => new Set(model.calls.map(({ run, step }) => `${run} ${step}`)).size;

/** Resolves once this number of different steps has begun. */
async function stepsBegun(count: number): Promise<void> {
  await until(() => countBegun() >= count);
}

async function kill(what: Kill['what']): Promise<Kill> {
  const programs: Readonly<Record<Kill['what'], Program>> = {
    worker: stack.worker,
    service: stack.service,
    Restate: stack.restate.program,
  };
  const program = programs[what];
  await program.kill();
  // Restate must run to be queried; all output of the other processes has arrived by then.
  if (what === 'Restate') await program.start();
  else await wait(200);
  const journal = await readJournal(stack.restate);
  const journalReadAt = Date.now();
  if (what !== 'Restate') await program.start();
  return { what, journalReadAt, journal };
}

/** Sends each reply once to Restate, which stores it while no worker is alive. */
async function replyToAll(signal: AbortSignal): Promise<void> {
  const replied = new Set<string>();
  while (!signal.aborted) {
    await replyToNew(replied).catch(() => 'Restate is away: next time.');
    await wait(100);
  }
}

async function replyToNew(replied: Set<string>): Promise<void> {
  const states = await stack.restate.query<{ run: string; status: string }>(
    "select service_key as run, value_utf8 as status from state where key = 'status'",
  );
  for (const { run, status } of states) {
    const { waiting_for = [] }: { waiting_for?: readonly { call_id: string }[] } = JSON.parse(status);
    for (const { call_id } of waiting_for) {
      if (replied.has(run)) continue;
      const reply = runs.find(({ name }) => name === run)?.reply;
      const { status: code } = await stack.restate.agent(`${run}/reply/send`, { call_id, ...reply });
      if (code === 202) replied.add(run);
    }
  }
}

/** Finds steps and calls that began again after a kill although the journal had their results. */
const repeatedThoughJournalled = (beginnings: readonly Beginning[], kills: readonly Kill[]): Beginning[] =>
  beginnings.filter(({ at, name }) =>
    kills.some(({ journalReadAt, journal }) => at > journalReadAt && journal.done.has(name)),
  );

/** Finds steps and calls that began more often than once, plus once for each kill that interrupted them. */
function unexplained(beginnings: readonly Beginning[], kills: readonly Kill[]): string[] {
  const caught = kills.map((each) => caughtBy(each, beginnings));
  return [...new Set(beginnings.map(({ name }) => name))].filter((name) => {
    const times = beginnings.filter((each) => each.name === name).length;
    return times > 1 + caught.filter((names) => names.has(name)).length;
  });
}

/**
 * Finds steps and calls that a kill interrupted: they had begun, but the journal had no result, so Restate must repeat
 * them. Requests of a dead worker may arrive later than the kill, so open entries of the journal are included.
 */
const caughtBy = ({ journalReadAt, journal }: Kill, beginnings: readonly Beginning[]): Set<string> =>
  new Set(
    beginnings
      .filter(({ at, name }) => journal.open.has(name) || (at <= journalReadAt && !journal.done.has(name)))
      .map(({ name }) => name),
  );

interface Figures {
  readonly steps: readonly Beginning[];
  readonly calls: readonly Beginning[];
  readonly seconds: number;
}

function report(kills: readonly Kill[], { steps, calls, seconds }: Figures): void {
  const repeated = (beginnings: readonly Beginning[]) =>
    beginnings.length - new Set(beginnings.map(({ name }) => name)).size;
  const lines = kills.map((each, index) => {
    const inFlight = caughtBy(each, steps).size;
    return `kill ${index + 1}, ${each.what}: ${each.journal.done.size} results in the journal, ${inFlight} steps and ${caughtBy(each, calls).size} tool calls without one`;
  });
  const caught = kills.reduce((sum, each) => sum + caughtBy(each, steps).size, 0);
  process.stdout.write(
    `${lines.join('\n')}
${runs.length} runs in ${seconds.toFixed(0)} s: ${stepsInAll} steps, ${steps.length} model calls, ${repeated(steps)} of them again, of ${caught} that kills caught;
${calls.length} tool calls, ${repeated(calls)} of them again
`,
  );
}
