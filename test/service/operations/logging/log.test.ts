import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { createLog } from '../../../../src/service/operations/logging/log.js';

const folder = mkdtempSync(join(tmpdir(), 'stepwise-log-'));
const longText = 'x'.repeat(100_000);

test('log lines are written to a file in order', async () => {
  const path = join(folder, 'log');
  const { logger, close } = createLog('info', openSync(path, 'a'));
  for (let line = 0; line < 100; line += 1) logger.info({ line }, 'request');
  await close(5_000);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: 100 }, (_, line) => line));
});

test('if the reader stalls, log lines are dropped and their number is logged later (rule: request-log)', async () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  // The pipe is opened for reading and writing, because opening it for writing only would wait for a reader.
  const { logger } = createLog('info', openSync(path, 'r+'));
  for (let line = 0; line < 50; line += 1) logger.info({ line, longText }, 'request');
  const reader = new Socket({ fd: openSync(path, 'r'), readable: true });
  const read: Record<string, unknown>[] = [];
  for await (const line of createInterface(reader)) {
    read.push(JSON.parse(line));
    if (read.at(-1)?.['dropped']) break;
  }
  reader.destroy();
  const dropped = Number(read.at(-1)?.['dropped']);
  expect(dropped).toBeGreaterThan(20);
  expect(read).toHaveLength(51 - dropped);
});

test('log lines after close are lost without an error', async () => {
  const path = join(folder, 'closed');
  const { logger, close } = createLog('info', openSync(path, 'a'));
  logger.info('before');
  await close(5_000);
  expect(() => logger.info('after')).not.toThrow();
  expect(readFileSync(path, 'utf8')).toMatch(/^.*before.*\n$/);
});
