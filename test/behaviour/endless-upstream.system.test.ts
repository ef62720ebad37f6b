import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  type EndlessResponse,
  type EndlessUpstream,
  startEndlessUpstream,
} from '../support/endless-upstream.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { stepRequest } from '../support/whole-service.js';

jest.setTimeout(60_000);

const MIB = 2 ** 20;
/** Bytes that socket buffers hold in addition to what was read: on loopback a few megabytes on each side. */
const BUFFERED = 12 * MIB;

let upstream: EndlessUpstream;
let service: ServiceProcess;
beforeAll(async () => {
  upstream = await startEndlessUpstream();
  service = await startServiceProcess({ ...upstreamsAt(upstream.url), LOG_LEVEL: 'silent' });
});
afterAll(async () => {
  await service.kill();
  upstream.close();
});

const pad = 'x'.repeat(64 * 1024);
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const head = (type: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** Returns a body of a content type that begins with `start` and repeats `next` without end. */
const bodyOf = (type: string, start: string, next: string): EndlessResponse => ({
  start: head(type) + (start && chunk(start)),
  next: () => chunk(next),
});
const events = (start: string, next: string): EndlessResponse => bodyOf('text/event-stream', start, next);
const json = (start: string, next: string): EndlessResponse => bodyOf('application/json', start, next);
const raw = (start: string, next: string): EndlessResponse => ({ start, next: () => next });

async function ask(path: string, response: EndlessResponse): Promise<string | undefined> {
  upstream.respondWith(response);
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(stepRequest()),
  });
  const text = await answer.text();
  await upstream.closed();
  return /"code":"(\w+)","message"/.exec(text)?.[1];
}

const stream = '/api/agent/react_step/stream';
const plain = '/api/agent/react_step';

test.each([
  ['one event of a stream', stream, events('data: ', pad), 2],
  ['one event of many lines', stream, events('', `data: ${pad}\n`), 2],
  ['one event name', stream, events('event: ', pad), 2],
  ['one comment line', stream, events(': ', pad), 2],
  ['comment lines', stream, events('', `: ${pad}\n\n`), 128],
  ['event names without data', stream, events('', `event: ${pad}\n\n`), 128],
  ['a plain body', plain, json('{"choices":"', pad), 8],
  ['blanks', plain, json('', ' '.repeat(64 * 1024)), 8],
  ['a plain body in place of a stream', stream, json('{"choices":"', pad), 8],
  ['events in place of a plain body', plain, events('', `: ${pad}\n\n`), 8],
  ['one header', plain, raw('HTTP/1.1 200 OK\r\nX-A: ', pad), 1],
  ['headers', plain, raw('HTTP/1.1 200 OK\r\n', `X-A: ${'y'.repeat(1_000)}\r\n`), 1],
  [
    'trailers',
    plain,
    raw(`${head('application/json')}${chunk('{')}0\r\n`, `X-A: ${'y'.repeat(1_000)}\r\n`),
    1,
  ],
  ['informational responses', plain, raw('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'), 1],
  ['the body of a redirect', plain, { start: head('text/html', '302 Found'), next: () => chunk(pad) }, 1],
])('a step fails with upstream_invalid_response at the size limit if the upstream sends %s without end (rule: reply-cap)', async (_what, path, response, maxMib) => {
  expect(await ask(path, response)).toBe('upstream_invalid_response');
  expect(upstream.sentBytes()).toBeLessThan(maxMib * MIB + BUFFERED);
});

test('an upstream that sends the body of an error without end is read up to 64 KiB (rule: reply-cap)', async () => {
  const response = { start: head('application/json', '500 Oops'), next: () => chunk(pad) };
  expect(await ask(plain, response)).toBe('upstream_error');
  expect(upstream.sentBytes()).toBeLessThan(BUFFERED);
});

needs(
  linux,
).test('the longest replies of a hostile upstream use less than 100 MiB of memory together (rule: reply-cap)', async () => {
  const hostile = [events('data: ', pad), events('', `data: ${pad}\n`), events(': ', pad)];
  await ask(plain, json('{"choices":"', pad));
  const before = service.peakBytes();
  for (const response of hostile) await ask(stream, response);
  expect(service.peakBytes() - before).toBeLessThan(100 * MIB);
});
