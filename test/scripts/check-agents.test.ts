import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Recorder, startRecorder } from '../../scripts/agents/recorder.js';
import { judge } from '../../scripts/agents/witness.js';
import { until } from '../support/until.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const call = { tool: 'run', args: { command: 'echo "a b" > c' } };
const written = `Thought: I run it.\nAction: run(command=${JSON.stringify(call.args.command)})`;
const parameters = { type: 'object', properties: { command: { type: 'string' } } };
const requests: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [{ type: 'function', function: { name: 'run', parameters } }],
  },
  '/v1/responses': { input: 'Go.', tools: [{ type: 'function', name: 'run', parameters }] },
  '/v1/messages': {
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [{ name: 'run', input_schema: parameters }],
  },
};
const cases = Object.keys(requests).flatMap((path) => [false, true].map((stream) => ({ path, stream })));

describe('the judge that decides why an agent failed', () => {
  let service: WholeService;
  let recorder: Recorder;

  beforeAll(async () => {
    service = await startWholeService();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    recorder = await startRecorder(service.url);
  });
  afterEach(() => recorder.close());

  const ask = (path: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
    fetch(recorder.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/any', ...requests[path], ...more }),
      ...(signal && { signal }),
    });

  test.each(
    cases,
  )('the judge blames the agent for a missing call that $path (stream: $stream) delivered unchanged', async ({
    path,
    stream,
  }) => {
    service.fake.script([{ text: written }]);
    await (await ask(path, { stream })).text();
    expect(await judge(recorder, [call])).toMatchObject({ at: 'client' });
  });

  test.each(cases)('the judge blames the service for a call that $path (stream: $stream) changed', async ({
    path,
    stream,
  }) => {
    service.fake.script([{ text: written.replace('a b', 'a') }]);
    await (await ask(path, { stream })).text();
    const verdict = await judge(recorder, [call]);
    expect(verdict).toMatchObject({ at: 'service' });
    expect(verdict.evidence).toContain('the vendor\'s SDK reads: run({"command":"echo \\"a\\" > c"})');
  });

  test('the judge blames the service for a call that the service sends as text instead of as a call', async () => {
    service.fake.script([{ text: written }]);
    await (await ask('/v1/chat/completions', { tools: [] })).text();
    expect(await judge(recorder, [call])).toMatchObject({ at: 'service' });
  });

  test('the judge blames the service for an error before the model call, and quotes that error', async () => {
    await (await ask('/v1/chat/completions', { n: 2 })).text();
    const verdict = await judge(recorder, []);
    expect(verdict.at).toBe('service');
    expect(verdict.evidence).toContain('invalid_request_error');
  });

  test('the judge blames an agent that sent no request', async () => {
    expect(await judge(recorder, [])).toMatchObject({ at: 'client' });
  });

  test('the judge blames an agent that disconnected before the answer', async () => {
    service.fake.script([{ text: written, delayMs: 60_000 }]);
    const hangUp = new AbortController();
    const seen = service.fake.requests.length;
    const asked = ask('/v1/chat/completions', {}, hangUp.signal);
    await service.fake.request(seen);
    hangUp.abort();
    await expect(asked).rejects.toThrow('abort');
    await until(() => recorder.abandoned(), Boolean);
    expect(await judge(recorder, [call])).toMatchObject({ at: 'client' });
  });
});
