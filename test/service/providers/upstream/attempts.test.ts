import { createConnection, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../../src/offline/wire/reply.js';
import type { CompletionRequest } from '../../../../src/service/step/provider.js';
import { freePort } from '../../../support/free-port.js';
import {
  ask,
  connect,
  directoryAt,
  failureOf,
  fakeProvider,
  patienceOf,
  ways,
} from '../../../support/providers/requests.js';

const answer: ScriptedCompletion = { text: 'Final Answer: in cart.ts' };
const local = { model: 'qwen3', streamed: false };
const relays: Server[] = [];
afterEach(() => {
  for (const relay of relays.splice(0)) relay.close();
});

const steered: Partial<CompletionRequest> = { temperature: 0, seed: 7 };

describe.each(ways)('a second request (rule: second-request): $title', (way) => {
  test('a 429 is followed by one more request after the provider’s Retry-After', async () => {
    const fake = await fakeProvider([{ fault: 'rate-limited', retryAfter: '0.4' }, answer]);
    const completion = await ask(connect(directoryAt(fake.url), way.model), way);
    expect(completion.text).toBe(answer.text);
    const [first, second] = fake.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(395);
    expect(second?.rawBody).toBe(first?.rawBody);
  });

  test.each([
    ['3600', 3_600_000],
    ['1e9', 3_600_000],
    ['99999999999999999999999', 3_600_000],
  ])('a Retry-After of %s is returned to the caller without a second request, capped at an hour', async (retryAfter, retryAfterMs) => {
    const fake = await fakeProvider({ fault: 'rate-limited', retryAfter });
    const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
    expect(error).toMatchObject({ failure: 'rate_limited', retryAfterMs });
    expect(fake.requests).toHaveLength(1);
  });

  test('the service sends no second request if the wait would leave no time for the reply', async () => {
    const fake = await fakeProvider({ fault: 'server-error' });
    const error = await failureOf(
      ask(connect(directoryAt(fake.url), way.model), way, { ...patienceOf(), remainingMs: () => 400 }),
    );
    expect(error).toMatchObject({ failure: 'failed', upstreamStatus: 500 });
    expect(fake.requests).toHaveLength(1);
  });

  test('a request that failed twice is not sent a third time', async () => {
    const fake = await fakeProvider([
      { fault: 'server-error' },
      { fault: 'unavailable', retryAfter: '2' },
      answer,
    ]);
    const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
    expect(error).toMatchObject({ failure: 'overloaded', upstreamStatus: 503, retryAfterMs: 2_000 });
    expect(fake.requests).toHaveLength(2);
  });

  test('a caller that leaves while a second request waits ends the wait', async () => {
    const fake = await fakeProvider({ fault: 'rate-limited', retryAfter: '10' });
    const deadline = patienceOf();
    const failed = failureOf(ask(connect(directoryAt(fake.url), way.model), way, deadline));
    await (await fake.request(0)).ended;
    deadline.interrupt('caller_left');
    expect(await failed).toBe(deadline.signal.reason);
    expect(fake.requests).toHaveLength(1);
  });
});

describe('a parameter that a provider refuses (rule: learned-parameters)', () => {
  test('a refused parameter is omitted from the second request and from all later ones', async () => {
    const fake = await fakeProvider({
      fault: 'unsupported-parameter',
      parameter: 'temperature',
      completion: answer,
    });
    const directory = directoryAt(fake.url);
    const warning = { code: 'parameter_dropped', message: expect.stringContaining('temperature') };

    const first = await ask(connect(directory, 'qwen3', 'local'), local, patienceOf(), steered);
    expect(first.warnings).toEqual([warning]);
    expect(fake.requests.map(({ body }) => body['temperature'])).toEqual([0, undefined]);
    expect(fake.requests.map(({ body }) => body['seed'])).toEqual([7, 7]);

    const later = await ask(connect(directory, 'qwen3', 'local'), local, patienceOf(), steered);
    expect(later.warnings).toEqual([warning]);
    expect(fake.requests).toHaveLength(3);
  });

  test('a refused parameter is remembered only for its model and upstream', async () => {
    const fake = await fakeProvider({
      fault: 'unsupported-parameter',
      parameter: 'temperature',
      completion: answer,
    });
    const directory = directoryAt(fake.url);
    await ask(connect(directory, 'qwen3', 'local'), local, patienceOf(), steered);
    await ask(connect(directory, 'llama4', 'local'), { ...local, model: 'llama4' }, patienceOf(), steered);
    expect(fake.requests.map(({ body }) => 'temperature' in body)).toEqual([true, false, true, false]);
  });

  test('a refused parameter is not remembered if omitting it did not help', async () => {
    const fake = await fakeProvider([
      { fault: 'unsupported-parameter', parameter: 'temperature' },
      { fault: 'bad-request' },
      answer,
    ]);
    const directory = directoryAt(fake.url);
    await failureOf(ask(connect(directory, 'qwen3', 'local'), local, patienceOf(), steered));
    await ask(connect(directory, 'qwen3', 'local'), local, patienceOf(), steered);
    expect(fake.requests.map(({ body }) => 'temperature' in body)).toEqual([true, false, true]);
  });

  test('a refused parameter is remembered even if the second request is refused for another parameter', async () => {
    const refuse = (parameter: string) => ({ fault: 'unsupported-parameter', parameter }) as const;
    const fake = await fakeProvider(({ body }) => {
      if ('temperature' in body) return refuse('temperature');
      return 'seed' in body ? refuse('seed') : answer;
    });
    const directory = directoryAt(fake.url);
    await failureOf(ask(connect(directory, 'qwen3', 'local'), local, patienceOf(), steered));
    const later = await ask(connect(directory, 'qwen3', 'local'), local, patienceOf(), steered);
    expect(later.text).toBe(answer.text);
    const sent = fake.requests.map(({ body }) => ['temperature', 'seed'].filter((name) => name in body));
    expect(sent).toEqual([['temperature', 'seed'], ['seed'], ['seed'], []]);
  });

  test('a refusal that names no optional parameter is final', async () => {
    const fake = await fakeProvider({ fault: 'unsupported-parameter', parameter: 'model' });
    const error = await failureOf(
      ask(connect(directoryAt(fake.url), 'qwen3', 'local'), local, patienceOf(), steered),
    );
    expect(error).toMatchObject({ failure: 'rejected' });
    expect(fake.requests).toHaveLength(1);
  });

  test('a refused max_tokens is sent as max_completion_tokens', async () => {
    const fake = await fakeProvider({
      fault: 'unsupported-parameter',
      parameter: 'max_tokens',
      completion: answer,
    });
    const completion = await ask(connect(directoryAt(fake.url), 'qwen3', 'local'), local);
    expect(completion.warnings).toEqual([]);
    const limits = fake.requests.map(({ body }) => [body['max_tokens'], body['max_completion_tokens']]);
    expect(limits).toEqual([
      [500, undefined],
      [undefined, 500],
    ]);
  });

  test.each([
    'output_config',
    'thinking',
  ])('the refused Anthropic parameter %s is found in the message', async (parameter) => {
    const fake = await fakeProvider({ fault: 'unsupported-parameter', parameter, completion: answer });
    const way = { model: 'claude-opus-5', streamed: false };
    const provider = connect(directoryAt(fake.url), way.model);
    const completion = await ask(provider, way, patienceOf(), { reasoningEffort: 'high' });
    expect(completion.text).toBe(answer.text);
    expect(fake.requests.map(({ body }) => parameter in body)).toEqual([true, false]);
  });
});

describe('connections to providers that fail (rule: second-request)', () => {
  test('a connection that failed before anything was written is retried once', async () => {
    const fake = await fakeProvider(answer);
    const port = await freePort();
    const directory = directoryAt(`http://127.0.0.1:${port}`);
    const asked = ask(connect(directory, 'gpt-4o'), { model: 'gpt-4o', streamed: false });
    await listenLater(port, Number(new URL(fake.url).port));
    expect((await asked).text).toBe(answer.text);
    expect(fake.requests).toHaveLength(1);
  });

  test('a connection that fails twice is reported as unreachable', async () => {
    const directory = directoryAt(`http://127.0.0.1:${await freePort()}`);
    const error = await failureOf(ask(connect(directory, 'gpt-4o'), { model: 'gpt-4o', streamed: false }));
    expect(error).toMatchObject({ failure: 'unreachable', upstreamStatus: null });
  });

  test('a reset on a reused connection is not retried, because the request may have been billed', async () => {
    const fake = await fakeProvider([answer, { fault: 'reset' }, answer]);
    const provider = connect(directoryAt(fake.url), 'gpt-4o');
    await ask(provider, { model: 'gpt-4o', streamed: false });
    const error = await failureOf(ask(provider, { model: 'gpt-4o', streamed: false }));
    expect(error).toMatchObject({ failure: 'unreachable' });
    expect(fake.requests).toHaveLength(2);
  });
});

/** Starts listening after the first attempt was refused, and forwards connections. */
async function listenLater(port: number, target: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 80));
  const server = createServer((socket) => {
    const onward = createConnection(target, '127.0.0.1');
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  relays.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
}
