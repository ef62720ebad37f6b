import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Step } from '../../src/contract/step.js';
import { blankStep } from '../../src/conversation/blank-step.js';
import { noUsage } from '../../src/conversation/usage.js';
import { budgetLayout } from '../../src/playground/composer/budget-layout.js';
import { neededPaths, type RunSettings, toRunOptions } from '../../src/playground/run/run-options.js';
import { usageInWords } from '../../src/playground/run/usage-by-model.js';
import { announce } from '../../src/playground/timeline/announce.js';
import { stepPhases } from '../../src/playground/timeline/step-phases.js';
import { stepRemarks } from '../../src/playground/timeline/step-remarks.js';
import type { RunOptions } from '../../src/sdk/run/run-options.js';
import { reduceRun } from '../../src/sdk/view/reduce-run.js';
import { emptyRun, type RunView, type StepView } from '../../src/sdk/view/run-view.js';
import { command, done, lookUp, lookUpCall, recordingTool, start } from '../support/run-harness.js';
import type { Script } from '../support/scripted-service.js';

/** Returns every view of a run, oldest first. */
async function views(script: readonly Script[], options: Partial<RunOptions> = {}): Promise<RunView[]> {
  const all = [emptyRun()];
  const { run } = await start(script, options);
  for await (const event of run) all.push(reduceRun(all.at(-1) ?? emptyRun(), event, 1));
  return all;
}
const last = async (...given: Parameters<typeof views>) => (await views(...given)).at(-1) ?? emptyRun();
const chips = ({ steps }: RunView) =>
  steps.map((step) =>
    stepPhases(step)
      .map(({ name, state }) => `${name} ${state}`)
      .join(', '),
  );
const shorts = ({ steps }: RunView) => steps.map((step) => stepRemarks(step).map(({ short }) => short));

const { tool } = recordingTool();
const deny = { tools: [tool], approve: async () => ({ type: 'deny' as const, reason: 'no' }) };

describe('phase chips (rule: playground-page)', () => {
  test('the phase chips of a call and then an answer are all done', async () => {
    expect(chips(await last([lookUpCall(), done]))).toEqual([
      'Reason done, Act done, Observe done',
      'Reason done, Answer done',
    ]);
  });

  test('the phase chips show a denied call as failed and then observed', async () => {
    expect(chips(await last([command('ls'), done], deny))[0]).toBe('Reason done, Act failed, Observe done');
  });

  test('the phase chips of a step progress from reasoning over acting to observing', async () => {
    const seen = (await views([lookUpCall(), done])).flatMap((view) => chips(view)[0] ?? []);
    expect([...new Set(seen)]).toEqual([
      'Reason active, Act pending, Observe pending',
      'Reason done, Act active, Observe pending',
      'Reason done, Act done, Observe done',
    ]);
  });

  test('the phase chips of the strict strategy end as done in a single step', async () => {
    const round: Script[] = [
      { control: { plan: 'look' }, thought: 'I look.' },
      lookUpCall(),
      { control: { should_continue: false, final_answer: 'It is 42.' } },
    ];
    expect(chips(await last(round, { strategy: 'reason-act-observe', maxSteps: 1 }))).toEqual([
      'Reason done, Act done, Observe done',
    ]);
  });

  test('the phase chips show a failed model call as failed reasoning', async () => {
    expect(chips(await last([{ error: 'upstream_billing' }]))[0]).toContain('Reason failed');
  });
});

describe('remarks on a step (rule: playground-page)', () => {
  test('an ordinary step has no remarks', async () => {
    expect(shorts(await last([lookUpCall(), done]))).toEqual([[], []]);
  });

  test('the remarks on a step name an unparseable action with its problem', async () => {
    const view = await last([{ malformed: 'look_up(' }, done]);
    expect(shorts(view)[0]).toContain('unreadable action');
  });
});

describe('the live region (rule: playground-accessible)', () => {
  const heard = (all: readonly RunView[]): string[] =>
    all.flatMap((view, index) => announce(all[index - 1] ?? emptyRun(), view) || []);

  test('the live region announces each step, its calls, their results, and the end', async () => {
    expect(heard(await views([lookUpCall(), done]))).toEqual([
      'Step 1 begins.',
      'Step 1: calls look_up.',
      'Step 1: look_up done.',
      'Step 2 begins.',
      'The run has ended: answered.',
    ]);
  });

  test('the live region announces that a request waits for the person', async () => {
    expect(heard(await views([command('ls'), done], deny))).toEqual(
      expect.arrayContaining(['Step 1: run_command waits for your approval.', 'Step 1: run_command denied.']),
    );
  });

  test('the live region stays silent while text is streamed', async () => {
    const all = await views([done]);
    const deltas = all.filter(
      (view, index) => view.steps[0]?.calls[0]?.answer !== all[index - 1]?.steps[0]?.calls[0]?.answer,
    );
    expect(deltas.length).toBeGreaterThan(0);
    expect(heard(all)).toHaveLength(2);
  });
});

describe('the budget bar (rule: playground-page)', () => {
  const counts = fc.integer({ min: 0, max: 50_000 });

  test('the budget bar divides the whole limit into segments and ends with the reserve', () => {
    fc.assert(
      fc.property(
        counts,
        counts,
        counts,
        fc.integer({ min: 1, max: 9_000 }),
        counts,
        (tools, context, history, reserve, spare) => {
          const sections = [
            { name: 'tools', tokens: tools },
            { name: 'context', tokens: context },
            { name: 'history', tokens: history },
          ] as const;
          const prompt = tools + context + history;
          const pieces = budgetLayout({
            sections: [...sections],
            prompt_tokens: prompt,
            reserved_output_tokens: reserve,
            token_limit: prompt + reserve + spare,
          });
          expect(pieces.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
          expect(pieces.at(-1)).toMatchObject({ name: 'reserve', tokens: reserve });
          expect(pieces.every(({ tokens }) => tokens > 0)).toBe(true);
        },
      ),
    );
  });
});

describe('run options made from the page settings (rule: playground-page)', () => {
  const settings: RunSettings = {
    model: 'offline',
    upstream: '',
    protocol: 'text',
    strategy: 'react',
    maxSteps: 4,
    instructions: ' ',
    tokenLimit: 8_000,
    reserveShare: 0.125,
    contextShare: 0.5,
    tagged: ['a.js', 'gone.js'],
    pinned: ['b.js'],
    focus: 'c.js',
    disabledTools: [],
  };
  const contents = new Map([
    ['a.js', 'A'],
    ['b.js', 'B'],
    ['c.js', 'C'],
  ]);

  test('a request has the contents of the files that the page read, and only the path of any other tagged file', () => {
    expect(toRunOptions(settings, [], contents).context).toEqual({
      paths: ['b.js', 'a.js', 'gone.js'],
      focus: { last_focused_file_path: 'c.js' },
      inline: {
        files: [
          { path: 'a.js', content: 'A' },
          { path: 'b.js', content: 'B' },
          { path: 'c.js', content: 'C' },
        ],
      },
    });
  });

  test('a request contains pinned files first, and all files below a tagged folder', () => {
    const listed = ['a.js', 'b.js', 'c.js', 'src/auth/login.js', 'src/authz.js', 'src/cart.js'];
    const tagged = ['src/auth', 'a.js', 'b.js'];
    expect(neededPaths({ ...settings, tagged }, listed)).toEqual([
      'b.js',
      'a.js',
      'c.js',
      'src/auth/login.js',
    ]);
    const { context } = toRunOptions({ ...settings, tagged }, [], contents);
    expect(context?.paths).toEqual(['b.js', 'src/auth', 'a.js']);
  });

  test.each([
    [2_000, 100],
    [32_000, 640],
  ])('a reserve of 2 %% is at least 100 tokens: with a token limit of %d, it is %d', (tokenLimit, reserve) => {
    const { llmConfig } = toRunOptions({ ...settings, tokenLimit, reserveShare: 0.02 }, [], contents);
    expect(llmConfig).toMatchObject({ tokenLimit, reservedOutputTokens: reserve });
  });

  test('a disabled tool is not offered, and blank instructions are omitted', () => {
    const options = toRunOptions({ ...settings, disabledTools: ['look_up'] }, [lookUp, tool], contents);
    expect(options.tools?.map(({ name }) => name)).toEqual(['run_command']);
    expect(options).not.toHaveProperty('instructions');
  });
});

describe('text for the token usage of a run (rule: playground-page)', () => {
  const taking = (model: string, input_tokens: number | null, output_tokens: number | null): StepView => {
    const usage = { ...noUsage, input_tokens, output_tokens };
    const more = { action_details: null, additional_actions: [] };
    const response = { ...blankStep, ...more, model, usage } as unknown as Step; // cast: the code under test reads only these fields
    const began = reduceRun(emptyRun(), {
      type: 'agent_turn_start',
      step: 1,
      phase: null,
      iterationsLeft: 1,
    });
    const [step] = reduceRun(began, { type: 'agent_reason', step: 1, thought: null, response }).steps;
    if (!step) throw new Error('The step did not begin.');
    return step;
  };

  test.each<[string, StepView[]]>([
    ['2 steps · 300 in · 30 out', [taking('a', 100, 10), taking('a', 200, 20)]],
    ['2 steps · a: 100 in · 10 out · b: 1.2k in · 20 out', [taking('a', 100, 10), taking('b', 1_200, 20)]],
    ['2 steps · at least 100 in · 10 out', [taking('a', 100, 10), taking('a', null, null)]],
    ['1 step', [taking('a', null, null)]],
    ['0 steps', []],
  ])('%s', (words, steps) => {
    expect(usageInWords(steps)).toBe(words);
  });
});
