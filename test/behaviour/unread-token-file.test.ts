import { renameSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createToken } from '../../src/service/operations/access/token.js';
import { sendRaw } from '../support/raw-request.js';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js';
import { tokenFileOf, writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';

let service: ServiceProcess | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.stop();
});

test('a revocation that the service could not read (EMFILE) takes effect once it can read the file (rule: token-file)', async () => {
  const revoked = createToken();
  let other = createToken();
  const path = writeTokenFile({ token: revoked, name: 'revoked' });
  service = await startServiceProcess({ AUTH_TOKENS_FILE: path }, { openFiles: 200 });
  const { url, output } = service;
  const statusOf = async (token: string) =>
    (
      await sendRaw(url, {
        method: 'GET',
        path: '/api/agent/models',
        headers: [['Authorization', `Bearer ${token}`]],
      })
    ).status;
  expect([await statusOf(revoked), await statusOf(other)]).toEqual([200, 401]);

  const port = Number(new URL(url).port);
  const isUnread = () => output.stdout.includes('the system could not read the file (EMFILE)');
  // Whenever a connection closes, the service has a free descriptor and can read the file once. So the loop adds
  // connections and changes the file again.
  while (!isUnread()) {
    for (let count = 0; count < 50; count += 1)
      sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
    await new Promise((resolve) => setTimeout(resolve, 200));
    other = createToken();
    writeFileSync(`${path}.next`, tokenFileOf({ token: other, name: 'other' }));
    renameSync(`${path}.next`, path);
    // Longer than the interval at which the service checks the file, so that a reported failure concerns this change.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  for (const socket of sockets.splice(0)) socket.destroy();

  await until(async () => (await statusOf(other).catch(() => 0)) === 200);
  expect(await statusOf(revoked)).toBe(401);
});
