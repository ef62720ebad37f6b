import { atLeast, type Figure, stated } from '../figures.js';
import { newContext, playRun, type RunContext, STEPS } from '../inputs/ten-step-run.js';
import { interleave } from '../measure/rounds.js';
import { ratios } from '../measure/samples.js';
import { type StackProcess, startStack } from '../measure/stack-process.js';

interface Size {
  readonly kilobytes: number;
  /** All of the context fits, so that both stacks send all of it. */
  readonly tokenLimit: number;
  /** How many times less than the plain stack's. */
  readonly wanted: number;
  /**
   * Runs of each stack before the ones that are kept, until its figures have settled: V8 goes on compiling for two thousand
   * steps, on threads that count as well. The larger sizes find most of it done, but for the reading of long bodies.
   */
  readonly warmUp: number;
  readonly kept: number;
}

const sizes: readonly Size[] = [
  { kilobytes: 20, tokenLimit: 128_000, wanted: 6, warmUp: 200, kept: 15 },
  { kilobytes: 100, tokenLimit: 128_000, wanted: 15, warmUp: 25, kept: 9 },
  { kilobytes: 500, tokenLimit: 400_000, wanted: 20, warmUp: 2, kept: 5 },
];

/** CPU per step of ten-step runs, beside the plain stack: Express, js-tiktoken, the vendor's SDK. */
export async function run({ quick }: { quick: boolean }): Promise<Figure[]> {
  const upstream = await startStack('upstream');
  const options = { upstreamUrl: upstream.url };
  const stacks = { ours: await startStack('stepwise', options), plain: await startStack('plain', options) };
  const figures: Figure[] = [];
  for (const size of quick ? quickSizes : sizes) figures.push(...(await measureSize(stacks, size)));
  if (!quick) figures.push(await measureCut(stacks.ours));
  for (const stack of [upstream, stacks.ours, stacks.plain]) stack.stop();
  return figures;
}

/** Enough to see that the bench still runs. */
const quickSizes = sizes.slice(0, 1).map((size) => ({ ...size, warmUp: 1, kept: 1 }));

async function measureSize(stacks: Record<'ours' | 'plain', StackProcess>, size: Size): Promise<Figure[]> {
  const { kilobytes, tokenLimit, wanted } = size;
  const contexts = Array.from({ length: size.warmUp + size.kept }, () => newContext(kilobytes, tokenLimit));
  const { ours, plain } = await interleave(
    ['ours', 'plain'],
    size,
    (name, round) => cpuPerStep(stacks[name], contexts[round] as RunContext), // one of each round
  );
  const what = `CPU per step after ${size.warmUp} runs, ${kilobytes} KB context`;
  return [
    atLeast({ what: `${what}, less than the plain stack's`, unit: '×' }, wanted, ratios(plain, ours)),
    stated({ what: `${what}: this service`, unit: 'ms' }, ours),
    stated({ what: `${what}: plain stack`, unit: 'ms' }, plain),
  ];
}

/** The plain stack cannot cut a file: what does not fit it leaves out. */
async function measureCut(stack: StackProcess): Promise<Figure> {
  const { ours } = await interleave(['ours'], { warmUp: 1, kept: 5 }, () =>
    cpuPerStep(stack, newContext(500, 128_000)),
  );
  return stated(
    { what: 'CPU per step, 500 KB context cut into 128k tokens: this service', unit: 'ms' },
    ours,
  );
}

async function cpuPerStep(stack: StackProcess, context: RunContext): Promise<number> {
  await stack.spent();
  await playRun(stack.url, context);
  return (await stack.spent()).cpuMs / STEPS;
}
