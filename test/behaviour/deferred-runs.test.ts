import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { defineTool } from '../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import { key } from '../support/run-harness.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let service: WholeService;
let client: StepwiseClient;
beforeAll(async () => {
  service = await startWholeService();
  client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
});
afterAll(() => service.close());

/** Creates a tool of the usual size of MCP tools: about 360 tokens as text, 520 as a native definition. */
const usual = (index: number) =>
  defineTool({
    name: `crm__update_record_${index}`,
    description: `Updates record ${index}. ${'It has several rules that a caller should know before. '.repeat(10)}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        ['owner', 'labels', 'state', 'body', 'assignee', 'due'].map((name) => [
          name,
          {
            type: 'string',
            description: `The ${name}. ${'More words about what may stand there. '.repeat(4)}`,
          },
        ]),
      ),
      required: ['owner'],
    },
    execute: (args) => `record ${index} of ${String(args['owner'])}`,
  });

type Protocol = 'text' | 'xml' | 'json' | 'native';

function writeCall(protocol: Protocol, name: string, args: Record<string, unknown>): ScriptedCompletion {
  const json = JSON.stringify(args);
  if (protocol === 'native') return { toolCalls: [{ name, arguments: args }] };
  if (protocol === 'json') return { text: JSON.stringify({ thought: 'now', action: { tool: name, args } }) };
  if (protocol === 'xml')
    return { text: `<tool_code><name>${name}</name><parameters>${json}</parameters></tool_code>` };
  return { text: `Thought: now.\nAction: ${name}(${json})` };
}

const answers: Readonly<Record<Protocol, string>> = {
  text: 'Final Answer: Done.',
  xml: '<final_answer>Done.</final_answer>',
  json: '{"thought":"t","action":{"final_answer":"Done."}}',
  native: 'Done.',
};

const protocols = ['text', 'xml', 'json', 'native'] as const;
const sizes = [
  [60, 8_000],
  [500, 16_000],
] as const;

test.each(
  sizes.flatMap(([count, limit]) => protocols.map((protocol) => [count, limit, protocol] as const)),
)('a run with %i tools of usual size and a limit of %i tokens finds a tool and calls it in protocol %s (rules: deferring, find-tools)', async (count, tokenLimit, protocol) => {
  const name = `crm__update_record_${count - 1}`;
  service.fake.script([
    writeCall(protocol, 'find_tools', { query: `update record ${count - 1}` }),
    writeCall(protocol, name, { owner: 'Ada' }),
    { text: answers[protocol] },
  ]);
  const before = service.fake.requests.length;
  const run = client.run('Update the record.', {
    llmConfig: { modelName: 'gpt-4o', tokenLimit, reservedOutputTokens: 1_000 },
    tools: Array.from({ length: count }, (_, index) => usual(index)),
    protocol,
    stream: false,
    retries: 0,
  });
  const { answer, history, error } = await run.result();
  expect([error, answer]).toEqual([null, 'Done.']);
  expect(history.map(({ content }) => content)).toContain(`record ${count - 1} of Ada`);
  for (const { context_report: report } of run.save().responses)
    expect(report?.prompt_tokens).toBeLessThanOrEqual(tokenLimit - 1_000);
  const systems = service.fake.requests.slice(before).map(({ body }) => JSON.stringify(body['messages']));
  expect(systems).toHaveLength(3);
  if (protocol !== 'native')
    for (const [index, next] of systems.slice(1).entries())
      expect(next.startsWith(stableStart(systems[index] ?? ''))).toBe(true);
});

/** Returns the messages of a prompt before the last user message, whose end differs in each step. */
const stableStart = (messages: string): string => messages.slice(0, messages.lastIndexOf('{"role":"user"'));

const step = (fields: Partial<StepRequestInput>) => service.step({ llm_config, ...fields });
const llm_config = { modelName: 'any', provider: 'local', tokenLimit: 8_000, reservedOutputTokens: 1_000 };
const deferred = (name: string) => ({ name, inputSchema: { type: 'object' }, defer: true });

test('a step accepts 1,000 deferred tools, and refuses 1,001 with 400 and the name of the field (rule: deferred-tools)', async () => {
  service.fake.script({ text: answers.text });
  const many = Array.from({ length: 1_001 }, (_, index) => deferred(`tool_${index}`));
  expect((await step({ tools: many.slice(1) })).status).toBe(200);
  const { status, body } = await step({ tools: many });
  expect([status, body.error?.code]).toEqual([400, 'invalid_request']);
  expect(body.error?.details?.map(({ path }) => path)).toEqual(['tools']);
});

test('a found tool with a circular schema can be called in every protocol (rule: found-tools)', async () => {
  const tree = {
    name: 'plant',
    inputSchema: {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: {
        node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
      required: ['root'],
    },
    defer: true,
  };
  const conversation_history: StepRequestInput['conversation_history'] = [
    { role: 'user', content: 'Plant a tree.' },
    {
      role: 'assistant',
      content: '',
      toolCall: { id: 'a', name: 'find_tools', parameters: { query: 'tree' } },
    },
    {
      role: 'tool_observation',
      content: 'Found: plant',
      toolCallId: 'a',
      tool_definitions: [{ name: 'plant' }],
    },
  ];
  const args = { root: { children: [{ children: [] }] } };
  for (const protocol of protocols) {
    service.fake.script(writeCall(protocol, 'plant', args));
    const { body } = await step({ tools: [tree], protocol, user_query: '', conversation_history });
    expect(body.action_details).toMatchObject({ tool_name: 'plant', tool_args: args });
  }
});

test('an answer that fits a circular schema is returned in every protocol, and one that does not fit is not (rule: answer-schema)', async () => {
  const answer_schema = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    required: ['name'],
  };
  const tools = [{ name: 'search', inputSchema: { type: 'object' } }];
  const write = (protocol: Protocol, value: unknown) => ({
    text: answers[protocol].replace(/"Done\."|Done\./, JSON.stringify(value)),
  });
  for (const protocol of protocols) {
    const value = { name: 'a', children: [{ name: 'b' }] };
    service.fake.script(write(protocol, value));
    const { body } = await step({ protocol, answer_schema, tools });
    expect(body.answer).toEqual(value);
    service.fake.script(write(protocol, { children: [] }));
    const wrong = await step({ protocol, answer_schema, tools });
    expect(wrong.body).toMatchObject({ answer: null, correction: { kind: 'notice' } });
  }
});
