import { expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { gatherContext } from '../../../src/service/context/gather-context.js';
import { type FittedPrompt, fitToBudget } from '../../../src/service/step/fit-to-budget.js';
import { tokensOfUnits } from '../../../src/service/step/history/unit-forms.js';
import { StepRefused } from '../../../src/service/step/interruption.js';
import { readSituation } from '../../../src/service/step/read-situation.js';
import { createTokenCounter } from '../../../src/tokens/token-counter.js';
import { prepare, profile, textOf } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, line) => `export const value${line} = compute(${line});\n`).join('');
const preparedFor = (fields: Partial<StepRequestInput>) => prepare(stepRequest(fields));
const open = (content: string): Partial<StepRequestInput> => ({
  inline_context: { files: [{ path: 'a.ts', content }] },
  implicit_context: { last_focused_file_path: 'a.ts', selection: { start_line: 45, end_line: 45 } },
});
const tagged = (content: string): Partial<StepRequestInput> => ({
  inline_context: { files: [{ path: 'a.ts', content }] },
  explicit_context_paths: ['a.ts'],
});
const item = ({ report }: Awaited<ReturnType<typeof preparedFor>>, kind: string) =>
  report.items.find((each) => each.kind === kind);

async function fitted(fields: Partial<StepRequestInput>): Promise<FittedPrompt> {
  const { signal } = new AbortController();
  const request = stepRequest(fields);
  const gathered = await gatherContext(request, [], signal);
  const tokens = createTokenCounter('o200k_base');
  const deadline = { signal, remainingMs: () => 60_000 };
  return fitToBudget(await readSituation(request, profile), gathered, { tokens, profile, deadline });
}

/**
 * Token budget of the prompt of `stepRequest`. `freeIn` returns what the fixed sections and the reserve of 6 % for the
 * tail leave of it.
 */
const PROMPT_BUDGET = 7_000;
const freeIn = ({ fixed: { instructions, example, tools, framing } }: Pick<FittedPrompt, 'fixed'>): number =>
  PROMPT_BUDGET - instructions - example - tools - framing - Math.floor(PROMPT_BUDGET * 0.06);

test('without context, the history may use everything except the fixed sections and 6 % for the tail (rules: tail-reserve, context-share)', async () => {
  const prompt = await fitted({});
  expect(prompt.historyTokens).toBe(freeIn(prompt));
});

test.each([
  [{}, 0.5],
  [{ contextShare: 0.2 }, 0.2],
])('with %j, the context gets the fraction %d of the free tokens, and the history the rest (rule: context-share)', async (asked, part) => {
  const { llm_config } = stepRequest({});
  const { context, historyTokens, fixed } = await fitted({
    ...tagged(lines(3_000)),
    llm_config: { ...llm_config, ...asked },
  });
  const free = freeIn({ fixed });
  expect(context.tokens).toBeLessThanOrEqual(free * part);
  expect(context.tokens).toBeGreaterThan(free * part * 0.9);
  expect(historyTokens).toBe(free - context.tokens);
});

test('a long observation, thought or argument is cut to a quarter of the history’s share (rule: text-share)', async () => {
  const parameters = { content: lines(2_000) };
  const toolCall = { name: 'write_file', parameters, id: 'a' };
  const { units, historyTokens } = await fitted({
    conversation_history: [
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: lines(2_000), toolCall },
      { role: 'tool_observation', content: lines(2_000), toolCallId: 'a' },
    ],
    user_query: '',
  });
  const unit = units.map(({ weighed }) => weighed.unit).find((each) => each.type === 'action');
  const texts = [unit?.thought, unit?.calls[0]?.parameters['content'], unit?.calls[0]?.observation?.text];
  const counter = createTokenCounter('o200k_base');
  for (const text of texts) {
    const tokens = await counter.count(String(text));
    expect(tokens).toBeLessThanOrEqual(historyTokens * 0.25);
    expect(tokens).toBeGreaterThan(historyTokens * 0.25 * 0.95);
  }
});

test('a short observation is cut if its characters take several tokens each (rule: text-share)', async () => {
  const { units, historyTokens } = await fitted({
    conversation_history: [
      { role: 'user', content: 'Why?' },
      { role: 'tool_observation', content: 'ꦀ'.repeat(1_000) },
    ],
    user_query: '',
  });
  expect(units[1]?.weighed.full).toBeLessThan(historyTokens * 0.25 + 100);
});

test('native tool schemas are counted as JSON × 1.3 (rule: counting)', async () => {
  const tools = [
    { name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: { path: {} } } },
  ];
  const { fixed } = await fitted({ protocol: 'native', tools });
  const counter = createTokenCounter('o200k_base');
  expect(fixed.tools).toBe(Math.ceil((await counter.count(JSON.stringify(tools))) * 1.3));
});

test('compaction is recommended from exactly 80 % of the history’s share (rule: signals)', async () => {
  const seen = new Set<boolean>();
  for (let tokenLimit = 1_380; tokenLimit <= 1_460; tokenLimit += 1) {
    const asked = {
      user_query: 'Why? '.repeat(100),
      llm_config: { modelName: 'offline', tokenLimit, reservedOutputTokens: 1_000 },
    };
    const { units, historyTokens } = await fitted(asked);
    const { shouldCompact } = await prepare(stepRequest(asked));
    expect({ tokenLimit, shouldCompact }).toEqual({
      tokenLimit,
      shouldCompact: tokensOfUnits(units.map(({ weighed }) => weighed)) >= historyTokens * 0.8,
    });
    seen.add(shouldCompact);
  }
  expect(seen.size).toBe(2);
});

test('a focus file is included completely while there is room (rule: tail-reserve)', async () => {
  const prompt = await preparedFor(open(lines(300)));
  expect(item(prompt, 'implicit')).toMatchObject({ status: 'included', lines: '1-300' });
  expect(prompt.prompt.messages.map(textOf).join('')).toContain('value299');
});

test('a focus file that is too long uses the remaining tokens and no more (rule: tail-reserve)', async () => {
  const prompt = await preparedFor(open(lines(3_000)));
  const { report } = prompt;
  expect(item(prompt, 'implicit')).toMatchObject({ status: 'truncated' });
  expect(report.prompt_tokens).toBeLessThanOrEqual(7_000);
  expect(report.prompt_tokens).toBeGreaterThan(6_500);
});

test('a tail that exceeds its reserve does not change the prompt before the tail (rule: stable-prompt)', async () => {
  const hashOf = async (fields: Partial<StepRequestInput>) =>
    (await preparedFor({ ...tagged(lines(400)), ...fields })).report.stable_prompt_sha256;
  const { inline_context, implicit_context } = open(lines(400));
  const files = [...(inline_context?.files ?? []), { path: 'b.ts', content: lines(500) }];
  const first = await hashOf({ inline_context: { files } });
  const focus = { ...implicit_context, last_focused_file_path: 'b.ts' };
  expect(await hashOf({ inline_context: { files }, implicit_context: focus })).toBe(first);
});

test('a single step that can only answer gives the context all tokens except those of the user’s turns (rule: single-step-share)', async () => {
  const question = { ...tagged(lines(400)), max_iterations_left: 1 };
  expect(item(await preparedFor(question), 'explicit')).toMatchObject({ status: 'included' });
  const history = [
    { role: 'user' as const, content: 'Why?' },
    { role: 'assistant' as const, content: 'So.' },
  ];
  for (const other of [
    { max_iterations_left: 2 },
    { on_last_iteration: 'allow_action' as const },
    { phase: 'observe' as const },
    { conversation_history: history, user_query: 'And now?' },
  ]) {
    expect(item(await preparedFor({ ...question, ...other }), 'explicit')).toMatchObject({
      status: 'truncated',
    });
  }
});

test('in a single step, the user’s turns fit beside a huge context (rule: single-step-share)', async () => {
  const prompt = await preparedFor({
    ...tagged(lines(3_000)),
    max_iterations_left: 1,
    user_query: lines(100),
  });
  expect(item(prompt, 'explicit')).toMatchObject({ status: 'truncated' });
  expect(prompt.report.prompt_tokens).toBeLessThanOrEqual(7_000);
  expect(prompt.prompt.messages.map(textOf).join('')).toContain(lines(100));
});

test('the reserve for the tail suffices for the longest phase instruction, including one from the caller (rule: tail-reserve)', async () => {
  const phase_instructions = { observe: `Observe. ${'Mind every detail. '.repeat(300)}`, act: 'Go.' };
  const hashes = new Set<string>();
  for (const phase of ['reason', 'act', 'observe'] as const) {
    const prompt = await preparedFor({ ...tagged(lines(400)), phase, phase_instructions });
    hashes.add(prompt.report.stable_prompt_sha256);
    const tail = textOf(prompt.prompt.messages.at(-1) ?? { role: 'user', parts: [] });
    if (phase === 'reason') expect(tail).toContain('Phase: reason.');
    else expect(tail).toContain(phase_instructions[phase].trim());
    if (phase === 'act') expect(tail).not.toContain('Phase: act.');
    expect(prompt.report.prompt_tokens).toBeLessThanOrEqual(7_000);
  }
  expect(hashes.size).toBe(1);
});

test('the worked example is omitted if the prompt does not fit with it (rule: worked-example)', async () => {
  const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const limited = (tokenLimit: number, needsExample: boolean) => {
    const request = stepRequest({ tools: [{ name: 'read_file', inputSchema }] });
    const llm_config = { ...request.llm_config, tokenLimit, reservedOutputTokens: 10 };
    return prepare({ ...request, llm_config }, { needsExample });
  };
  const refusal = await limited(20, false).catch((error: unknown) => error);
  const message = refusal instanceof StepRefused ? refusal.details[0]?.message : undefined;
  const neededTokens = Number(/^(\d+) tokens are needed/.exec(message ?? '')?.[1]);
  expect(await limited(20, true).catch((error: unknown) => error)).toEqual(refusal);
  const without = await limited(neededTokens, true);
  expect(without.prompt.messages.map(textOf)).toEqual(['Why?\n']);
  expect(without.report.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(
    without.report.prompt_tokens,
  );
  expect((await limited(neededTokens + 100, true)).prompt.messages).toHaveLength(3);
});
