import { atLeast, type Figure } from '../figures.js';
import { newContext, playRun, STEPS } from '../inputs/ten-step-run.js';
import { atOnce } from '../measure/client.js';
import { type BenchOptions, COLD_REQUESTS, type Effort, effortOf, interleave } from '../measure/rounds.js';
import { ratios } from '../measure/samples.js';
import { cpuMsOf, type StackProcess, startStack } from '../measure/stack-process.js';

interface Size {
  readonly kilobytes: number;
  /** Token limit that is large enough for the whole context, so that Stepwise and the baseline both send all of it. */
  readonly tokenLimit: number;
  /**
   * Required factor in processes that have warmed up: the baseline (Express, js-tiktoken, the vendor's SDK) must
   * use at least this many times the CPU time of Stepwise.
   */
  readonly warm: number;
  readonly cold: number;
  readonly rounds: number;
}

const sizes: readonly Size[] = [
  { kilobytes: 20, tokenLimit: 128_000, warm: 6, cold: 4, rounds: 15 },
  { kilobytes: 100, tokenLimit: 128_000, warm: 12, cold: 8, rounds: 9 },
  { kilobytes: 500, tokenLimit: 400_000, warm: 18, cold: 15, rounds: 5 },
];

const WARM_UP_AT_ONCE = 4;

const names = ['stepwise', 'plain'] as const;
type Name = (typeof names)[number];
type Samples = Record<Name, number[]>;

/**
 * Compares the CPU time per step with that of the plain stack (Express, js-tiktoken, the vendor's SDK), in runs of
 * ten steps.
 */
export async function run(options: BenchOptions): Promise<Figure[]> {
  const upstream = await startStack('upstream');
  const start = (name: Name) => startStack(name, { upstreamUrl: upstream.url });
  const stacks = { stepwise: await start('stepwise'), plain: await start('plain') };
  const { warmUpRequests } = effortOf(options, 1);
  await Promise.all(names.map((name) => warmUp(stacks[name], warmUpRequests)));
  const figures: Figure[] = [];
  for (const size of options.quick ? sizes.slice(0, 1) : sizes) {
    const effort = effortOf(options, size.rounds);
    const warm = await measureWarm(stacks, size, effort);
    const cold = await measureCold(start, size, effort);
    figures.push(...figuresOf(size, warm, cold));
  }
  for (const stack of [upstream, ...Object.values(stacks)]) stack.stop();
  return figures;
}

function warmUp(stack: StackProcess, steps: number): Promise<void> {
  return atOnce(WARM_UP_AT_ONCE, steps / STEPS, () => playRun(stack.url, newContext(20, 128_000)));
}

/**
 * Measures steps of processes that have warmed up. In each round, both stacks get the same context. The first
 * round of each size is dropped, because the processes have not handled bodies of that size before.
 */
async function measureWarm(
  stacks: Readonly<Record<Name, StackProcess>>,
  { kilobytes, tokenLimit }: Size,
  { rounds }: Effort,
): Promise<Samples> {
  const contexts = Array.from({ length: rounds + 1 }, () => newContext(kilobytes, tokenLimit));
  const { stepwise, plain } = await interleave(names, rounds + 1, async (name, round) => {
    const context = contexts[round] ?? newContext(kilobytes, tokenLimit);
    return (await cpuMsOf(stacks[name], () => playRun(stacks[name].url, context))) / STEPS;
  });
  return { stepwise: stepwise.slice(1), plain: plain.slice(1) };
}

/** Measures the first steps of fresh processes, not including the start of the process. */
async function measureCold(
  start: (name: Name) => Promise<StackProcess>,
  { kilobytes, tokenLimit }: Size,
  { coldProcesses }: Effort,
): Promise<Samples> {
  return interleave(names, coldProcesses, async (name) => {
    const stack = await start(name);
    const cpuMs = await cpuMsOf(stack, async () => {
      for (let steps = 0; steps < COLD_REQUESTS; steps += STEPS)
        await playRun(stack.url, newContext(kilobytes, tokenLimit));
    });
    stack.stop();
    return cpuMs / COLD_REQUESTS;
  });
}

function figuresOf({ kilobytes, ...bounds }: Size, warm: Samples, cold: Samples): Figure[] {
  const what = `CPU per step, ${kilobytes} KB context`;
  const inMs = { unit: 'ms', digits: 2 };
  return [
    {
      what: `${what}: factor below the plain stack`,
      unit: '×',
      measured: atLeast(bounds.warm, ratios(warm.plain, warm.stepwise)),
      cold: atLeast(bounds.cold, ratios(cold.plain, cold.stepwise)),
    },
    {
      what: `${what}: this service`,
      ...inMs,
      measured: { samples: warm.stepwise },
      cold: { samples: cold.stepwise },
    },
    {
      what: `${what}: plain stack`,
      ...inMs,
      measured: { samples: warm.plain },
      cold: { samples: cold.plain },
    },
  ];
}
