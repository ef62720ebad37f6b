import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContextReport } from '../../src/contract/context-report.js';
import type { TurnInput } from '../../src/contract/history.js';
import type { Preview } from '../../src/contract/preview.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { startWholeService, stepRequest, vendors, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const tokenLimit = 9_000;
const reservedOutputTokens = 1_000;
const llm_config = { modelName: vendors.openai, tokenLimit, reservedOutputTokens };
const giant = Array.from({ length: 20_000 }, (_, line) => `const value${line} = ${line};`).join('\n');
const answered: TurnInput[] = [
  { role: 'user', content: 'First?' },
  { role: 'assistant', content: 'Yes.' },
];

async function preview(changes: Partial<StepRequestInput>): Promise<Preview> {
  const request = stepRequest({ llm_config, ...changes });
  const { status, body } = await service.post('/api/agent/context_preview', request);
  expect(status).toBe(200);
  return body as unknown as Preview; // `post` has checked it against the contract
}

const tokensOf = ({ sections }: ContextReport, name: string): number =>
  sections.find((section) => section.name === name)?.tokens ?? 0;

/**
 * Returns the free budget (F in docs/reference/context-and-budget.md), minus the tail's reserve, which is at
 * least 6 % of the budget.
 */
function free(report: ContextReport): number {
  const budget = tokenLimit - reservedOutputTokens;
  const fixed = ['instructions', 'tools', 'framing'].map((name) => tokensOf(report, name));
  return fixed.reduce((left, tokens) => left - tokens, budget * 0.94);
}

const withGiant = {
  explicit_context_paths: ['giant.ts'],
  inline_context: { files: [{ path: 'giant.ts', content: giant }] },
};

describe('token shares of context and history in a prompt', () => {
  test.each([
    [undefined, 0.5],
    [0.2, 0.2],
    [0.8, 0.8],
  ])('contextShare %s limits the context to the share %d of the free token budget (rule: context-share)', async (contextShare, share) => {
    const { context_report: report } = await preview({
      ...withGiant,
      conversation_history: answered,
      llm_config: { ...llm_config, ...(contextShare !== undefined && { contextShare }) },
    });
    const taken = tokensOf(report, 'context') / free(report);
    expect(taken).toBeLessThanOrEqual(share);
    expect(taken).toBeGreaterThan(share * 0.9);
  });

  test('one long observation gets about a quarter of the free token budget, and the same bytes in the next step (rule: text-share)', async () => {
    const observed: TurnInput[] = [
      { role: 'user', content: 'Read it.' },
      {
        role: 'assistant',
        content: 'I read.',
        toolCall: { name: 'read', parameters: { path: 'a' }, id: 'call_1' },
      },
      { role: 'tool_observation', content: giant, toolCallId: 'call_1', toolResult: { success: true } },
    ];
    const first = await preview({ user_query: '', conversation_history: observed });
    const second = await preview({
      user_query: '',
      conversation_history: [
        ...observed,
        {
          role: 'assistant',
          content: 'Again.',
          toolCall: { name: 'read', parameters: { path: 'b' }, id: 'call_2' },
        },
        { role: 'tool_observation', content: 'short', toolCallId: 'call_2', toolResult: { success: true } },
      ],
    });
    const history = tokensOf(first.context_report, 'history') / free(first.context_report);
    expect(history).toBeGreaterThan(0.2);
    expect(history).toBeLessThan(0.3);
    const observation = (shown: Preview) =>
      JSON.stringify(shown.messages).match(/<observation.*?<\/observation/s)?.[0];
    expect(observation(first)).toContain('left out');
    expect(observation(second)).toBe(observation(first));
  });

  test('the context gets fewer tokens if the task would not fit otherwise, and the report lists the truncated file (rule: context-yields)', async () => {
    const longTask = 'word '.repeat(4_500);
    const roomy = await preview({ ...withGiant, conversation_history: answered });
    const tight = await preview({ ...withGiant, conversation_history: answered, user_query: longTask });
    expect(JSON.stringify(tight.messages)).toContain(longTask.trim());
    expect(tokensOf(tight.context_report, 'context')).toBeLessThan(tokensOf(roomy.context_report, 'context'));
    expect(tight.context_report.items).toContainEqual(
      expect.objectContaining({ kind: 'explicit', id: 'giant.ts', status: 'truncated' }),
    );
  });

  test('a step whose task does not fit without context is refused (rule: context-yields)', async () => {
    const { status, body } = await service.step({ llm_config, user_query: 'word '.repeat(9_000) });
    expect({ status, code: body.error?.code }).toEqual({ status: 422, code: 'token_budget_exceeded' });
  });
});

describe('the action string of a proposed action (rule: raw-action-string)', () => {
  const tools = [
    { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
  ];

  test('a written action is returned exactly as the model wrote it', async () => {
    service.fake.script({ text: "Thought: I look.\nAction:  read_file( path = 'a.ts' )" });
    const { body } = await service.step({ tools });
    expect(body.action_details).toMatchObject({
      tool_args: { path: 'a.ts' },
      raw_action_string: "Action: read_file( path = 'a.ts' )",
    });
  });

  test('a native call is returned as a canonical action string', async () => {
    service.fake.script({ toolCalls: [{ name: 'read_file', arguments: { path: 'a.ts' } }] });
    const { body } = await service.step({ tools, protocol: 'native' });
    expect(body.action_details?.raw_action_string).toBe('Action: read_file({"path":"a.ts"})');
  });
});
