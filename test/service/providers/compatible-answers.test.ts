import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { listen } from '../../support/listen.js';
import {
  ask,
  collect,
  completionRequest,
  connect,
  directoryAt,
  failureOf,
  patienceOf,
  ways,
} from '../../support/providers/requests.js';

const json = { 'content-type': 'application/json' };

const events = [
  { choices: [{ delta: { content: 'The port ' }, finish_reason: '' }] },
  { choices: [{ delta: { content: 'is 80.' }, finish_reason: '' }] },
  { choices: [{ delta: {}, finish_reason: 'stop' }] },
];
const stream = `data:\n\n${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;

/** Connects to an upstream that answers as given; `bodies` holds the requests that it got. */
async function upstream(answer: (response: ServerResponse, request: number) => void) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = await request.toArray();
    bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
    answer(response, bodies.length);
  });
  const url = await listen(server);
  return { provider: connect(directoryAt(url), 'any', 'local'), bodies, close: () => server.close() };
}

test.each([
  ['without a content type, asked for a stream', {}, true],
  ['as JSON, asked for a stream', json, true],
  ['as events, asked for a plain answer', { 'content-type': 'text/event-stream' }, false],
  ['without a content type, asked for a plain answer', {}, false],
])('events that a server sends %s are read (rule: compatible-answers)', async (_, headers, streamed) => {
  const { provider, close } = await upstream((response) => response.writeHead(200, headers).end(stream));
  const completion = await ask(provider, { model: 'any', streamed });
  expect(completion).toMatchObject({ text: 'The port is 80.', finishReason: 'stop' });
  close();
});

test('a plain answer without a content type is read (rule: compatible-answers)', async () => {
  const body = JSON.stringify({ choices: [{ message: { content: '80' }, finish_reason: 'stop' }] });
  const { provider, close } = await upstream((response) => response.writeHead(200).end(body));
  expect(await ask(provider, { model: 'any', streamed: false })).toMatchObject({ text: '80' });
  close();
});

const plainAnswers = [
  ['gpt-4o', { choices: [{ message: { content: '80' }, finish_reason: 'stop' }] }],
  [
    'gpt-5.6-sol',
    { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: '80' }] }] },
  ],
  ['claude-opus-5', { content: [{ type: 'text', text: '80' }], stop_reason: 'end_turn' }],
] as const;

/** Beginnings that arrive before the first character of a plain answer: none, blanks, and a byte order mark in two parts. */
const beginnings = [[[]], [[' '.repeat(100), '\r\n']], [[Buffer.of(0xef, 0xbb), Buffer.of(0xbf)]]] as const;

describe.each([
  ['asked for a stream', true],
  ['asked for a plain answer', false],
])('a plain answer that a gateway %s declares as events is read (rule: compatible-answers)', (_, streamed) => {
  test.each(
    plainAnswers.flatMap(([model, body]) => beginnings.map(([parts]) => [model, parts, body] as const)),
  )('%s, after %j', async (model, parts, body) => {
    const server = createServer(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of parts) await new Promise((resolve) => response.write(part, resolve));
      response.end(JSON.stringify(body, null, 2));
    });
    const url = await listen(server);
    const completion = await ask(connect(directoryAt(url), model), { model, streamed });
    expect(completion).toMatchObject({ text: '80', finishReason: 'stop' });
    server.close();
  });
});

test.each([
  true,
  false,
])('an error in several lines of JSON in place of events has its own code (rule: compatible-answers), streamed: %s', async (streamed) => {
  const error = JSON.stringify([{ error: { code: 429, message: 'busy' } }], null, 2);
  const { provider, close } = await upstream((response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(error),
  );
  expect(await failureOf(ask(provider, { model: 'any', streamed }))).toMatchObject({
    failure: 'rate_limited',
  });
  close();
});

test('an error in a line of JSON before the end mark of a stream has its own code (rule: compatible-answers)', async () => {
  const error = JSON.stringify({ error: { code: 429, message: 'busy' } });
  const { provider, close } = await upstream((response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${error}\n\ndata: [DONE]\n\n`),
  );
  expect(await failureOf(ask(provider, { model: 'any', streamed: true }))).toMatchObject({
    failure: 'rate_limited',
  });
  close();
});

test('an error in a stream after some text fails the reply with the code of that error (rule: compatible-answers)', async () => {
  const error = { choices: [{ delta: {}, finish_reason: 'error' }], error: { code: 429, message: 'busy' } };
  const text = `data: ${JSON.stringify(events[0])}\n\ndata: ${JSON.stringify(error)}\n\n`;
  const { provider, close } = await upstream((response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text),
  );
  const failure = await failureOf(ask(provider, { model: 'any', streamed: true }));
  expect(failure).toMatchObject({ failure: 'rate_limited' });
  close();
});

test.each([
  [
    'a field `error` of the stream',
    'error: {"message":"the request exceeds the available context size"}\n\n',
    'context_length',
  ],
  ['an event `error` with JSON', 'event: error\ndata: {"code":503,"detail":"busy"}\n\n', 'overloaded'],
  ['an event `error` with a text', 'event: error\ndata: out of memory\n\n', 'failed'],
])('a reply fails because of %s in the middle of its stream (rule: compatible-answers)', async (_, event, failure) => {
  const { provider, close } = await upstream((response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(events[0])}\n\n${event}`),
  );
  expect(await failureOf(ask(provider, { model: 'any', streamed: true }))).toMatchObject({ failure });
  close();
});

const unfinished = {
  'gpt-4o': [{ choices: [{ delta: { content: '80' } }] }],
  'gpt-5.6-sol': [{ type: 'response.output_text.delta', output_index: 0, delta: '80' }],
  'claude-opus-5': [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '80' } }],
} as const;

test.each([
  ['gpt-4o', '[DONE]'],
  ['gpt-5.6-sol', '[DONE]'],
  ['claude-opus-5', '[DONE]'],
  ['claude-opus-5', '{"type":"message_stop"}'],
] as const)('a stream of %s with the end mark %s and without a finish reason is complete (rule: compatible-answers)', async (model, mark) => {
  const data = [...unfinished[model].map((event) => JSON.stringify(event)), mark];
  const server = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(data.map((each) => `data: ${each}\n\n`).join(''));
  });
  const url = await listen(server);
  const completion = await ask(connect(directoryAt(url), model), { model, streamed: true });
  expect(completion).toMatchObject({ text: '80', finishReason: 'other', finishReasonRaw: null });
  server.close();
});

test.each(
  ways,
)('the status that a gateway writes into an error inside a 200 is that of the failure (rule: compatible-answers): $title', async (way) => {
  const server = createServer((_, response) => {
    response.writeHead(200, json).end('{"error":{"message":"busy","code":429}}');
  });
  const url = await listen(server);
  expect(await failureOf(ask(connect(directoryAt(url), way.model), way))).toMatchObject({
    failure: 'rate_limited',
  });
  server.close();
});

test.each([
  429, 200,
])('the wait that Gemini asks for in the body of an error is kept, and the request not repeated before: status %i (rule: retry-after)', async (status) => {
  const type = 'type.googleapis.com/google.rpc.RetryInfo';
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.Help' },
    { '@type': type, retryDelay: '35.25s' },
  ];
  const error = { code: 429, message: 'Resource exhausted.', status: 'RESOURCE_EXHAUSTED', details };
  const { provider, bodies, close } = await upstream((response) =>
    response.writeHead(status, json).end(JSON.stringify([{ error }])),
  );
  const failure = await failureOf(ask(provider, { model: 'any', streamed: false }));
  expect(failure).toMatchObject({ failure: 'rate_limited', retryAfterMs: 35_250 });
  expect(bodies).toHaveLength(1);
  close();
});

test('a character that a gateway cuts in two between chunks arrives whole, and a half of one is replaced', async () => {
  const deltas = ['a\uD83D', '\uDE00b\uD83D', 'c'].map((content) => ({ choices: [{ delta: { content } }] }));
  const data = [...deltas, { choices: [{ delta: {}, finish_reason: 'stop' }] }].map((each) =>
    JSON.stringify(each),
  );
  const { provider, close } = await upstream((response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(data.map((each) => `data: ${each}\n\n`).join('')),
  );
  const events = await collect(provider.stream(completionRequest({ model: 'any' }), patienceOf()));
  expect(events.map((event) => ('delta' in event ? event.delta : event.completion.text))).toEqual([
    'a',
    '😀b',
    '\uFFFDc',
    'a😀b\uFFFDc',
  ]);
  close();
});

test('half of a character in a refusal or in the arguments of a call is replaced', async () => {
  const call = { id: 'call_1', function: { name: 'read', arguments: '{"path":"a\uD83D"}' } };
  const body = { choices: [{ message: { refusal: 'no\uD83D', tool_calls: [call] }, finish_reason: 'stop' }] };
  const { provider, close } = await upstream((response) =>
    response.writeHead(200, json).end(JSON.stringify(body)),
  );
  const { refusal, toolCalls } = await ask(provider, { model: 'any', streamed: false });
  expect(refusal).toBe('no\uFFFD');
  expect(toolCalls).toMatchObject([{ arguments: '{"path":"a\uFFFD"}' }]);
  close();
});

test.each([
  ['before its first event', ''],
  ['after some text', `data: ${JSON.stringify(events[0])}\n\n`],
])('an error that a stream contains as JSON without `data:` keeps its code: %s (rule: compatible-answers)', async (_, before) => {
  const { provider, close } = await upstream((response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`${before}{"error":{"message":"busy","code":429}}`),
  );
  const failure = await failureOf(ask(provider, { model: 'any', streamed: true }));
  expect(failure).toMatchObject({ failure: 'rate_limited' });
  close();
});

test.each([
  true,
  false,
])('a byte order mark before an answer is ignored, streamed: %s (rule: compatible-answers)', async (streamed) => {
  const body = JSON.stringify({ choices: [{ message: { content: '80' }, finish_reason: 'stop' }] });
  const { provider, close } = await upstream((response) =>
    response.writeHead(200, json).end(`\uFEFF${body}`),
  );
  expect(await ask(provider, { model: 'any', streamed })).toMatchObject({ text: '80' });
  close();
});

test('a message field that a FastAPI server refuses is omitted from a second request (rule: second-request)', async () => {
  const loc = ['body', 'stream_options', 'include_usage'];
  const refusal = {
    message: { detail: [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' }] },
  };
  const { provider, bodies, close } = await upstream((response, request) => {
    if (request === 1) response.writeHead(422, json).end(JSON.stringify({ object: 'error', ...refusal }));
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
  });
  const events = await collect(provider.stream(completionRequest({ model: 'any' }), patienceOf()));
  expect(events.at(-1)).toMatchObject({ completion: { text: 'The port is 80.' } });
  expect(bodies.map((body) => 'stream_options' in body)).toEqual([true, false]);
  close();
});

test.each([
  [429, 'You exceeded your current quota, please check your plan and billing details.', 'billing'],
  [429, 'Your monthly spend limit has been reached.', 'billing'],
  [400, 'Budget has been exceeded! Current cost: 10.2, Max budget: 10.0', 'billing'],
  [403, 'Insufficient balance', 'billing'],
  [500, 'Your account is out of credits.', 'billing'],
  [429, 'You exceeded your current quota of requests per minute. Please retry in 12 s.', 'rate_limited'],
  [400, "This model's maximum context length is 2048 tokens.", 'context_length'],
  [400, 'API key not valid. Please pass a valid API key.', 'authentication'],
])('a provider error with status %i and message %j fails as %s after a single request (rule: error-table)', async (status, message, expected) => {
  const { provider, bodies, close } = await upstream((response) =>
    response
      .writeHead(status, { ...json, 'retry-after': '3600' })
      .end(JSON.stringify({ message, code: status })),
  );
  const failure = await failureOf(ask(provider, { model: 'any', streamed: false }));
  expect(failure).toMatchObject({ failure: expected });
  expect(bodies).toHaveLength(1);
  close();
});
