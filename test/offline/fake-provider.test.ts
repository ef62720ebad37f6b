import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { anthropicAt, anthropicRequest, openaiAt, openaiRequest } from '../support/clients.js';

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ text: 'one' });
});
afterEach(() => provider.close());

const ask = async () =>
  (await openaiAt(provider.url).chat.completions.create(openaiRequest)).choices[0]?.message.content;

test('the fake provider records every request and how its exchange ended', async () => {
  await ask();
  const [request] = provider.requests;
  expect(request).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-test-key', 'content-type': 'application/json' },
    body: openaiRequest,
  });
  expect(JSON.parse(request?.rawBody ?? '')).toEqual(openaiRequest);
  expect(await request?.ended).toBe('answered');
  expect(request?.aborted).toBe(false);
});

test('a single scripted reply answers every request, a list answers one request each', async () => {
  expect([await ask(), await ask()]).toEqual(['one', 'one']);
  provider.script([{ text: 'two' }, { text: 'three' }]);
  expect([await ask(), await ask()]).toEqual(['two', 'three']);
});

test('the fake provider answers 400, which no client retries, once its list of scripted replies is used up', async () => {
  provider.script([{ text: 'two' }]);
  await ask();
  await expect(ask()).rejects.toMatchObject({ status: 400, message: /list of 1 replies is used up/ });
});

test('a script function chooses the reply by the request, and its error becomes a 400', async () => {
  provider.script(({ body }) => {
    if (body['model'] !== 'gpt-test') throw new Error('unexpected model');
    return { text: `for ${String(body['model'])}` };
  });
  expect(await ask()).toBe('for gpt-test');
  const other = anthropicAt(provider.url).messages.create(anthropicRequest);
  await expect(other).rejects.toMatchObject({ status: 400, message: /unexpected model/ });
});

test('the fake provider answers the same request with the same bytes', async () => {
  const bodyOf = async () => {
    const response = await fetch(`${provider.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(anthropicRequest),
    });
    return response.text();
  };
  expect(await bodyOf()).toBe(await bodyOf());
});

test('the fake provider answers an unknown path with 404 and records the request', async () => {
  const response = await fetch(`${provider.url}/v1/embeddings`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
  expect(provider.requests.map(({ path }) => path)).toEqual(['/v1/embeddings']);
});

test('the fake provider records a client that leaves during its request as aborted', async () => {
  const port = Number(new URL(provider.url).port);
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"half":');
  setTimeout(() => socket.destroy(), 20);
  const request = await provider.request(0);
  expect(await request.ended).toBe('aborted');
});

test("an error in a script's chunks cuts the connection", async () => {
  const failing = function* () {
    yield 'Final';
    throw new Error('no more');
  };
  provider.script({ chunks: failing() });
  const response = await fetch(`${provider.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...openaiRequest, stream: true }),
  });
  await expect(response.text()).rejects.toThrow();
  expect(await provider.requests[0]?.ended).toBe('cut');
});

test('the fake provider’s close() ends its pending connections immediately', async () => {
  provider.script({ fault: 'slow-headers' });
  const asking = ask().catch((error: Error) => error.message);
  const request = await provider.request(0);
  expect(provider.openSockets()).toBe(1);
  await provider.close();
  expect(provider.openSockets()).toBe(0);
  expect(request.ending).toBe('cut');
  expect(await asking).toBe('Connection error.');
  await expect(fetch(provider.url)).rejects.toThrow();
  provider = await startFakeProvider({ text: 'for the next close' });
});
