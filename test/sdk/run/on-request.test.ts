import { expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import { done, finish, key, lookUpCall } from '../../support/run-harness.js';

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const script = [lookUpCall(), { error: 'upstream_error', retryAfterMs: 1 } as const, done];

async function record() {
  const told: StepRequestInput[] = [];
  const finished = await finish(script, { onRequest: (request) => told.push(request) });
  return { ...finished, told };
}

test('onRequest receives the request of each attempt as sent to the service, without the key (rule: run-options)', async () => {
  const { told, service } = await record();
  expect(told).toHaveLength(3);
  expect(asJson(told)).toEqual(asJson(service.requests));
  expect(JSON.stringify(told)).not.toContain(key);
});

test('a replayed run passes the original requests to onRequest (rule: saved-runs)', async () => {
  const { told, run } = await record();
  const again: StepRequestInput[] = [];
  const saved = readTrajectory(JSON.stringify(run.save()));
  await replayRun(saved, { onRequest: (request) => again.push(request) }).result();
  const [first, , retried] = asJson(told) as StepRequestInput[];
  expect(asJson(again)).toEqual([first, retried]);
});

test('an onRequest that throws ends the run with a result (rule: run-result)', async () => {
  const { result, service } = await finish(script, {
    onRequest: () => {
      throw new Error('no more');
    },
  });
  expect([result.error?.message, service.requests.length]).toEqual(['onRequest threw: no more', 0]);
});

test('a run does not wait for the promise of an async onRequest', async () => {
  const onRequest = () => new Promise<void>(() => undefined);
  const { result, service } = await finish(script, { onRequest });
  expect([result.stopReason, service.requests.length]).toEqual(['answered', 3]);
});

test('an async onRequest that rejects neither ends the run nor becomes an unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', keep);
  const { result } = await finish(script, { onRequest: () => Promise.reject(new Error('no disk')) });
  process.off('unhandledRejection', keep);
  expect([result.stopReason, unhandled]).toEqual(['answered', []]);
});
