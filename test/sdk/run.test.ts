import { afterEach, expect, test } from '@jest/globals';
import { defineTool } from '../../src/sdk/define-tool.js';
import type { RunEvent } from '../../src/sdk/run-events.js';
import type { RunOptions } from '../../src/sdk/run-options.js';
import { StepwiseClient } from '../../src/sdk/stepwise-client.js';
import { type Script, type ScriptedService, startScriptedService } from './scripted-service.js';

let service: ScriptedService;
afterEach(() => service.close());

const llmConfig = { modelName: 'scripted', tokenLimit: 8_000, reservedOutputTokens: 1_000 };

async function start(script: Script[], options: Partial<RunOptions> = {}) {
  service = await startScriptedService(...script);
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: 'sk-12345678' });
  return client.run('How much is it?', { llmConfig, tools: [lookUp], ...options });
}

async function collect(script: Script[], options?: Partial<RunOptions>) {
  const run = await start(script, options);
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return { events, types: events.map(({ type }) => type), result: await run.result() };
}

const lookUp = defineTool({
  name: 'look_up',
  description: 'Look something up.',
  inputSchema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
  annotations: { readOnlyHint: true },
  execute: ({ key }) => `${key} is 42`,
});

test('§11 an action, its observation and an answer: the events in their order', async () => {
  const { types, result } = await collect([
    { thought: 'Look it up.', call: { name: 'look_up', args: { key: 'price' } } },
    { answer: 'It is 42.' },
  ]);
  expect(types).toEqual([
    'agent_start',
    'agent_turn_start',
    ...Array(3).fill('thought_delta'),
    'agent_reason',
    'tool_start',
    'tool_complete',
    'agent_observe',
    'agent_turn_start',
    ...Array(3).fill('answer_delta'),
    'agent_reason',
    'agent_completion',
  ]);
  expect(result).toMatchObject({ answer: 'It is 42.', stop_reason: 'answered', termination_reason: null });
  expect(result.usage).toMatchObject({ input_tokens: 200, output_tokens: 20, reasoning_tokens: null });
  expect(result.history.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool_observation',
    'assistant',
  ]);
});

test('§2 the task is told once; then the history speaks', async () => {
  await collect([{ call: { name: 'look_up', args: { key: 'a' } } }, { answer: 'Done.' }]);
  expect(service.requests.map(({ user_query }) => user_query)).toEqual(['How much is it?', '']);
  expect(service.requests[1]?.conversation_history.at(-1)).toMatchObject({
    role: 'tool_observation',
    content: 'a is 42',
    toolCallId: 'call_1',
    toolResult: { success: true },
  });
});
