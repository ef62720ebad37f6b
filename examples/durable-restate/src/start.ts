/** Starts Restate, a worker and the service (unless `STEPWISE_URL` names one) on one machine, for trying it out. */
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { startService } from 'stepwise/server';

const ingress = process.env['RESTATE_INGRESS__BIND_PORT'] ?? '8090';
const admin = process.env['RESTATE_ADMIN__BIND_PORT'] ?? '9070';
const dataFolder = process.env['RESTATE_BASE_DIR'] ?? 'restate-data';
const workerPort = process.env['PORT'] ?? '9080';

const restate = spawn('node_modules/.bin/restate-server', ['--no-logo', '--base-dir', dataFolder], {
  // Restate's environment contains no API key, so Restate cannot write one to disk.
  env: {
    PATH: process.env['PATH'],
    RESTATE_NODE_NAME: 'one',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: process.env['RESTATE_BIND_PORT'] ?? '5122',
    RESTATE_INGRESS__BIND_PORT: ingress,
    RESTATE_ADMIN__BIND_PORT: admin,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_LOG_FILTER: 'error,octocrab=off',
    RESTATE_DISABLE_TELEMETRY: 'true',
  },
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => restate.kill(signal));
restate.once('exit', (code) => process.exit(code ?? 1));

if (!process.env['STEPWISE_URL']) {
  process.env['STEPWISE_URL'] = (await startService({ PORT: 0, LOG_LEVEL: 'silent' })).url;
}
process.env['RESTATE_LOGGING'] ??= 'ERROR';
await import('./worker.js');
while (!(await call('/health'))) await wait(100);
const known = await call('/deployments', { uri: `http://127.0.0.1:${workerPort}`, force: true });
if (!known) throw new Error('Restate did not take the worker.');
console.log(
  `Runs start at http://127.0.0.1:${ingress}/agent/<name>/run/send; Restate shows them at http://127.0.0.1:${admin}`,
);

/** Calls Restate's admin API; returns false if it fails or cannot be reached. */
async function call(path: string, body?: object): Promise<boolean> {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return fetch(`http://127.0.0.1:${admin}${path}`, init).then(
    ({ ok }) => ok,
    () => false,
  );
}
