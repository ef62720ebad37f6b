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

test('a revocation that comes while the service can open no file holds as soon as it can (rule: token-file)', async () => {
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
  // A connection that ends may leave it room for one reading: it is kept full, and the file changes again.
  while (!isUnread()) {
    for (let count = 0; count < 50; count += 1)
      sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
    await new Promise((resolve) => setTimeout(resolve, 200));
    other = createToken();
    writeFileSync(`${path}.next`, tokenFileOf({ token: other, name: 'other' }));
    renameSync(`${path}.next`, path);
    // Longer than it takes to look at the file: what is told was this change.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  for (const socket of sockets.splice(0)) socket.destroy();

  await until(async () => (await statusOf(other).catch(() => 0)) === 200);
  expect(await statusOf(revoked)).toBe(401);
});
