import { readdirSync, readFileSync } from 'node:fs';
import { type FakeProvider, startFakeProvider } from '../src/service/offline/fake-provider.js';
import { commonPrefix, keptSteps, type RunShape, recordRun } from '../test/support/recorded-run.js';
import { llmConfig, startWholeService, stepRequest } from '../test/support/whole-service.js';
import { hostileHistories, hostileTexts } from './hostile-contexts.js';
import { type StackProcess, startStack } from './stack-process.js';

/** Stable prompts, CPU per step beside the plain build, and how long hostile requests hold the loop. */
export async function run(): Promise<void> {
  await printStability();
  const fake = await startFakeProvider(reply);
  await printCpu(fake);
  await printHolds(fake);
  await fake.close();
}

const reply = { text: 'Thought: I look further.\nAction: read_file(path="src/next.ts")' };

async function printStability(): Promise<void> {
  console.log(
    '\nStable prompt between steps, in the bodies that the provider received (tasks and focus changing):',
  );
  const service = await startWholeService();
  const rows: Record<string, object> = {};
  for (const vendor of ['openai', 'anthropic'] as const) {
    for (const [steps, tokenLimit] of [
      [10, 8_000],
      [40, 8_000],
      [10, 32_000],
      [40, 32_000],
    ] as const) {
      const lines = (step: number) => (vendor === 'openai' ? 70 : 40) + (step % 5) * 10;
      const shape: RunShape = { vendor, protocol: 'text', steps, tokenLimit, lines };
      rows[`${vendor}, ${steps} steps at ${tokenLimit / 1_000}k`] = stabilityOf(
        await recordRun([service], shape),
      );
    }
  }
  await service.close();
  console.table(rows);
}

function stabilityOf(steps: Awaited<ReturnType<typeof recordRun>>) {
  const kept = keptSteps(steps);
  const shares = steps.slice(1).map(({ stable }, index) => {
    const before = steps[index]?.stable ?? '';
    return commonPrefix(before, stable) / before.length;
  });
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const reads = steps.map(({ step }) => step.context_report?.prompt_tokens ?? 0);
  return {
    'steps that keep all': `${kept.filter(Boolean).length} of ${kept.length}`,
    cuts: kept.filter((each) => !each).length,
    'of the prompt before kept, mean': `${(mean * 100).toFixed(1)} %`,
    'prompt tokens, last step': reads.at(-1),
  };
}

const ROUNDS = 5;
const STEPS = 10;

/** 10-step runs with 100 KB of real code in the context; the stacks take turns, each in its own process. */
async function printCpu(fake: FakeProvider): Promise<void> {
  const stacks = { ours: await startStack('ours', fake.url), plain: await startStack('plain', fake.url) };
  const used: Record<keyof typeof stacks, number[]> = { ours: [], plain: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of ['ours', 'plain'] as const) {
      await stacks[name].spent();
      await runSteps(stacks[name], round);
      const { cpuMs } = await stacks[name].spent();
      if (round > 0) used[name].push(cpuMs / STEPS); // the first warms up
    }
  }
  stacks.ours.stop();
  stacks.plain.stop();
  const [ours, plain] = [median(used.ours), median(used.plain)];
  console.log(`\nCPU per step, 100 KB context, ${STEPS}-step runs, ${ROUNDS} rounds interleaved, medians:`);
  console.table({
    'this service': { 'ms per step': ours.toFixed(1) },
    'Express + js-tiktoken + openai SDK': { 'ms per step': plain.toFixed(1) },
    ratio: { 'ms per step': `${(plain / ours).toFixed(1)} x` },
  });
}

/** Each round has a context of its own, as each run has; within a run it is the same in every step. */
async function runSteps(stack: StackProcess, round: number): Promise<void> {
  const files = contextFiles(round);
  let history: unknown[] = [{ role: 'user', content: 'Where is the total computed?' }];
  for (let step = 0; step < STEPS; step += 1) {
    const { body } = await post(stack, '/api/agent/react_step', {
      ...stepRequest(),
      user_query: '',
      conversation_history: history,
      explicit_context_paths: files.map(({ path }) => path),
      inline_context: { files },
      tools: [{ name: 'read_file', inputSchema: { type: 'object', properties: { path: {} } } }],
      llm_config: { ...llmConfig('openai'), tokenLimit: 128_000, reservedOutputTokens: 8_000 },
      max_iterations_left: STEPS + 1 - step,
    });
    const { updated_conversation_history: turns, action_details: action } = JSON.parse(body);
    const seen = files[step % files.length]?.content.slice(0, 4_000) ?? '';
    history = [...turns, { role: 'tool_observation', content: `${step}\n${seen}`, toolCallId: action.id }];
  }
}

function contextFiles(round: number): { path: string; content: string }[] {
  const folder = 'node_modules/zod/src/v4/core';
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const code = names
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n')
    .replace(/\S{500,}/g, '');
  return Array.from({ length: 10 }, (_, index) => ({
    path: `src/${round}-${index}.ts`,
    content: `// ${round}.${index}\n${code.slice(index * 10_000, (index + 1) * 10_000)}`,
  }));
}

/** The preview does all of a step but the model call. */
async function printHolds(fake: FakeProvider): Promise<void> {
  const stack = await startStack('ours', fake.url);
  const previews = [...hostileTexts(1_000_000), ...hostileHistories(10_000)];
  const rows: Record<string, object> = {};
  for (const [name, changes] of previews) {
    const request = {
      ...stepRequest(),
      llm_config: { ...llmConfig('openai'), tokenLimit: 128_000, reservedOutputTokens: 8_000 },
      ...changes,
    };
    const trials: { status: number; cpuMs: number; heldMs: number }[] = [];
    for (let trial = 0; trial < TRIALS; trial += 1) {
      await stack.spent();
      const { status } = await post(stack, '/api/agent/context_preview', request);
      trials.push({ status, ...(await stack.spent()) });
    }
    const least = (key: 'cpuMs' | 'heldMs') => Math.round(Math.min(...trials.map((trial) => trial[key])));
    rows[name] = { status: trials[0]?.status, 'CPU (ms)': least('cpuMs'), 'loop held (ms)': least('heldMs') };
  }
  stack.stop();
  console.log(`\nHostile previews, 128k budget; the least disturbed of ${TRIALS} trials:`);
  console.table(rows);
}

const TRIALS = 2;

async function post(
  stack: StackProcess,
  path: string,
  request: object,
): Promise<{ status: number; body: string }> {
  const body = JSON.stringify(request);
  for (;;) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(stack.url + path, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== 503) return { status: response.status, body: text };
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // it sheds load: on a busy machine, as it says
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
