import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { listen } from '../../../support/listen.js';
import { ask, connect, directoryAt, failureOf, patienceOf } from '../../../support/providers/requests.js';
import { until } from '../../../support/until.js';

const plain = { model: 'gpt-4o', streamed: false };
const answer = JSON.stringify({
  choices: [{ message: { role: 'assistant', content: 'Final Answer: yes' }, finish_reason: 'stop' }],
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const listening = (server: Server): Promise<string> => {
  servers.push(server);
  return listen(server);
};

const answering = (write: (response: ServerResponse) => void) =>
  listening(
    createHttpServer((request, response) => {
      request.resume().on('end', () => write(response));
    }),
  );

/** Starts a server that sends these bytes to the first request and closes the connection. */
const saying = (bytes: string) =>
  listening(createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(bytes))));

const failureAt = async (url: string, way = plain) =>
  failureOf(ask(connect(directoryAt(url), way.model), way));

describe('checking provider responses before use', () => {
  const jsonHead = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

  test.each([
    { what: 'is hardly HTTP', bytes: 'hello\r\n\r\n', failure: 'invalid_response' },
    {
      what: 'has two lengths',
      bytes: `${jsonHead}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
      failure: 'invalid_response',
    },
    { what: 'is no HTTP', bytes: 'SSH-2.0-OpenSSH_9.2\r\n', failure: 'invalid_response' },
    {
      what: 'has endless headers',
      bytes: `${jsonHead}x: ${'y'.repeat(200_000)}\r\n\r\n`,
      failure: 'invalid_response',
    },
    { what: 'ends in its headers', bytes: jsonHead, failure: 'unreachable' },
    {
      what: 'is shorter than it says',
      bytes: `${jsonHead}content-length: 500\r\n\r\n{"cho`,
      failure: 'unreachable',
    },
    {
      what: 'has an odd status',
      bytes: 'HTTP/1.1 799 Odd\r\ncontent-length: 0\r\n\r\n',
      failure: 'invalid_response',
    },
    { what: 'has no content', bytes: 'HTTP/1.1 204 No Content\r\n\r\n', failure: 'invalid_response' },
    {
      what: 'redirects nowhere',
      bytes: 'HTTP/1.1 301 Moved\r\ncontent-length: 0\r\n\r\n',
      failure: 'invalid_response',
    },
  ])('a provider response that $what is classified as $failure', async ({ bytes, failure }) => {
    expect(await failureAt(await saying(bytes))).toMatchObject({ failure });
  });

  test('a compressed provider response is rejected', async () => {
    const url = await answering((response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(answer),
    );
    expect(await failureAt(url)).toMatchObject({ failure: 'invalid_response' });
  });

  test.each([
    'Identity',
    'none',
    '',
  ])('a provider response with the encoding %j is read', async (encoding) => {
    const url = await answering((response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
        .end(answer),
    );
    expect(await ask(connect(directoryAt(url), 'gpt-4o'), plain)).toMatchObject({
      text: 'Final Answer: yes',
    });
  });

  test('a provider response after early hints is read', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const url = await saying(`${hints}${jsonHead}content-length: ${answer.length}\r\n\r\n${answer}`);
    expect(await ask(connect(directoryAt(url), 'gpt-4o'), plain)).toMatchObject({
      text: 'Final Answer: yes',
    });
  });

  test('only the beginning of an error body is read', async () => {
    let sent = 0;
    const url = await answering((response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && sent < 50_000_000) {
          sent += 65_536;
          if (!response.write('x'.repeat(65_536))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(await failureAt(url)).toMatchObject({ failure: 'rejected', upstreamStatus: 400 });
    expect(sent).toBeLessThan(20_000_000);
  });

  test('an error response whose body never ends has the code of its status and the words that arrived', async () => {
    let isClosed = false;
    const url = await answering((response) => {
      response.once('close', () => {
        isClosed = true;
      });
      response.writeHead(400, { 'content-type': 'application/json' });
      response.write('{"error":{"message":"The field tools is too long."}}');
    });
    expect(await failureAt(url)).toMatchObject({
      failure: 'rejected',
      upstreamStatus: 400,
      vendorWords: 'The field tools is too long.',
    });
    await until(() => isClosed);
  });

  test('a provider response with content parts and a charset is read', async () => {
    const parts = answer.replace(
      '"Final Answer: yes"',
      '[{"type":"text","text":"Final Answer: "},{"type":"text","text":"yes"}]',
    );
    const url = await answering((response) =>
      response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' }).end(parts),
    );
    const completion = await ask(connect(directoryAt(url), 'gpt-4o'), plain);
    expect(completion).toMatchObject({
      text: 'Final Answer: yes',
      usage: { input_tokens: null },
      model: 'gpt-4o',
    });
  });
});

describe('connections to providers', () => {
  test('an idle connection is reused after 5 seconds', async () => {
    let connections = 0;
    // Sends no keep-alive timeout, like the vendors.
    const server = createHttpServer({ keepAliveTimeout: 0 }, (request, response) => {
      request
        .resume()
        .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
    }).on('connection', () => {
      connections += 1;
    });
    const provider = connect(directoryAt(await listening(server)), 'gpt-4o');
    await ask(provider, plain);
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    await ask(provider, plain);
    expect(connections).toBe(1);
  }, 10_000);

  test('a connection that was closed while idle is replaced', async () => {
    const impatient = await answering((response) =>
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(answer),
    );
    const provider = connect(directoryAt(impatient), 'gpt-4o');
    for (let call = 0; call < 3; call += 1) await ask(provider, plain);
  });

  test('a reply is complete at the end event of its stream, without waiting for the connection to close', async () => {
    const chunk = { choices: [{ delta: { content: 'yes' }, finish_reason: 'stop' }] };
    const url = await answering((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
    const completion = await ask(
      connect(directoryAt(url), 'gpt-4o'),
      { ...plain, streamed: true },
      patienceOf(4_000),
    );
    expect(completion.text).toBe('yes');
  });

  test('a stream whose connection ends after its finish reason is complete', async () => {
    const chunk = { choices: [{ delta: { content: 'yes' }, finish_reason: 'stop' }] };
    const url = await answering((response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${JSON.stringify(chunk)}\n\n`),
    );
    expect((await ask(connect(directoryAt(url), 'gpt-4o'), { ...plain, streamed: true })).text).toBe('yes');
  });

  const finished = {
    'gpt-4o': [
      { choices: [{ delta: { content: 'yes' }, finish_reason: null }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
    ],
    'claude-opus-5': [
      { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'yes' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    ],
  };
  const eventsOf = (model: keyof typeof finished) =>
    finished[model].map((event) => `data: ${JSON.stringify(event)}\n\n`);

  describe.each<keyof typeof finished>(['gpt-4o', 'claude-opus-5'])('finished streams of %s', (model) => {
    test.each<[string, (response: ServerResponse) => void]>([
      ['is closed without its last chunk', ({ socket }) => void socket?.end()],
      ['is reset', ({ socket }) => void socket?.resetAndDestroy()],
      ['sends an invalid chunk', ({ socket }) => void socket?.write('canary\r\n')],
    ])('a stream whose connection %s after its finish reason is complete (rule: finish-reason)', async (_how, end) => {
      const url = await answering((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(eventsOf(model).join(''));
        setTimeout(() => end(response), 30);
      });
      expect(await ask(connect(directoryAt(url), model), { model, streamed: true })).toMatchObject({
        text: 'yes',
        finishReason: 'stop',
      });
    });

    test.each([
      ['an error', '{"type": "error", "error": {"type": "api_error", "message": "no"}}'],
      ['incomplete JSON', '{"choi'],
    ])('a stream with %s after its finish reason is complete (rule: finish-reason)', async (_what, data) => {
      const url = await answering((response) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`${eventsOf(model).join('')}data: ${data}\n\n`),
      );
      expect(await ask(connect(directoryAt(url), model), { model, streamed: true })).toMatchObject({
        text: 'yes',
        finishReason: 'stop',
      });
    });

    test('a stream shorter than its content length is complete if it has its finish reason (rule: finish-reason)', async () => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n';
      const url = await saying(head + eventsOf(model).join(''));
      expect(await ask(connect(directoryAt(url), model), { model, streamed: true })).toMatchObject({
        text: 'yes',
      });
    });

    test('a stream in answer to a plain request is complete even if its connection stays open (rule: finish-reason)', async () => {
      const url = await answering((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(eventsOf(model).join(''));
      });
      expect(await ask(connect(directoryAt(url), model), { model, streamed: false })).toMatchObject({
        text: 'yes',
        finishReason: 'stop',
      });
    });

    test('an interruption after the finish reason still rejects the call (rule: caller-leaves)', async () => {
      const patience = patienceOf();
      const url = await answering((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(eventsOf(model).join(''));
        setTimeout(() => patience.interrupt('caller_left'), 100);
      });
      expect(
        await failureOf(ask(connect(directoryAt(url), model), { model, streamed: true }, patience)),
      ).toBe(patience.signal.reason);
    });
  });

  test('a stream that ends without a finish reason is reported as unreachable', async () => {
    const chunk = { choices: [{ delta: { content: 'ye' }, finish_reason: null }] };
    const url = await answering((response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${JSON.stringify(chunk)}\n\n`),
    );
    expect(await failureAt(url, { ...plain, streamed: true })).toMatchObject({ failure: 'unreachable' });
  });
});
