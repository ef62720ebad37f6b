import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { reactStep } from '../../../src/service/step/react-step.js';
import { assertKeepsContract } from '../../support/contract-check.js';
import {
  answered,
  startTestService,
  stepBody,
  stepPath,
  streamPath,
  type TestService,
} from '../../support/test-service.js';
import { until } from '../../support/until.js';

let service: TestService;
afterEach(() => service.close());

/** Returns a step function that waits until the test releases it or its deadline interrupts it. */
function heldSteps() {
  const waiting: (() => void)[] = [];
  const step: typeof reactStep = (_request, { deadline }) =>
    new Promise((resolve, reject) => {
      waiting.push(() => resolve(answered));
      deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
    });
  return { step, waiting, release: () => void waiting.splice(0).map((go) => go()) };
}

const post = () => service.call('POST', stepPath, { body: stepBody() });

describe('overload protection (rule: overload)', () => {
  test('a request above MAX_IN_FLIGHT gets 503 overloaded with Retry-After, and accepted ones are answered', async () => {
    const held = heldSteps();
    service = await startTestService({ step: held.step, maxInFlight: 2 });
    const accepted = [post(), post()];
    await until(() => held.waiting.length === 2);
    const { status, body, headers } = await post();
    expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'overloaded', '1']);
    held.release();
    expect((await Promise.all(accepted)).map((each) => each.status)).toEqual([200, 200]);
  });

  test('requests are rejected as overloaded while the event loop lags', async () => {
    let lag = 1_000;
    service = await startTestService({ lagMs: () => lag });
    expect((await post()).body.error.code).toBe('overloaded');
    lag = 0;
    expect((await post()).status).toBe(200);
  });

  test('/healthz responds even while the service is overloaded', async () => {
    service = await startTestService({ maxInFlight: 0 });
    expect((await service.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('slow uploads (rule: overload)', () => {
  const body = JSON.stringify(stepBody());
  /** Memory limit in bytes; half of it is enough for a step and its reply. */
  const limit = 90_000;
  /** Declares a body of `declared` bytes and sends the first `sent` of them. */
  const uploadPart = async (declared: number, sent: number) => {
    const before = service.inFlight.bytes;
    const begun = upload();
    begun.socket.write(head({ 'Content-Length': declared }) + ' '.repeat(sent));
    await until(() => service.inFlight.bytes === before + sent);
    return begun;
  };

  test('bodies that are declared but not sent take no memory from other callers', async () => {
    service = await startTestService({ maxBytes: limit });
    for (let count = 0; count < 5; count += 1) await uploadPart(limit / 2, 1);
    expect((await post()).status).toBe(200);
  });

  test('slow uploads end with 503 overloaded, the oldest first, if other requests need their memory', async () => {
    service = await startTestService({ maxBytes: limit, maxContestedUploadMs: 0 });
    const slow = await uploadPart(limit, limit / 2);
    const next = await uploadPart(limit / 2, limit / 2 - 1);
    expect((await post()).status).toBe(200);
    const { status, body: refusal, headers } = await slow.answer();
    expect([status, refusal.error.code, headers['retry-after']]).toEqual([503, 'overloaded', '1']);
    expect(service.inFlight.bytes).toBe(limit / 2 - 1);
    next.socket.destroy();
    await until(() => service.inFlight.bytes === 0);
  });

  test('slow uploads continue while memory is free, or if ending them would not free enough of it', async () => {
    service = await startTestService({ maxBytes: limit, maxContestedUploadMs: 0 });
    const slow = await uploadPart(body.length + 10, 10);
    expect((await post()).status).toBe(200);
    const large = await service.call('POST', stepPath, { raw: body.padStart(limit + 1) });
    expect(large.body.error.code).toBe('overloaded');
    slow.socket.write(body);
    expect((await slow.answer()).status).toBe(200);
  });

  test('a body that is refused during its upload releases its memory before its connection ends', async () => {
    service = await startTestService({ maxBytes: limit });
    await uploadPart(limit, limit / 2);
    const chunkOf = (bytes: number) => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;
    const { socket, answer } = upload();
    socket.write(head({ 'Transfer-Encoding': 'chunked' }) + chunkOf(limit / 2));
    await until(() => service.inFlight.bytes === limit);
    socket.write(chunkOf(1));
    await until(() => service.inFlight.bytes === limit / 2);
    expect(service.inFlight.count).toBe(2);
    expect((await answer()).body.error.code).toBe('overloaded');
  });
});

describe('draining the service (rule: shutdown)', () => {
  test('while the service refuses requests, /readyz and new steps get 503 shutting_down and accepted steps finish', async () => {
    const held = heldSteps();
    service = await startTestService({ step: held.step });
    const accepted = post();
    await until(() => held.waiting.length === 1);
    service.inFlight.refuse();
    const drained = service.inFlight.idle();
    expect((await service.call('GET', '/readyz')).body.error.code).toBe('shutting_down');
    expect((await service.call('GET', '/healthz')).status).toBe(200);
    expect((await post()).body.error.code).toBe('shutting_down');
    held.release();
    expect((await accepted).status).toBe(200);
    await drained;
  });

  test('after announceDrain, the service is not ready but accepts steps, and each response closes its connection', async () => {
    const held = heldSteps();
    service = await startTestService({ step: held.step });
    const before = post();
    await until(() => held.waiting.length === 1);
    service.inFlight.announceDrain();
    expect((await service.call('GET', '/readyz')).body.error.code).toBe('shutting_down');
    const after = post();
    await until(() => held.waiting.length === 2);
    held.release();
    for (const { status, headers } of await Promise.all([before, after])) {
      expect([status, headers['connection']]).toEqual([200, 'close']);
    }
  });

  test.each([
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 503],
    ['GET', '/docs/swagger-ui.css', 200],
    ['GET', '/api/agent/models', 200],
    ['GET', '/nowhere', 404],
    ['GET', stepPath, 405],
    ['POST', stepPath, 415],
    ['OPTIONS', stepPath, 204],
  ])('after announceDrain, the response to %s %s closes its connection', async (method, path, status) => {
    service = await startTestService();
    expect((await service.call(method, path)).headers['connection']).toBe('keep-alive');
    service.inFlight.announceDrain();
    const { headers, ...answer } = await service.call(method, path);
    expect([answer.status, headers['connection']]).toEqual([status, 'close']);
  });

  test('after announceDrain, a connection with a started stream accepts one more request and then closes', async () => {
    const held = heldSteps();
    service = await startTestService({
      step: async (request, dependencies, observer) => {
        await observer?.delta('thought', 'I know.');
        return held.step(request, dependencies);
      },
    });
    const { socket, text } = upload();
    const body = JSON.stringify(stepBody());
    socket.write(head({ 'Content-Length': body.length }, streamPath) + body);
    await until(() => held.waiting.length === 1);
    service.inFlight.announceDrain();
    held.release();
    await until(() => service.inFlight.count === 0);
    // A load balancer may send this request before it learns that the service closes the connection.
    socket.write(head({ 'Content-Length': body.length }) + body);
    await until(() => held.waiting.length === 1);
    held.release();
    const [first, second] = (await text()).split(/(?<=event: step\.completed[\s\S]*)(?=HTTP\/1\.1)/);
    expect(first).toMatch(/^HTTP\/1\.1 200[\s\S]*Connection: keep-alive/);
    expect(second).toMatch(/^HTTP\/1\.1 200[\s\S]*Connection: close/);
  });

  test('a request whose body is still arriving when draining begins is answered', async () => {
    service = await startTestService();
    const { socket, answer } = upload();
    const body = JSON.stringify(stepBody());
    socket.write(head({ 'Content-Length': body.length }) + body.slice(0, 10));
    await until(() => service.inFlight.count === 1);
    service.inFlight.refuse();
    const drained = service.inFlight.idle();
    socket.write(body.slice(10));
    expect((await answer()).status).toBe(200);
    await drained;
  });

  test('interruptAll answers unfinished requests with 503 shutting_down and their history', async () => {
    const held = heldSteps();
    service = await startTestService({ step: held.step });
    const accepted = post();
    await until(() => held.waiting.length === 1);
    const drained = service.inFlight.idle();
    service.inFlight.interruptAll();
    const { status, body } = await accepted;
    expect([status, body.error.code, body.updated_conversation_history]).toEqual([503, 'shutting_down', []]);
    await drained;
  });
});

describe('deadlines of requests', () => {
  test.each([
    ['the caller', 30, 10_000],
    ['the service', 10_000, 30],
  ])('the deadline of %s ends the step with 504 upstream_timeout (rule: one-deadline)', async (_whose, deadlineMs, ours) => {
    service = await startTestService({ step: heldSteps().step, deadlineMs: ours });
    const llm_config = { modelName: 'open', tokenLimit: 8000, reservedOutputTokens: 1000, deadlineMs };
    const { status, body } = await service.call('POST', stepPath, { body: stepBody({ llm_config }) });
    expect([status, body.error.code]).toEqual([504, 'upstream_timeout']);
  });

  test('a caller that disconnects ends the step and is logged as 499 (threat 13)', async () => {
    const held = heldSteps();
    service = await startTestService({ step: held.step });
    const leaving = new AbortController();
    const call = service.call('POST', stepPath, { body: stepBody(), signal: leaving.signal });
    await until(() => held.waiting.length === 1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await until(() => service.inFlight.count === 0);
    expect(service.log.at(-1)).toMatchObject({ status: 499, outcome: 'caller_left' });
  });

  test('a caller that disconnects while uploading releases its slot', async () => {
    service = await startTestService();
    const { socket } = upload();
    socket.write(`${head({ 'Content-Length': 1000 })}{`);
    await until(() => service.inFlight.count === 1);
    socket.destroy();
    await until(() => service.inFlight.count === 0);
    expect(service.log.at(-1)).toMatchObject({ status: 499 });
  });
});

describe('a caller that never reads its response (rule: overload)', () => {
  /** A reply that is larger than all socket buffers between the service and the caller. */
  const long = 'word '.repeat(8_000_000);
  const body = JSON.stringify(stepBody({ include: { completion_text: true } }));

  function ask(path: string): Socket {
    const { socket } = upload();
    socket.pause();
    socket.write(head({ 'Content-Length': body.length }, path) + body);
    return socket;
  }

  test.each([
    ['a plain answer', stepPath, async () => ({ ...answered, completion_text: long })],
    [
      'a stream',
      streamPath,
      async (_request, { deadline }, observer) => {
        await observer?.delta('answer', long);
        deadline.signal.throwIfAborted();
        return answered;
      },
    ],
  ] satisfies [
    string,
    string,
    typeof reactStep,
  ][])('a caller that does not read %s is disconnected after the deadline and releases its slot', async (_what, path, step) => {
    service = await startTestService({ step, deadlineMs: 300 });
    const socket = ask(path);
    await until(() => service.inFlight.count === 1);
    await until(() => service.inFlight.count === 0);
    socket.destroy();
    expect(service.log.at(-1)).toMatchObject({ status: 499 });
  });

  test('a caller that does not read its response is disconnected at the end of the grace time (rule: shutdown)', async () => {
    service = await startTestService({ step: async () => ({ ...answered, completion_text: long }) });
    const socket = ask(stepPath);
    await until(() => service.inFlight.count === 1);
    const drained = service.inFlight.idle();
    service.inFlight.interruptAll();
    await drained;
    socket.destroy();
  });
});

describe('limits of request bodies and headers', () => {
  test('a slow body gets 408 request_timeout (rule: error-table)', async () => {
    service = await startTestService({ body: { maxBytes: 1_000, timeoutMs: 50 } });
    const { socket, answer } = upload();
    socket.write(`${head({ 'Content-Length': 1000 })}{`);
    const { status, body } = await answer();
    expect([status, body.error.code, body.error.retryable]).toEqual([408, 'request_timeout', true]);
    await until(() => service.log.length === 1);
    expect(service.log).toMatchObject([{ status: 408, outcome: 'request_timeout' }]);
  });

  test('a body of more than 100,000 chunks gets 413, and one of 60,000 takes little more memory than its bytes (rule: body-limits)', async () => {
    service = await startTestService({ body: { maxBytes: 2 ** 20, timeoutMs: 30_000 } });
    const body = JSON.stringify(stepBody()).padStart(60_000);
    const sendSingly = async (text: string) => {
      const { socket, answer } = upload();
      socket.write(head({ 'Transfer-Encoding': 'chunked' }));
      for (const part of text.match(/[\s\S]{1,5000}/g) ?? [])
        if (!socket.write([...part].map((byte) => `1\r\n${byte}\r\n`).join(''))) await once(socket, 'drain');
      socket.write('0\r\n\r\n');
      return answer();
    };
    expect((await sendSingly(body)).status).toBe(200);
    const refused = await sendSingly(body.padStart(100_001));
    expect([refused.status, refused.body.error.code]).toEqual([413, 'request_too_large']);
    expect(refused.body.error.details).toMatchObject([{ code: 'too_many_chunks' }]);
  });

  test('slow headers get 408 request_timeout (rule: error-table)', async () => {
    service = await startTestService({
      server: { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 },
    });
    const { socket, answer } = upload();
    socket.write(`POST ${stepPath} HTTP/1.1\r\nHost: a\r\n`);
    const { status, body } = await answer();
    expect([status, body.error.code]).toEqual([408, 'request_timeout']);
  });

  test('an endless upload gets 413 and its connection is closed (rule: body-limits)', async () => {
    service = await startTestService();
    const { socket, answer } = upload();
    socket.write(head({ 'Transfer-Encoding': 'chunked' }));
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
    const timer = setInterval(() => socket.writable && socket.write(chunk), 1);
    const { status, body, headers } = await answer();
    clearInterval(timer);
    expect([status, body.error.code, headers['connection']]).toEqual([413, 'request_too_large', 'close']);
    await until(() => service.log.length === 1);
    expect(service.log).toMatchObject([{ status: 413, outcome: 'request_too_large' }]);
  });

  test('a declared length above the limit gets 413 before the body is sent', async () => {
    service = await startTestService();
    const { socket, answer } = upload();
    socket.write(head({ 'Content-Length': 10_000_000_000 }));
    expect((await answer()).status).toBe(413);
  });

  test('headers that are too large get 431 (rule: error-table)', async () => {
    service = await startTestService();
    const { socket, answer } = upload();
    socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect((await answer()).status).toBe(431);
  });
});

describe('requests to which Node would otherwise respond by itself (rules: one-failure-body, request-log)', () => {
  test.each([
    ['no Host header', ''],
    ['two Host headers', 'Host: a\r\nHost: b\r\n'],
  ])('a request with %s gets a logged 400 with details', async (_what, hosts) => {
    service = await startTestService();
    const { socket, answer } = upload();
    socket.write(`GET /healthz HTTP/1.1\r\n${hosts}\r\n`);
    const { status, headers, body } = await answer();
    expect([status, body.error.code, body.request_id]).toEqual([
      400,
      'invalid_request',
      headers['x-request-id'],
    ]);
    expect(body.error.details).toEqual([
      { path: 'Host', code: 'malformed_http', message: 'expected exactly one Host header' },
    ]);
    await until(() => service.log.length === 1);
    expect(service.log).toMatchObject([{ route: '/healthz', status: 400, outcome: 'invalid_request' }]);
  });

  test('an HTTP/1.0 request may omit the Host header', async () => {
    service = await startTestService();
    const { socket, text } = upload();
    socket.write('GET /healthz HTTP/1.0\r\n\r\n');
    expect(await text()).toMatch(/^HTTP\/1\.1 200/);
  });

  test('unknown Expect headers are ignored, and pipelined responses arrive in full', async () => {
    service = await startTestService();
    const { socket, text } = upload();
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: anything\r\n\r\n'.repeat(2));
    socket.end();
    expect((await text()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    await until(() => service.log.length === 2);
  });
});

describe('invalid HTTP within a request (rule: error-table)', () => {
  test.each([
    ['a chunk without a valid size', 'canary\r\nx\r\n', 'HPE_INVALID_CHUNK_SIZE'],
    ['a chunk longer than its size', '1\r\ncanary\r\n0\r\n\r\n', 'HPE_STRICT'],
  ])('a request with %s gets 400 with the code of the HTTP parser', async (_what, chunks, parserCode) => {
    service = await startTestService();
    const { socket, answer } = upload();
    socket.write(head({ 'Transfer-Encoding': 'chunked' }) + chunks);
    const { status, body } = await answer();
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details).toEqual([
      { path: '', code: 'malformed_http', message: `the request is not valid HTTP (${parserCode})` },
    ]);
  });
});

describe('invalid HTTP on a connection that has already served requests (rule: error-table)', () => {
  const healthy = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

  test.each([
    [
      'headers that are too large',
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['a control character in a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\u0001b\r\n\r\n', 400],
  ])('an invalid request on a connection that was used before gets an error response: %s', async (_what, bytes, status) => {
    service = await startTestService();
    const { socket, soFar, text } = upload();
    socket.write(healthy);
    await until(() => soFar().endsWith('}'));
    socket.write(bytes);
    expect((await text()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', `HTTP/1.1 ${status}`]);
  });

  test('invalid HTTP after a pending request closes the connection after its response (rule: one-failure-body)', async () => {
    const held = heldSteps();
    service = await startTestService({ step: held.step });
    const body = JSON.stringify(stepBody());
    const step = head({ 'Content-Length': body.length }) + body;
    const { socket, text } = upload();
    socket.write(`${step}hello\r\n\r\n`);
    await until(() => held.waiting.length === 1);
    held.release();
    expect((await text()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  test.each([
    'close',
    'keep-alive',
  ])('a body that is longer than its Content-Length gets 400 invalid_json, with Connection: %s', async (connection) => {
    service = await startTestService();
    const body = JSON.stringify(stepBody({ user_query: 'Wo ist die Größe? '.repeat(20) }));
    const { socket, answer } = upload();
    socket.write(head({ 'Content-Length': body.length, Connection: connection }) + body);
    const { status, body: failure } = await answer();
    expect([status, failure.error.code]).toEqual([400, 'invalid_json']);
    await until(() => service.log.length === 1);
    expect(service.log).toMatchObject([{ status: 400, outcome: 'invalid_json' }]);
  });
});

describe('request smuggling (threat 21)', () => {
  test.each([
    ['text that is not HTTP', 'hello\r\n\r\n'],
    ['a control character in a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\u0000b\r\n\r\n'],
    [
      'two Content-Length headers',
      `${'POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'}ab`,
    ],
    [
      'Content-Length and Transfer-Encoding',
      'POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['bare line feeds instead of CRLF', 'GET /healthz HTTP/1.1\nHost: a\n\n'],
    [
      'a request id folded over two lines',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\n b: c\r\n\r\n',
    ],
  ])('a request with %s gets exactly one response', async (_what, bytes) => {
    service = await startTestService();
    const { socket, text } = upload();
    socket.write(bytes);
    socket.end();
    const all = await text();
    expect(all.match(/HTTP\/1\.1 /g) ?? []).toHaveLength(1);
    expect(all).toMatch(/^HTTP\/1\.1 (400|200)/);
    expect(all).not.toMatch(/^b: c/m);
  });
});

const head = (headers: Record<string, string | number>, path = stepPath): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

/** Opens a raw connection, for requests that no client library would send. */
function upload() {
  const socket: Socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
  const received: Buffer[] = [];
  socket.on('data', (bytes) => received.push(bytes));
  const soFar = () => Buffer.concat(received).toString();
  return {
    socket,
    soFar,
    /** Resolves to everything received until the connection ends. */
    text: async () => {
      await once(socket, 'close');
      return soFar();
    },
    /** Resolves to the first complete response. */
    answer: async () => {
      await until(() => isWhole(soFar()));
      socket.destroy();
      return toAnswer(soFar());
    },
  };
}

function isWhole(text: string): boolean {
  const [headers = '', body] = text.split('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1]);
  return body !== undefined && Buffer.byteLength(body) >= length;
}

function toAnswer(text: string) {
  const [start = '', ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const json = text.slice(text.indexOf('\r\n\r\n') + 4);
  const answer = { status: Number(start.split(' ')[1]), headers, body: json ? JSON.parse(json) : undefined };
  if (json) assertKeepsContract('POST', stepPath, answer);
  return answer;
}
