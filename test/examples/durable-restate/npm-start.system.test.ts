import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port.js';
import { needs } from '../../support/needs.js';
import { until } from '../../support/until.js';
import { dependencies, exampleFolder, prepareExample } from './prepare-example.js';
import { post } from './restate.js';

const { describe: describeWithRestate } = needs(dependencies);

describeWithRestate('npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-durable-'));
  beforeAll(prepareExample, 300_000);
  const started: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const killAll of started) await killAll();
    rmSync(folder, { recursive: true, force: true });
  });

  test('npm start starts the durable example, and after killing and restarting everything a waiting run continues', async () => {
    const ports = {
      PORT: String(await freePort()),
      RESTATE_BIND_PORT: String(await freePort()),
      RESTATE_INGRESS__BIND_PORT: String(await freePort()),
      RESTATE_ADMIN__BIND_PORT: String(await freePort()),
    };
    const run = `http://127.0.0.1:${ports.RESTATE_INGRESS__BIND_PORT}/agent/ada-1`;
    const waiting = {
      state: 'waiting',
      step: 3,
      waiting_for: [{ call_id: 'call_3', tool: 'open_order', arguments: { path: 'orders/A-17' } }],
    };
    const first = await npmStart(ports);
    await post(`${run}/run/send`, { task: 'Where does the order of Ada go?' });
    await untilItWaits(run);
    expect(await post(`${run}/status`)).toEqual({ status: 200, body: waiting });
    await first.killAll();

    const second = await npmStart(ports);
    expect(await post(`${run}/status`)).toEqual({ status: 200, body: waiting });
    await post(`${run}/reply`, { call_id: 'call_3', type: 'allow' });
    await expectEnd(run, { state: 'answered', answer: expect.stringContaining('12 Hill Road, Thornbury') });
    await second.killAll();
  }, 120_000);

  /** Waits until the run waits for a person's reply to a call. */
  async function untilItWaits(run: string): Promise<void> {
    await until(async () => JSON.stringify((await post(`${run}/status`)).body).includes('waiting_for'));
  }

  /** Waits for the run's end; fails with the actual state if the run ends differently or waits again. */
  async function expectEnd(run: string, end: object): Promise<void> {
    const attached = fetch(`${run.replace('/agent', '/restate/workflow/agent')}/attach`);
    const ended = await Promise.race([
      attached.then((response) => response.json()),
      wait(30_000, null, { ref: false }),
    ]);
    expect(ended ?? (await post(`${run}/status`)).body).toEqual(end);
  }

  /** Starts `npm start` in its own process group, so that all its processes can be killed at once. */
  async function npmStart(ports: Readonly<Record<string, string>>) {
    const { PATH, HOME } = process.env;
    const child = spawn('npm', ['start'], {
      cwd: exampleFolder,
      detached: true,
      env: { PATH, HOME, ...ports, RESTATE_BASE_DIR: join(folder, 'restate-data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    const killAll = async () => {
      if (child.pid && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
      await closed;
    };
    started.push(killAll);
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith('Runs start at')) break;
    }
    child.stdout.resume();
    return { killAll };
  }
});
