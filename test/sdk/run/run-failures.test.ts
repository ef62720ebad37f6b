import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { errorCodes } from '../../../src/contract/error-codes.js';
import type { ErrorDetail } from '../../../src/contract/step.js';
import { stepError } from '../../../src/conversation/blank-step.js';
import { describeError } from '../../../src/sdk/base/error-hints.js';
import {
  defineTool,
  explainEnd,
  RunFailedError,
  type RunOptions,
  readTrajectory,
  replayRun,
  resumeOptions,
  StepwiseClient,
  type Trajectory,
} from '../../../src/sdk/index.js';
import { freePort } from '../../support/free-port.js';
import {
  command,
  done,
  finish,
  llmConfig,
  lookUp,
  lookUpCall,
  recordingTool,
  start,
  task,
} from '../../support/run-harness.js';

const failing = Object.keys(errorCodes).filter((code) => code !== 'iterations_exhausted');
const codes = fc.constantFrom(...(failing as (keyof typeof errorCodes)[]));

const failure = (code: string, detail: ErrorDetail) =>
  stepError({ code, message: 'It failed.', retryable: false }, { details: [detail] });

describe('a failed run (rule: run-failures)', () => {
  test('a run that fails has no answer, and its error has code, sentence and advice, for every code of the service', async () => {
    await fc.assert(
      fc.asyncProperty(codes, async (code) => {
        const { result } = await finish([{ error: code }], { retries: 0, maxSteps: 1 });
        expect(result).toMatchObject({ answer: null, stopReason: 'error', error: { code } });
        const { hint } = result.error ?? {};
        expect(
          result
            .summary()
            .split('\n')
            .slice(0, hint ? 2 : 1),
        ).toEqual(
          [expect.stringMatching(new RegExp(`^✗ .*\\(${code}\\)$`)), hint && `✗ ${hint}`].filter(Boolean),
        );
        expect(result.summary().split('\n').length).toBeLessThanOrEqual(25);
      }),
      { numRuns: 20 },
    );
  });

  test('text() resolves to the answer of a run', async () => {
    const { run } = await start([lookUpCall(), done]);
    expect(await run.text()).toBe('It is 42.');
  });

  test('text() throws RunFailedError with the code, the sentence and the advice of the error', async () => {
    const { run } = await start([{ error: 'missing_api_key' }]);
    const failure = await run.text().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RunFailedError);
    expect(failure).toMatchObject({
      code: 'missing_api_key',
      message: expect.stringMatching(/^This model needs a key\. \(missing_api_key\)\nPass the key as llmKey/),
      result: { answer: null, history: [{ role: 'user', content: task }] },
    });
  });

  test('the message of RunFailedError about a missing key is printed as the reference quotes it', async () => {
    const { run } = await start([{ error: 'missing_api_key' }], { llmConfig: { modelName: 'gpt-5' } });
    const failure = await run.text().catch((error: unknown) => error);
    const quoted = String(Object(failure).message).replace('\n', '\n  // ');
    expect(readFileSync('docs/reference/client.md', 'utf8')).toContain(
      `console.log(error.message); // ${quoted}\n`,
    );
  });

  test('text() throws RunFailedError at the step limit, with the stop reason as its code', async () => {
    const { run } = await start([lookUpCall()], { maxSteps: 2 });
    await expect(run.text()).rejects.toMatchObject({ name: 'RunFailedError', code: 'step_limit' });
  });

  test('a stopped run has no answer, and text() says that it was stopped', async () => {
    const { run } = await start([done]);
    run.stop();
    expect(await run.result()).toMatchObject({ answer: null, stopReason: 'stopped', error: null });
    await expect(run.text()).rejects.toThrow('The run was stopped before there was an answer.');
  });

  test('explainEnd names the tools that wait for approval; only RunFailedError adds the ways to go on (rule: waiting-approvals)', async () => {
    const { result, run } = await finish([command('ls')], { tools: [recordingTool().tool] });
    const sentence = 'The run waits for the approval of run_command.';
    expect(explainEnd(result)).toBe(sentence);
    const message = `${sentence}\nDecide with client.resume, or pass approve to client.run.`;
    await expect(run.text()).rejects.toMatchObject({ code: 'needs_approval', message });
  });

  test('the error about an address where nothing listens names the address and the option baseUrl', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const client = new StepwiseClient({ baseUrl });
    const result = await client.run(task, { llmConfig, retries: 0 }).result();
    expect(result.error).toMatchObject({
      code: 'service_unreachable',
      message: expect.stringContaining(baseUrl),
      hint: 'Check that a service is running at baseUrl of StepwiseClient.',
    });
    expect(explainEnd(result)).toContain('Nothing listens at this address: check that the server runs');
  });

  test('for an https address of a server without TLS, the error names TLS and advises checking the address', async () => {
    const { service } = await start([done]);
    const client = new StepwiseClient({ baseUrl: service.url.replace('http:', 'https:') });
    const explained = explainEnd(await client.run(task, { llmConfig, retries: 0 }).result());
    expect(explained).toContain('check that this port speaks TLS. (service_unreachable)');
    expect(explained).toMatch(/\nCheck baseUrl of StepwiseClient\.$/);
  });

  test('an error detail from the provider is quoted on one line with its source, in at most 300 characters', () => {
    const detail = { source: 'provider', message: `no\n\u001b[31m${'x'.repeat(400)}` };
    const sentence = describeError(failure('upstream_error', detail));
    expect(sentence).toContain('The provider said: no [31mxx');
    expect(sentence).not.toMatch(/\p{Cc}/u);
    expect(sentence.length).toBeLessThan(350);
  });

  test('the error for an unknown model names the SDK option llmConfig, not the HTTP field llm_config', () => {
    const detail = { path: 'llm_config.provider', message: 'no configured provider has this name' };
    expect(describeError(failure('unsupported_model', detail))).toBe(
      'No provider is known for this model. llmConfig.provider: no configured provider has this name (unsupported_model)',
    );
  });

  test('for an address that ends in /v1, the error advises removing /v1', async () => {
    const { service } = await start([{ foreign: '{}', status: 404 }]);
    const client = new StepwiseClient({ baseUrl: `${service.url}/v1/` });
    const result = await client.run(task, { llmConfig }).result();
    expect(result.error?.message).toMatch(/is not Stepwise \(HTTP 404\): remove \/v1 from the address\.$/);
  });

  test('after three unreadable actions the error names the problem of the last one, with advice', async () => {
    const { result } = await finish([{ malformed: 'Action: look_up(' }]);
    expect(explainEnd(result)).toBe(
      'The model wrote three actions in a row that could not be read; the last: unreadable (malformed_action)\nTry another protocol ("json" or "native"), or a stronger model.',
    );
  });

  test('the error about a server that is not Stepwise names its address', async () => {
    const { result, service } = await finish([{ foreign: '<html>', status: 404 }]);
    expect(result.error?.message).toBe(
      `The server at ${new URL(service.url).origin} is not Stepwise (HTTP 404): check the address.`,
    );
    expect(result.error?.hint).toContain('baseUrl');
  });

  test.each([
    [{ modelName: 'gpt-5' }, 'OPENAI_API_KEY'],
    [{ modelName: 'claude-sonnet-5' }, 'ANTHROPIC_API_KEY'],
    [{ modelName: 'gpt-5', provider: 'anthropic' }, 'ANTHROPIC_API_KEY'],
    [{ modelName: 'llama' }, 'STEPWISE_LLM_KEY'],
  ])('the advice about a missing key names the environment variable of the model’s vendor: %j', async (model, variable) => {
    const { result } = await finish([{ error: 'missing_api_key' }], { llmConfig: model });
    expect(result.error?.hint).toContain(`from the variable ${variable};`);
  });
});

describe('options of a run that are missing or wrong (rule: run-options)', () => {
  const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:9' });
  const llmNames =
    'modelName, tokenLimit, reservedOutputTokens, temperature, provider, reasoningEffort, maxOutputTokens, deadlineMs, contextShare, seed';
  const run = (options: unknown) => () => client.run(task, options as RunOptions);

  test.each([
    [undefined, 'options: this field is required: an object.'],
    [{}, 'llmConfig: this field is required: an object.'],
    [{ llmConfig: {} }, 'llmConfig.modelName: this field is required: a string with at least 1 character.'],
    [
      { llmConfig: { modelName: 'm', tokenLimit: '8000' } },
      'llmConfig.tokenLimit: expected a whole number from 1.',
    ],
    [
      { llmConfig: { modelName: 'm', tokenLimit: 2_000 } },
      'llmConfig.reservedOutputTokens: must be less than tokenLimit (4000 is not less than 2000).',
    ],
    [
      { llmConfig: { modelName: 'm', provider: '' } },
      'llmConfig.provider: expected a string with at least 1 character.',
    ],
    [{ llmConfig, tools: {} }, 'tools: expected a list of tools, or a function that returns one.'],
    [{ llmConfig, strategy: 'plan' }, 'strategy: expected one of: react, reason-act-observe.'],
    [{ llmConfig, guards: ['no'] }, 'guards: expected a list of functions.'],
    [
      { llmConfig, tools: [lookUp, { type: 'function', function: { name: 'f' } }] },
      "tools[1]: this tool has OpenAI's shape. Write defineTool({ name, description, inputSchema: parameters, execute }).",
    ],
    [
      { llmConfig, tools: [{ name: 'f', input_schema: {} }] },
      "tools[0]: this tool has Anthropic's shape. Write defineTool({ name, description, inputSchema: input_schema, execute }).",
    ],
    [
      { llmConfig, tools: [{ name: 'f', description: '', inputSchema: {} }] },
      'tools[0] ("f").execute: expected a function. Create tools with defineTool.',
    ],
    [
      { llmConfig, answerSchema: 3 },
      'answerSchema: expected a schema of Zod or another library of Standard Schema, or a JSON Schema.',
    ],
    [{ llmConfig, tools: [null] }, 'tools[0]: expected a tool of defineTool.'],
    [
      { llmConfig: { modelName: 'm', maxTokens: 100 } },
      `llmConfig.maxTokens: there is no such option; expected one of: ${llmNames}.`,
    ],
    [
      { llmConfig, fallbacks: [{ llmConfig: { modelName: 'm', model: 'n' } }] },
      `fallbacks[0].llmConfig.model: there is no such option; expected one of: ${llmNames}.`,
    ],
    [
      { llmConfig, fallbacks: [{ llmConfig, llmkey: 'k' }] },
      'fallbacks[0].llmkey: there is no such option; expected one of: llmConfig, llmKey.',
    ],
    [{ llmConfig, fallbacks: [{ llmConfig, llmKey: 7 }] }, 'fallbacks[0].llmKey: expected a string.'],
    [
      { llmConfig, context: { path: ['a'] } },
      'context.path: there is no such option; expected one of: paths, pinned, focus, vectorResults, inline.',
    ],
    [{ llmConfig, context: { paths: 'a.ts' } }, 'context.paths: expected a list of strings.'],
    [
      { llmConfig, compaction: { strategy: 'mask', target: 3 } },
      'compaction.target: there is no such option; expected one of: strategy, targetTokens.',
    ],
    [
      { llmConfig, phaseInstructions: { think: 'x' } },
      'phaseInstructions.think: there is no such option; expected one of: reason, act, observe.',
    ],
    [
      { llmConfig, record: true, extensions: false },
      'record: responses have no records with extensions: false. Remove one of the two.',
    ],
  ])('client.run throws a TypeError that names the wrong option: %j', (options, message) => {
    expect(run(options)).toThrow(new TypeError(message));
  });

  test('any value of a wrong type in an option throws a TypeError that begins with the name of the option', () => {
    const names = ['llmConfig', 'tools', 'context', 'approve', 'guards', 'signal', 'history', 'report'];
    const values = fc.constantFrom<unknown>(7, 'text', true, null, Number.NaN);
    fc.assert(
      fc.property(fc.constantFrom(...names), values, (name, value) => {
        expect(run({ llmConfig, [name]: value })).toThrow(new RegExp(`^${name}: `));
      }),
    );
  });

  test.each([
    'apiKey',
    'maxTurns',
    'max_steps',
    'system',
    'toString',
  ])('client.run, client.resume and the client refuse the unknown option %s, unless it is undefined', async (name) => {
    const message = new RegExp(`^options\\.${name}: there is no such option; expected one of: \\w+, `);
    const waiting = await start([command('ls')], { tools: [recordingTool().tool] });
    await waiting.run.result();
    const saved = waiting.run.save();
    const { tool } = recordingTool();
    const calls = [
      (more: object) => client.run(task, { llmConfig, ...more }),
      (more: object) => client.resume(saved, { tools: [tool], decisions: [], ...more }),
      (more: object) => new StepwiseClient({ baseUrl: 'http://127.0.0.1:9', ...more }),
    ];
    for (const call of calls) {
      expect(() => call({ [name]: 1 })).toThrow(TypeError);
      expect(() => call({ [name]: 1 })).toThrow(message);
      expect(() => call({ [name]: undefined })).not.toThrow();
    }
  });

  test('TypeScript reports an unknown option', () => {
    // @ts-expect-error `maxTurns` is an option of other SDKs.
    expect(() => client.run(task, { llmConfig, maxTurns: 3 })).toThrow(TypeError);
    // @ts-expect-error `maxTokens` is a field of other SDKs.
    expect(() => client.run(task, { llmConfig: { modelName: 'm', maxTokens: 3 } })).toThrow(TypeError);
    // @ts-expect-error The option is `llmKey`.
    expect(() => new StepwiseClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k' })).toThrow(TypeError);
    const resume = (saved: Trajectory) =>
      // @ts-expect-error `maxTurns` is an option of other SDKs.
      client.resume(saved, { decisions: [], maxTurns: 3 });
    expect(resume).toThrow(TypeError);
  });

  test('a saved run of a later version can be resumed, continued and replayed, without the options that this version does not know (rule: saved-runs)', async () => {
    const context = { paths: ['a.ts'] };
    const phaseInstructions = { act: 'Act.' };
    const tools = [recordingTool().tool];
    const waiting = await start([command('ls')], { tools, context, phaseInstructions });
    await waiting.run.result();
    const saved = waiting.run.save();
    expect(saved.options).toMatchObject({ context, phaseInstructions });
    const later = {
      ...saved.options,
      llmConfig: { ...llmConfig, later: 1 },
      context: { ...context, later: 1 },
      phaseInstructions: { ...phaseInstructions, later: 1 },
      later: 1,
      approvalRules: [{}],
    };
    const file = { ...saved, options: later };
    expect(() => client.resume(file, { tools, decisions: [] })).not.toThrow();
    expect(() => replayRun(file)).not.toThrow();
    expect(resumeOptions(file)).toEqual(resumeOptions(saved));
    expect(readTrajectory(JSON.stringify(file)).options).toEqual(saved.options);
  });

  test('a saved run with `record: true` and `extensions: false`, which earlier versions accepted, can be resumed and replayed', async () => {
    const tools = [recordingTool().tool];
    const waiting = await start([command('ls')], { tools, extensions: false });
    await waiting.run.result();
    const saved = waiting.run.save();
    const file = { ...saved, options: { ...saved.options, record: true } };
    expect(() => client.resume(file, { tools, decisions: [] })).not.toThrow();
    expect(() => replayRun(file)).not.toThrow();
  });

  test('a client without an address throws a TypeError that names the option', () => {
    expect(() => new StepwiseClient({} as { baseUrl: string })).toThrow(
      new TypeError('baseUrl: this field is required: a string.'),
    );
    for (const baseUrl of ['', '/api', '127.0.0.1:18099', 'localhost:8080', 'http://'])
      expect(() => new StepwiseClient({ baseUrl })).toThrow(
        new TypeError(
          'baseUrl: expected an address that begins with http:// or https://, such as http://127.0.0.1:8080.',
        ),
      );
    const bare = StepwiseClient as unknown as new () => StepwiseClient;
    expect(() => new bare()).toThrow(new TypeError('options: this field is required: an object.'));
  });

  test('client.run accepts a tool of defineTool, empty lists and an undefined option', () => {
    const tool = defineTool({ name: 'f', description: '', inputSchema: {}, execute: () => '' });
    expect(run({ llmConfig, tools: [tool], guards: [], history: [], approve: undefined })).not.toThrow();
    expect(run({ llmConfig: { ...llmConfig, temperature: null, provider: null } })).not.toThrow();
  });
});
