import { commonPrefix, keptSteps, type RunShape, recordRun } from '../../test/support/recorded-run.js';
import { startWholeService } from '../../test/support/whole-service.js';
import { atMost, type Figure } from '../figures.js';

/**
 * Measures which share of a step's prompt repeats the prompt of the step before, from the bodies that the provider
 * received.
 */
export async function run(): Promise<Figure[]> {
  console.log(
    '\nStable prompt between steps, in the bodies that the provider received (tasks and focus changing):',
  );
  const service = await startWholeService();
  const rows: Record<string, ReturnType<typeof stabilityOf>> = {};
  for (const vendor of ['openai', 'anthropic'] as const) {
    for (const [steps, tokenLimit] of [
      [10, 8_000],
      [40, 8_000],
      [10, 32_000],
      [40, 32_000],
    ] as const) {
      const lines = (step: number) => (vendor === 'openai' ? 70 : 40) + (step % 5) * 10;
      const shape: RunShape = { vendor, protocol: 'text', steps, tokenLimit, lines };
      const name = `${vendor}, ${steps} steps at ${tokenLimit / 1_000}k`;
      rows[name] = stabilityOf(await recordRun([service], shape));
    }
  }
  await service.close();
  console.table(rows);
  const cuts = Object.entries(rows)
    .filter(([name]) => name.endsWith('40 steps at 32k'))
    .map(([, row]) => row.cuts / 4);
  return [
    { what: 'changes of the prompt prefix in ten steps at 32k', unit: 'cuts', measured: atMost(1, cuts) },
  ];
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
