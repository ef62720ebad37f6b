import { atLeast, type Figure, stated } from '../figures.js';
import { newContext, playRun, type RunContext, STEPS } from '../inputs/ten-step-run.js';
import { atOnce } from '../measure/client.js';
import { type BenchOptions, interleave } from '../measure/rounds.js';
import { ratios } from '../measure/samples.js';
import { type StackProcess, startStack } from '../measure/stack-process.js';

interface Size {
  readonly kilobytes: number;
  /** All of the context fits, so that both stacks send all of it. */
  readonly tokenLimit: number;
  /** How many times less than the plain stack's. */
  readonly wanted: number;
  /** Runs of each stack at this size before those that are kept: longer bodies are read in ways of their own. */
  readonly first: number;
  readonly kept: Record<'few' | 'many', number>;
}

const sizes: readonly Size[] = [
  { kilobytes: 20, tokenLimit: 128_000, wanted: 6, first: 0, kept: { few: 7, many: 15 } },
  { kilobytes: 100, tokenLimit: 128_000, wanted: 15, first: 3, kept: { few: 5, many: 9 } },
  { kilobytes: 500, tokenLimit: 400_000, wanted: 20, first: 1, kept: { few: 3, many: 5 } },
];

type Stacks = Readonly<Record<'ours' | 'plain', StackProcess>>;

/**
 * Runs of 20 KB until the figures of a stack have settled, of both at the same time. V8 goes on compiling for four thousand
 * steps of ours, on threads that count as well: run by run they fall from 4.6 ms to 2.3. The plain stack spends its time in
 * few functions, and takes as much in its eightieth run as in its tenth.
 */
const WARM_UP = { ours: 400, plain: 40 };
const WARM_UP_AT_ONCE = 4;

/** CPU per step of ten-step runs, beside the plain stack: Express, js-tiktoken, the vendor's SDK. */
export async function run({ quick, few }: BenchOptions): Promise<Figure[]> {
  const upstream = await startStack('upstream');
  const options = { upstreamUrl: upstream.url };
  const stacks = { ours: await startStack('stepwise', options), plain: await startStack('plain', options) };
  if (!quick) await Promise.all([warmUp(stacks.ours, WARM_UP.ours), warmUp(stacks.plain, WARM_UP.plain)]);
  const figures: Figure[] = [];
  for (const size of quick ? sizes.slice(0, 1) : sizes)
    figures.push(...(await measureSize(stacks, size, { kept: quick ? 1 : size.kept[few ? 'few' : 'many'] })));
  if (!quick) figures.push(await measureCut(stacks.ours));
  for (const stack of [upstream, stacks.ours, stacks.plain]) stack.stop();
  return figures;
}

function warmUp(stack: StackProcess, runs: number): Promise<void> {
  return atOnce(WARM_UP_AT_ONCE, runs, () => playRun(stack.url, newContext(20, 128_000)));
}

async function measureSize(
  stacks: Stacks,
  { kilobytes, tokenLimit, wanted, first }: Size,
  { kept }: { readonly kept: number },
): Promise<Figure[]> {
  const contexts = Array.from({ length: first + kept }, () => newContext(kilobytes, tokenLimit));
  const { ours, plain } = await interleave(
    ['ours', 'plain'],
    { warmUp: first, kept },
    (name, round) => cpuPerStep(stacks[name], contexts[round] as RunContext), // one of each round
  );
  const what = `CPU per step, ${kilobytes} KB context`;
  return [
    atLeast({ what: `${what}, less than the plain stack's`, unit: '×' }, wanted, ratios(plain, ours)),
    stated({ what: `${what}: this service, warm by ${WARM_UP.ours} runs`, unit: 'ms' }, ours),
    stated({ what: `${what}: plain stack, warm by ${WARM_UP.plain} runs`, unit: 'ms' }, plain),
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
