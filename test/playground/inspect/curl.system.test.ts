import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ModelList } from '../../../src/contract/model-list.js';
import { curlOf, visibleJson } from '../../../src/playground/inspect/request/curl.js';
import { type ModelChoice, wantsKey } from '../../../src/playground/run/model-access.js';
import { program } from '../../support/need.js';
import { needs } from '../../support/needs.js';
import { stepRequest } from '../../support/step-request.js';
import { key, startWholeService, type WholeService } from '../../support/whole-service.js';

const { test: testWithCurl } = needs(program('curl'));

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

/** Runs the command in a shell, and returns its output and the prompt that the model received. */
async function paste(command: string, environment: Record<string, string>) {
  const shell = spawn('bash', [], { env: { PATH: process.env['PATH'], ...environment } });
  shell.stdin.end(command);
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  return { stdout, stderr };
}

const ask = (user_query: string) =>
  stepRequest({
    user_query,
    llm_config: { modelName: 'gpt-4o', tokenLimit: 128_000, reservedOutputTokens: 1_000 },
  });

const modelRow: Omit<ModelList['models'][number], 'name' | 'provider'> = {
  context_window: null,
  encoding: 'o200k_base',
  counting: 'exact',
  protocols: ['text'],
};

const hostile = [
  `it's "quoted" $(touch /nowhere) \`id\` $HOME !! \\ 'END' end`,
  'END_OF_REQUEST\nEND_OF_REQUEST',
  'tab\tcarriage\rdelete\u007f escape\u001b[31m bidi\u202eright\u2066 zero\u200b',
  'שלום, 世界, 😀',
  `${'a long task, longer than an argument of a program may be; '.repeat(4_000)}`,
];

describe('a step as a curl command (rule: playground-inspector)', () => {
  testWithCurl.each(hostile)(
    'the curl command works when pasted into bash with the task: %.40s',
    async (task) => {
      const command = curlOf(ask(task), { origin: service.url, needsKey: true, needsToken: true });
      const before = service.fake.requests.length;
      const { stdout, stderr } = await paste(command, { STEPWISE_LLM_KEY: key, STEPWISE_TOKEN: 'none' });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toMatchObject({ error: null, session_id: ask(task).session_id });
      const sent: unknown = service.fake.requests[before]?.body;
      expect(JSON.stringify(sent)).toContain(JSON.stringify(task).slice(1, -1));
    },
  );

  test('the curl command contains no key, even if the request has one', () => {
    const request = { ...ask('x'), user_api_keys: { llmKey: key } };
    const command = curlOf(request, { origin: 'http://h', needsKey: true, needsToken: false });
    expect(command).not.toContain(key);
    expect(command).toContain('"X-LLM-API-Key: $STEPWISE_LLM_KEY"');
    expect(command).not.toContain('STEPWISE_TOKEN');
  });

  test.each<[string, ModelChoice, boolean]>([
    ['a model of an upstream that wants none', { modelName: 'llama', provider: 'local' }, false],
    ['a model whose upstream is known by its name', { modelName: 'tiny' }, false],
    ['a model of a vendor', { modelName: 'gpt-4o' }, true],
    ['a model of an upstream that is not here', { modelName: 'gpt-4o', provider: 'elsewhere' }, true],
    ['the model that calls none', { modelName: 'offline', provider: null }, false],
    ['its name at another upstream', { modelName: 'offline', provider: 'openai' }, true],
  ])('the curl command sends a key if the step did: %s', (_, choice, wants) => {
    const known: ModelList = {
      models: [
        { ...modelRow, name: 'tiny', provider: 'local' },
        { ...modelRow, name: 'gpt-4o', provider: 'openai' },
      ],
      upstreams: [
        { name: 'local', key_required: false },
        { name: 'openai', key_required: true },
      ],
    };
    expect(wantsKey(choice, known)).toBe(wants);
  });

  test('the curl command quotes the address as one shell word', () => {
    const command = curlOf(ask('x'), { origin: "http://h/';id;'", needsKey: false, needsToken: false });
    expect(command).toContain(`'http://h/'\\'';id;'\\''/api/agent/react_step'`);
  });

  test('the JSON of the curl command is equivalent and contains only visible characters', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, any) => {
        const json = visibleJson({ value, any });
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, any })));
        expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
