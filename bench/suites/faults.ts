import { faultNames } from '../../src/offline/faults/faults.js';
import {
  byWay,
  highest,
  runFaultTrials,
  type TrialOutcome,
  type Way,
} from '../../test/support/fault-trials.js';
import { atMost, type Figure } from '../figures.js';

const RUNS = Number(process.env['FAULT_RUNS'] ?? 10);
const DEADLINE_MS = 600;

/**
 * Measures what the caller sees for each simulated fault of a provider: outcome, time after the deadline, and sockets
 * that stay open.
 */
export async function run(): Promise<Figure[]> {
  // The fault `huge` is measured separately, because it occupies a whole core and would delay the other requests.
  const small = faultNames.filter((name) => name !== 'huge');
  const trials = [
    await runFaultTrials({ runs: RUNS, deadlineMs: DEADLINE_MS, atOnce: 12, faults: small }),
    await runFaultTrials({ runs: Math.min(RUNS, 10), deadlineMs: DEADLINE_MS, atOnce: 1, faults: ['huge'] }),
  ];
  const outcomes = trials.flatMap((each) => each.outcomes);
  console.log(`Faults: ${RUNS} requests each, deadline ${DEADLINE_MS} ms, the service in its own process.`);
  console.table(
    Object.fromEntries(byWay(outcomes).map(({ way, outcomes: own }) => [titleOf(way), rowOf(own)])),
  );
  console.log(
    "The latest answers, in ms after the deadline, as seen by the caller and in the service's log:",
  );
  console.table(
    outcomes
      .toSorted((a, b) => b.overMs - a.overMs)
      .slice(0, 5)
      .map((each) => ({
        way: titleOf(each),
        caller: Math.round(each.overMs),
        service: Math.round(each.loggedOverMs),
      })),
  );
  const sorted = outcomes.map(({ overMs }) => Math.round(overMs)).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  console.log(
    `${outcomes.length} requests; ms over the deadline: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${sorted.at(-1)}; ` +
      `answered by deadline + 250 ms: ${sorted.filter((ms) => ms <= 250).length}; ` +
      `95th percentile of /healthz meanwhile: ${trials.map((each) => Math.round(each.machineMs)).join(', ')} ms; ` +
      `sockets at the end: ${trials.map((each) => each.socketsAtTheEnd).join(' + ')}`,
  );
  const left = outcomes.reduce((sum, outcome) => sum + outcome.left, 0);
  const what = 'faults of a provider';
  const inMs = { unit: 'ms', digits: 0 };
  return [
    {
      what: `${what}: latest answer after the deadline`,
      ...inMs,
      measured: atMost(250, [sorted.at(-1) ?? 0]),
    },
    {
      what: `${what}: latest answer by the service's log`,
      ...inMs,
      measured: { samples: [highest(outcomes.map(({ loggedOverMs }) => loggedOverMs))] },
    },
    { what: `${what}: sockets left after 1 s`, unit: 'sockets', digits: 0, measured: atMost(0, [left]) },
  ];
}

const titleOf = ({ fault, vendor, streamed }: Way): string =>
  `${fault}, ${vendor}${streamed ? ', streamed' : ''}`;

function rowOf(outcomes: readonly TrialOutcome[]) {
  const distinct = (values: readonly (string | number)[]): string => [...new Set(values)].join(' ');
  return {
    code: distinct(outcomes.map(({ code }) => code)),
    HTTP: distinct(outcomes.map(({ status }) => status)),
    'ms over, max': Math.round(highest(outcomes.map(({ overMs }) => overMs))),
    'left after 1 s': outcomes.reduce((sum, { left }) => sum + left, 0),
    'requests, max': highest(outcomes.map(({ providerRequests }) => providerRequests)),
  };
}
