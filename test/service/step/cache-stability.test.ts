import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TurnInput } from '../../../src/contract/history.js';
import { stepRequestSchema } from '../../../src/contract/step-request.js';
import type { Message } from '../../../src/service/step/provider.js';
import type { RenderedPrompt } from '../../../src/service/step/render-prompt.js';
import { prepare } from '../../support/prepare.js';

const uuid = '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c';
const file = (lines: number) =>
  Array.from({ length: lines }, (_, line) => `export const value${line} = compute(${line});`).join('\n');

interface RunShape {
  readonly steps: number;
  readonly tokenLimit: number;
  readonly protocol: 'text' | 'xml' | 'native';
  readonly needsExample?: boolean;
  /** Returns the number of lines in the observation of a step. */
  readonly lines: (step: number) => number;
}

/**
 * Returns the prompts of a run in which the caller returns all state of each response with the next request, and
 * changes tasks and focus between steps.
 */
async function promptsOfRun({
  steps,
  tokenLimit,
  protocol,
  lines,
  needsExample = false,
}: RunShape): Promise<RenderedPrompt[]> {
  const history: TurnInput[] = [];
  const prompts: RenderedPrompt[] = [];
  for (let step = 0; step < steps; step += 1) {
    const request = stepRequestSchema.parse({
      project_id: uuid,
      session_id: uuid,
      user_query: step === 0 ? 'Where is the total computed?' : '',
      conversation_history: history,
      explicit_context_paths: ['src'],
      inline_context: {
        files: [
          { path: 'src/total.ts', content: file(60) },
          { path: 'src/tax.ts', content: file(40) },
        ],
      },
      implicit_context: { last_focused_file_path: `src/${step % 2 ? 'tax' : 'total'}.ts` },
      tasks: [{ id: 1, content: 'find it', status: step < 3 ? 'todo' : 'completed' }],
      tools: [
        { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
      ],
      llm_config: { modelName: 'gpt-4o', tokenLimit, reservedOutputTokens: Math.floor(tokenLimit / 8) },
      max_iterations_left: steps - step,
      protocol,
    });
    prompts.push(await prepare(request, { needsExample }));
    if (step === 0) history.push({ role: 'user', content: 'Where is the total computed?' });
    history.push({
      role: 'assistant',
      content: `I look at ${step}.`,
      toolCall: { name: 'read_file', parameters: { path: `src/${step}.ts` }, id: `call_${step + 1}` },
    });
    history.push({
      role: 'tool_observation',
      content: file(lines(step)),
      toolCallId: `call_${step + 1}`,
      toolResult: { success: true },
    });
  }
  return prompts;
}

/**
 * Returns the text that a prompt cache compares: the system text, then each message's role and texts, without cache
 * control fields and without the end of the prompt that differs in each step.
 */
function stableBytes({ prompt, stable }: RenderedPrompt): string {
  return [prompt.system, ...stable.map(bytesOf)].join('');
}

function bytesOf({ role, parts }: Message): string {
  const text = parts
    .map((part) => JSON.stringify(part, ['type', 'text', 'id', 'callId', 'name', 'arguments', 'path']))
    .join('');
  return `\n${role}\n${text}`;
}

function keptSteps(prompts: readonly RenderedPrompt[]): boolean[] {
  return prompts.slice(1).map((prompt, index) => {
    const before = prompts[index];
    return before !== undefined && stableBytes(prompt).startsWith(stableBytes(before));
  });
}

for (const protocol of ['text', 'xml', 'native'] as const) {
  test(`the prompt of step N+1 begins with that of step N, byte for byte, in 10 steps at 32k with protocol ${protocol} (rule: stable-prompt)`, async () => {
    for (const needsExample of [false, true]) {
      const shape = { steps: 10, tokenLimit: 32_000, protocol, lines: () => 60, needsExample };
      const kept = keptSteps(await promptsOfRun(shape));
      expect(kept).toEqual(kept.map(() => true));
    }
  });
}

test('at a limit of 32k tokens, large observations lead to at most one cut of the history in ten steps (rule: fold)', async () => {
  const kept = keptSteps(
    await promptsOfRun({
      steps: 40,
      tokenLimit: 32_000,
      protocol: 'text',
      lines: (step) => 80 + (step % 5) * 20,
    }),
  );
  const cuts = kept.flatMap((isKept, step) => (isKept ? [] : [step]));
  expect(cuts.length).toBeGreaterThan(0);
  const distances = cuts.slice(1).map((step, index) => step - (cuts[index] ?? 0));
  expect(Math.min(...distances, 10)).toBeGreaterThanOrEqual(10);
});

test('with random observations, repeated runs make the same cuts, and at least 7 of 11 steps keep the previous prompt as a prefix (rule: fold-cuts-once)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(200), { minLength: 12, maxLength: 12 }), async (lines) => {
      const prompts = await promptsOfRun({
        steps: 12,
        tokenLimit: 8_000,
        protocol: 'text',
        lines: (step) => lines[step] ?? 0,
      });
      const again = await promptsOfRun({
        steps: 12,
        tokenLimit: 8_000,
        protocol: 'text',
        lines: (step) => lines[step] ?? 0,
      });
      expect(again.map(({ report }) => report.stable_prompt_sha256)).toEqual(
        prompts.map(({ report }) => report.stable_prompt_sha256),
      );
      expect(keptSteps(prompts).filter(Boolean).length).toBeGreaterThanOrEqual(7);
    }),
    { numRuns: 15 },
  );
}, 60_000);
