import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { checkModel } from '../../scripts/trial/local-model.js';
import { listen } from '../support/listen.js';

const kept = ['docs/trials/small-model.json', 'docs/trials/small-model.md'];
const contents = () => kept.map((path) => readFileSync(path, 'utf8'));

function trial(...args: string[]): Promise<{ code: number; out: string; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['.build/scripts/trial-model.js', ...args], (error, out, errors) =>
      resolve({ code: Number(error?.code ?? 0), out, errors }),
    );
  });
}

test('the model trial prints its options with --help', async () => {
  expect(await trial('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--corrections N') });
});

test.each([
  [['--steps', 'x'], '--steps must be a number from 0 to 9999, not x.'],
  [['--runs', '-1'], ''],
  [['--runs', '0'], 'a part goes to a --recording'],
  [['--url', 'localhost:80'], '--url must be an address'],
  [['--nothing'], "Unknown option '--nothing'"],
])('the model trial refuses %j with a message and writes no page', async (args, said) => {
  const before = contents();
  const { code, errors } = await trial(...args);
  expect(code).toBe(1);
  expect(errors).toContain(said);
  expect(errors).not.toMatch(/^\s+at /m);
  expect(contents()).toEqual(before);
});

test('the model trial reports a server that is down or serves no model, and writes no page', async () => {
  const before = contents();
  const server = createServer((_, response) => response.writeHead(404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The types make the address of a server a string only for pipes; this server listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const answered = await trial('--url', url);
  expect(answered).toMatchObject({ code: 1, errors: `${url}/chat/completions answers 404.\n` });
  server.close();
  await once(server, 'close');
  expect(await trial('--url', url)).toMatchObject({ code: 1, errors: `Nothing answers at ${url}.\n` });
  expect(contents()).toEqual(before);
});

describe('the request before the first trial of a model', () => {
  const check = async (answer: RequestListener, patienceMs?: number) => {
    const server = createServer(answer);
    const url = await listen(server);
    const outcome = await checkModel(url, patienceMs).catch(({ message }: Error) =>
      message.replace(url, 'URL'),
    );
    server.closeAllConnections();
    server.close();
    return outcome;
  };

  test('the model trial waits for a model that is still loading', async () => {
    let asked = 0;
    const answer: RequestListener = (_, response) => {
      asked += 1;
      response.writeHead(asked > 1 ? 200 : 503).end('{}');
    };
    expect(await check(answer)).toBeUndefined();
    expect(asked).toBe(2);
  });

  test.each<[string, RequestListener]>([
    ['says nothing', () => undefined],
    ['says nothing after its headers', (_, response) => response.writeHead(200).write('{')],
    ['is never ready', (_, response) => response.writeHead(503).end()],
  ])('the model trial gives up on a server that %s, with a message', async (_, answer) => {
    expect(await check(answer, 200)).toBe('The model at URL gave no answer within 0.2 s.');
  });
});
