import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { WatchRefused, watchEvents } from '../../../src/playground/live/watch-stream.js';
import { refusalInWords } from '../../../src/playground/live/words.js';
import { listen } from '../../support/listen.js';
import { began, failed, started, watched } from './recorded-steps.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Reads all events of a server that answers in this way. */
async function read(answer: RequestListener, token = ''): Promise<unknown[]> {
  server = createServer(answer);
  const origin = await listen(server);
  const events: unknown[] = [];
  const { signal } = new AbortController();
  for await (const { event } of watchEvents({ origin, token, signal })) events.push(event);
  return events;
}

const stream =
  (text: string): RequestListener =>
  (_, response) => {
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.end(text);
  };

const lines = (...events: readonly object[]): string =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join(':\n\n');

describe('reading the watch stream (rule: playground-live)', () => {
  test('the watch stream yields every kind of event and skips comments, unknown and damaged events', async () => {
    const events = [started(), began('a'), watched('a'), failed('b', null)];
    const foreign = [{ type: 'step.paused' }, { ...began('c'), model: 7 }, { ...watched('d'), step: {} }];
    expect(await read(stream(`data: {not json\n\n${lines(...foreign, ...events)}`))).toEqual(events);
  });

  test('the access token is sent in a header, and a token with invalid header characters is not sent', async () => {
    const sent: unknown[] = [];
    const answer: RequestListener = (request, response) => {
      sent.push(request.headers.authorization, request.url);
      stream('')(request, response);
    };
    await read(answer, 'secret-token');
    await read(answer, 'a token\n');
    expect(sent).toEqual(['Bearer secret-token', '/api/agent/watch', undefined, '/api/agent/watch']);
  });

  test('a broken connection rejects with an error other than WatchRefused', async () => {
    const reading = read((_, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write(lines(started()));
      setImmediate(() => response.destroy());
    });
    await expect(reading).rejects.toThrow();
    await expect(reading).rejects.not.toBeInstanceOf(WatchRefused);
  });

  test('a response of another server rejects with WatchRefused, and the message omits the response text', async () => {
    const refusal = await read((_, response) => response.end('<h1>Hello</h1>')).catch((error) => error);
    expect(refusal).toBeInstanceOf(WatchRefused);
    expect(refusalInWords({ type: 'refused', refusal, hadToken: false })).not.toContain('Hello');
  });
});
