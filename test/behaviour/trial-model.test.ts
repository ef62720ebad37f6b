import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';

const kept = ['docs/trials/small-model.json', 'docs/trials/small-model.md'];
const contents = () => kept.map((path) => readFileSync(path, 'utf8'));

function trial(...args: string[]): Promise<{ code: number; out: string; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['.build/scripts/trial-model.js', ...args], (error, out, errors) =>
      resolve({ code: Number(error?.code ?? 0), out, errors }),
    );
  });
}

test('the trial of a model says how it is called', async () => {
  expect(await trial('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--corrections N') });
});

test.each([
  [['--steps', 'x'], '--steps must be a number from 0 to 9999, not x.'],
  [['--runs', '-1'], ''],
  [['--runs', '0'], 'a part goes to a --recording'],
  [['--url', 'localhost:80'], '--url must be an address'],
  [['--nothing'], "Unknown option '--nothing'"],
])('the trial refuses %j in words, and leaves its page', async (args, said) => {
  const before = contents();
  const { code, errors } = await trial(...args);
  expect(code).toBe(1);
  expect(errors).toContain(said);
  expect(errors).not.toMatch(/^\s+at /m);
  expect(contents()).toEqual(before);
});

test('the trial of a server that is down or no model’s says so, and leaves its page', async () => {
  const before = contents();
  const server = createServer((_, response) => response.writeHead(404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // an address is a string for pipes alone
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const answered = await trial('--url', url);
  expect(answered).toMatchObject({ code: 1, errors: `${url}/chat/completions answers 404.\n` });
  server.close();
  await once(server, 'close');
  expect(await trial('--url', url)).toMatchObject({ code: 1, errors: `Nothing answers at ${url}.\n` });
  expect(contents()).toEqual(before);
});
