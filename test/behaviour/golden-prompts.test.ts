import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { llmConfig, startWholeService, type WholeService } from '../support/whole-service.js';

/** The prompts sent to each vendor, as readable files. `UPDATE_GOLDEN=1 npm test` rewrites them. */
const folder = 'test/golden';

const tools: StepRequestInput['tools'] = [
  {
    name: 'search_code',
    description: 'Searches the files for a text.',
    inputSchema: {
      type: 'object',
      properties: { pattern: { type: 'string', description: 'what to look for' }, path: { type: 'string' } },
      required: ['pattern'],
    },
  },
  {
    name: 'read_file',
    description: 'Reads lines of a file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, start_line: { type: 'integer', minimum: 1 } },
      required: ['path'],
    },
  },
];

/** Three calls: one with a result, one that failed, one that was never run. */
const threeCalls: StepRequestInput['conversation_history'] = [
  { role: 'user', content: 'Where is the total computed?' },
  {
    role: 'assistant',
    content: 'I search for it.',
    toolCall: { name: 'search_code', parameters: { pattern: 'total' }, id: 'call_1' },
  },
  {
    role: 'tool_observation',
    content: 'src/total.ts:2: export const total = net + tax;',
    toolCallId: 'call_1',
    toolResult: { success: true },
  },
  {
    role: 'assistant',
    content: 'I read it.',
    toolCall: { name: 'read_file', parameters: { path: 'src/totals.ts', start_line: 1 }, id: 'call_2' },
  },
  {
    role: 'tool_observation',
    content: 'no such file',
    toolCallId: 'call_2',
    toolResult: { success: false, error: 'no such file' },
  },
  {
    role: 'assistant',
    content: '',
    toolCall: { name: 'read_file', parameters: { path: 'src/total.ts' }, id: 'call_3' },
  },
];

const files = [{ path: 'src/total.ts', content: 'const net = 1;\nexport const total = net + tax;\n' }];

const scenarios = {
  bare: { user_query: 'Where is the total computed?' },
  tools: { user_query: 'Where is the total computed?', tools },
  run: {
    user_query: 'And the tax?',
    tools,
    conversation_history: threeCalls,
    explicit_context_paths: ['src/total.ts', 'src/missing.ts'],
    pinned_item_ids_to_include: ['rules'],
    implicit_context: { last_focused_file_path: 'src/total.ts', selection: { start_line: 2, end_line: 2 } },
    inline_context: {
      files,
      pinned_items: [{ id: 'rules', title: 'House rules', content: 'Money is in cents.' }],
    },
    tasks: [
      { id: 1, content: 'find the total', status: 'completed' },
      { id: 2, content: 'find the tax', status: 'in_progress' },
    ],
    instructions: 'Answer in one sentence.',
    max_iterations_left: 1,
  },
  typed: {
    user_query: 'Where is the total computed?',
    tools,
    answer_schema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'the file' }, line: { type: 'integer' } },
      required: ['path'],
    },
    max_iterations_left: 1,
  },
  segment: { user_query: 'Go.', available_tools_prompt_segment: '- `search_code(pattern, path)` - searches' },
} as const satisfies Record<string, Partial<StepRequestInput>>;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: here' });
});
afterAll(() => service.close());

const protocols = ['text', 'xml', 'json', 'native'] as const;
/**
 * Models of the prompts. The service does not know the `local` one, so its prompt has a worked example (rule:
 * worked-example).
 */
const configs = {
  openai: llmConfig('openai'),
  anthropic: llmConfig('anthropic'),
  local: { ...llmConfig('openai'), provider: 'local', modelName: 'any' },
} as const;
const cases = (Object.keys(configs) as (keyof typeof configs)[]).flatMap((vendor) =>
  protocols.flatMap((protocol) =>
    (Object.keys(scenarios) as (keyof typeof scenarios)[])
      .filter((name) => protocol !== 'native' || 'tools' in scenarios[name])
      .map((name) => [vendor, protocol, name] as const),
  ),
);

test.each(
  cases,
)('the prompt for %s with the protocol %s equals its golden file: %s (rule: message-order)', async (vendor, protocol, name) => {
  const before = service.fake.requests.length;
  const answer = await service.step({ ...scenarios[name], protocol, llm_config: configs[vendor] });
  expect(answer.status).toBe(200);
  const sent = stringify(service.fake.requests[before]?.body, { lineWidth: 0, blockQuote: 'literal' });
  const path = `${folder}/${vendor}-${protocol}-${name}.yaml`;
  if (process.env['UPDATE_GOLDEN']) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, sent);
  }
  expect(existsSync(path)).toBe(true);
  expect(sent).toBe(readFileSync(path, 'utf8'));
});
