import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type FakeProvider, type Script, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { StepwiseError } from '../../src/sdk/base/stepwise-error.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { RunEvent } from '../../src/sdk/run/run-events.js';
import type { RunOptions } from '../../src/sdk/run/run-options.js';
import { readConfig } from '../../src/service/settings/config.js';
import { type Service, startService } from '../../src/service/start.js';
import { freePort } from '../support/free-port.js';
import { patientEnvironment } from '../support/patience.js';
import { key, lookUp, recordingTool } from '../support/run-harness.js';
import { until } from '../support/until.js';
import { stepRequest } from '../support/whole-service.js';

let provider: FakeProvider;
let service: Service;
let client: StepwiseClient;

beforeAll(async () => {
  provider = await startFakeProvider();
  const urls = { OPENAI_UPSTREAM_URL: `${provider.url}/v1`, ANTHROPIC_UPSTREAM_URL: provider.url };
  service = await startService(
    readConfig({ ...urls, ...patientEnvironment, PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: '1000' }),
  );
  client = new StepwiseClient({ baseUrl: `${service.url}/`, llmKey: key });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});
afterEach(() => provider.script([]));

const models = { openai: 'gpt-5.4-mini', anthropic: 'claude-opus-4-7' };

async function run(script: Script, options: Partial<RunOptions> = {}) {
  provider.script(script);
  const running = client.run('What is the price?', {
    llmConfig: { modelName: models.openai, tokenLimit: 16_000, reservedOutputTokens: 2_000 },
    tools: [lookUp],
    retries: 0,
    ...options,
  });
  const events: RunEvent[] = [];
  for await (const event of running) events.push(event);
  return { events, types: events.map(({ type }) => type), result: await running.result(), running };
}

const act: ScriptedCompletion = { text: 'Thought: I look it up.\nAction: look_up(key="price")' };
const answer: ScriptedCompletion = { text: 'Thought: That is it.\nFinal Answer: It is 42.' };
const llmConfig = (modelName: string) => ({
  llmConfig: { modelName, tokenLimit: 16_000, reservedOutputTokens: 2_000 },
});

test('the client calls its header function for each request, and the result cannot replace the client’s own headers (rule: trace-context)', async () => {
  const traces = [1, 2].map((digit) => `00-${String(digit).repeat(32)}-b7ad6b7169203331-01`);
  const asked = traces.values();
  const traced = new StepwiseClient({
    baseUrl: service.url,
    llmKey: key,
    headers: () => ({
      traceparent: asked.next().value ?? '',
      'X-LLM-API-Key': 'sk-another',
      'Content-Type': 'text/plain',
    }),
  });
  provider.script([answer, answer]);
  const before = provider.requests.length;
  for (const _ of traces) await traced.step(stepRequest({ user_api_keys: null }));
  expect(
    provider.requests.slice(before).map(({ headers }) => [headers['traceparent'], headers['authorization']]),
  ).toEqual(traces.map((trace) => [trace, `Bearer ${key}`]));
});

describe('runs against the real service (rule: run-result)', () => {
  test.each(
    Object.entries(models),
  )('the joined deltas of a text run are its thoughts and its answer: %s', async (_, model) => {
    const { events, result } = await run([act, answer], llmConfig(model));
    const joined = (type: 'thought_delta' | 'answer_delta') =>
      events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
    expect(joined('thought_delta')).toBe('I look it up.That is it.');
    expect(joined('answer_delta')).toBe('It is 42.');
    expect(result).toMatchObject({ answer: 'It is 42.', stopReason: 'answered' });
    expect(result.steps[0]?.actions).toEqual([
      { toolName: 'look_up', toolArgs: { key: 'price' }, resultSummary: 'price is 42', success: true },
    ]);
    expect(result.usage.input_tokens).toBeGreaterThan(0);
  });

  test.each(
    Object.entries(models),
  )('a run executes several native calls of one step: %s', async (_, model) => {
    const calls: ScriptedCompletion = {
      text: 'Both at once.',
      toolCalls: ['a', 'b'].map((id) => ({ id: `id_${id}`, name: 'look_up', arguments: { key: id } })),
    };
    const { result, types } = await run([calls, { text: 'Both are 42.' }], {
      ...llmConfig(model),
      protocol: 'native',
    });
    expect(result).toMatchObject({ answer: 'Both are 42.', stopReason: 'answered' });
    expect(types.filter((type) => type === 'tool_complete')).toHaveLength(2);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('b is 42');
  });

  test('prose without a label is streamed as a draft until the response gives its role (rule: draft-role)', async () => {
    const text =
      'The price is 42, as the list says.\n\nIt was 41 in spring, and nobody noticed the difference.';
    const { events, result } = await run([{ text }], { ...llmConfig(models.openai), protocol: 'native' });
    const joined = (type: RunEvent['type']) =>
      events.flatMap((event) => (event.type === type && 'delta' in event ? [event.delta] : [])).join('');
    expect(joined('draft_delta')).not.toBe('');
    expect(joined('draft_delta') + joined('answer_delta')).toBe(text);
    expect(result.answer).toBe(text);
  });

  test('a run works with the protocol xml and the strategy reason-act-observe', async () => {
    const block = (value: object) => ({ text: `Well.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` });
    const xml = '<tool_code><name>look_up</name><parameters>{"key":"price"}</parameters></tool_code>';
    const { result, types } = await run(
      [
        block({ plan: ['look'], tools_to_consider: ['look_up'], finish: false }),
        { text: `I do it.\n${xml}` },
        block({ observation: 'It is 42.', should_continue: false, final_answer: 'It is 42.' }),
      ],
      { strategy: 'reason-act-observe', protocol: 'xml' },
    );
    expect(result).toMatchObject({ answer: 'It is 42.', stopReason: 'answered' });
    expect(types.filter((type) => type === 'agent_turn_start')).toHaveLength(3);
  });

  test('the run corrects a malformed action in its next step', async () => {
    const { result } = await run([{ text: 'Thought: x\nAction: look_up(key="pri' }, act, answer]);
    expect(result.stopReason).toBe('answered');
    expect(result.history.filter(({ kind }) => kind === 'notice')).toHaveLength(1);
    expect(JSON.stringify(provider.requests.at(-2)?.body)).toContain('could not be read');
  });

  test('a call that is written after prose is corrected once; then the run takes the text as the answer (rule: correction-limit)', async () => {
    const unclear = { text: 'I look.\n\n```json\n{"name": "look_up", "arguments": {"key": "price"}}\n```' };
    const twice = await run([unclear, unclear]);
    expect(twice.result).toMatchObject({ stopReason: 'answered', answer: unclear.text });
    expect(twice.result.history.filter(({ kind }) => kind === 'notice')).toHaveLength(1);
    const acted = await run([unclear, act, answer]);
    expect(acted.result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
    expect(acted.types).toContain('tool_complete');
  });

  test('after a failure of the first call a run continues from the history alone (rule: one-signal)', async () => {
    const { result } = await run({ fault: 'quota-exhausted' });
    expect(result.history).toEqual([{ role: 'user', content: expect.any(String) }]);
    provider.script([answer]);
    const next = client.run('', { ...llmConfig(models.openai), tools: [], history: result.history });
    expect(await next.result()).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
    const prompt = JSON.stringify(provider.requests.at(-1)?.body);
    expect(prompt.split(result.history[0]?.content ?? '').length).toBe(2);
  });

  test('a run does not execute an action of its last step and ends at the limit', async () => {
    const { result, types } = await run([act], { maxSteps: 1 });
    expect(result.stopReason).toBe('step_limit');
    expect(types).not.toContain('tool_start');
  });

  test('the run reports a denial to the model and does not count it as a failed tool', async () => {
    const { tool } = recordingTool();
    const { result, events } = await run([{ text: 'Action: run_command(command="ls")' }, answer], {
      tools: [tool],
      approve: async () => ({ type: 'deny', reason: 'not today' }),
    });
    expect(result.stopReason).toBe('denied');
    const last = events.findLast((event) => event.type === 'agent_reason');
    expect(last).toMatchObject({ response: { signals: { consecutive_errors: 0 } } });
  });

  test('the run compacts its history when the service advises it, and continues', async () => {
    const long = { text: `Thought: long.\nAction: look_up(key="${'x'.repeat(4_000)}")` };
    const { events, result } = await run(
      [long, long, long, long, long, long, { text: 'Action: compact_context()' }, answer],
      { compaction: { strategy: 'mask', targetTokens: 2_000 } },
    );
    const compacted = events.find((event) => event.type === 'context_compacted');
    expect(compacted).toMatchObject({ tokensBefore: expect.any(Number), tokensAfter: expect.any(Number) });
    expect(result.stopReason).toBe('answered');
  });

  test.each([
    ['a provider without credit', { fault: 'quota-exhausted' }, 'upstream_billing'],
    ['an overloaded provider', { fault: 'overloaded' }, 'upstream_overloaded'],
    ['a cut stream', { fault: 'cut' }, 'upstream_unreachable'],
  ] as const)(
    'a run ends with the error code of the failure: %s',
    async (_, fault, code) => {
      const { result } = await run(fault);
      expect(result).toMatchObject({ stopReason: 'error', error: { code } });
    },
    20_000,
  );

  test('stopping a run aborts the call to the provider', async () => {
    provider.script({ text: 'never', delayMs: 60_000 });
    const before = provider.requests.length;
    const running = client.run('?', { ...llmConfig(models.openai), tools: [] });
    void provider.request(before).then(() => running.stop());
    expect((await running.result()).stopReason).toBe('stopped');
    await until(() => provider.openSockets() === 0);
  });

  test('inline context reaches the service and is in the report', async () => {
    const context = { paths: ['a.ts'], inline: { files: [{ path: 'a.ts', content: 'const plover = 1;' }] } };
    const { events } = await run([answer], { context, report: 'full' });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('const plover = 1;');
    const said = events.find((event) => event.type === 'agent_reason');
    const items = said?.type === 'agent_reason' ? said.response.context_report?.items : undefined;
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'explicit', id: 'a.ts', status: 'included' }),
    );
  });
});

describe('the SDK client without a run', () => {
  const ids = {
    project_id: '9f0e7a4e-6f7f-4a3e-8d5a-2f64b3a7c111',
    session_id: '9f0e7a4e-6f7f-4a3e-8d5a-2f64b3a7c222',
  };
  const request = {
    ...ids,
    user_query: 'Hi',
    conversation_history: [],
    llm_config: { modelName: models.openai, tokenLimit: 8_000, reservedOutputTokens: 1_000 },
    max_iterations_left: 3,
  };

  test('the client previews a step without a model call', async () => {
    const before = provider.requests.length;
    const preview = await client.preview(request);
    expect(preview.messages).toEqual([{ role: 'user', content: expect.stringContaining('Hi') }]);
    expect(preview.context_report.prompt_tokens).toBeGreaterThan(0);
    expect(provider.requests).toHaveLength(before);
  });

  test('the client lists models and upstreams', async () => {
    const { upstreams } = await client.models();
    expect(upstreams).toContainEqual({ name: 'openai', key_required: true });
  });

  test('the client throws a refusal of the service as StepwiseError with code and status and without the key', async () => {
    const refused = client.step({ ...request, max_iterations_left: -1 });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', status: 400, retryable: false });
    await expect(refused).rejects.toBeInstanceOf(StepwiseError);
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error) + (error instanceof Error ? error.stack : '')).not.toContain(
      key,
    );
  });

  test('printing the client shows no key', async () => {
    const { inspect } = await import('node:util');
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain(key);
  });

  test('the client gives up on a service that does not respond', async () => {
    provider.script({ text: 'late', delayMs: 5_000 });
    const hasty = new StepwiseClient({ baseUrl: service.url, llmKey: key, timeoutMs: 100 });
    await expect(hasty.step(request)).rejects.toMatchObject({ code: 'service_timeout', retryable: true });
  });

  test.each([
    2 ** 31,
    Infinity,
  ])('the client accepts a time limit of %d ms (rule: run-options)', async (timeoutMs) => {
    provider.script({ text: 'Here I am.', delayMs: 50 });
    const patient = new StepwiseClient({ baseUrl: service.url, llmKey: key, timeoutMs });
    expect(await patient.step(request)).toMatchObject({ direct_response: 'Here I am.' });
  });

  test.each([NaN, -1])('the client refuses a time limit of %d', (timeoutMs) => {
    expect(() => new StepwiseClient({ baseUrl: service.url, timeoutMs })).toThrow(
      `timeoutMs must be a number of milliseconds (0 or more, or Infinity for no limit), not ${timeoutMs}.`,
    );
  });

  test('an aborted call rejects with the abort reason of the caller', async () => {
    provider.script({ text: 'late', delayMs: 5_000 });
    const controller = new AbortController();
    void provider.request(provider.requests.length).then(() => controller.abort(new Error('enough')));
    await expect(client.step(request, { signal: controller.signal })).rejects.toThrow('enough');
  });

  test('an address without a server is reported as service_unreachable', async () => {
    const nowhere = new StepwiseClient({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    await expect(nowhere.step(request)).rejects.toMatchObject({
      code: 'service_unreachable',
      retryable: true,
      details: [{ code: 'refused', message: expect.stringContaining('Nothing listens') }],
    });
  });

  test.each([
    ['step', (https: StepwiseClient) => https.step(request)],
    ['models', (https: StepwiseClient) => https.models()],
    ['stream', async (https: StepwiseClient) => https.stream(request).next()],
  ])('the client call %s at a port without TLS fails with a detail about TLS and is not retryable (rule: connection-failures)', async (_, call) => {
    const https = new StepwiseClient({ baseUrl: service.url.replace('http:', 'https:') });
    const failure = { code: 'service_unreachable', retryable: false, details: [{ code: 'tls_untrusted' }] };
    const error = await call(https).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(failure);
    expect(error).toBeInstanceOf(StepwiseError);
    const saved = (error as StepwiseError).toStepError();
    expect(StepwiseError.fromStepError(saved)).toMatchObject(failure);
  });

  test('an error that the client throws has the details of the error body of the service', async () => {
    const failed = await client
      .step({ ...request, max_iterations_left: -1 })
      .catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: 'invalid_request', details: [{ path: 'max_iterations_left' }] });
  });

  test('the error for an unreachable address contains no password or query value of that address', async () => {
    const client = new StepwiseClient({ baseUrl: 'http://person:sk-canary@127.0.0.1:1/?key=sk-canary' });
    const failure = await client.models().catch((error: Error) => error.message);
    expect(failure).toContain('The service at http://127.0.0.1:1 could not');
    expect(failure).not.toContain('canary');
  });
});
