import { type Figure, tableOf } from './figures.js';
import type { BenchOptions } from './measure/rounds.js';
import { installPeers } from './peers.js';
import { describeRun, writeResults } from './results.js';

type Suite = () => Promise<{ run: (options: BenchOptions) => Promise<readonly Figure[]> }>;

const suites: Readonly<Record<string, Suite>> = {
  step: () => import('./suites/step.js'),
  relay: () => import('./suites/relay.js'),
  flight: () => import('./suites/flight.js'),
  start: () => import('./suites/start.js'),
  'event-loop': () => import('./suites/event-loop.js'),
  parser: () => import('./suites/parser.js'),
  tokens: () => import('./suites/tokens.js'),
  context: () => import('./suites/context.js'),
  terminal: () => import('./suites/terminal.js'),
  faults: () => import('./suites/faults.js'),
};

const usage = `usage: npm run bench                      all suites; writes bench/RESULTS.md
       npm run bench -- SUITE …           ${Object.keys(suites).join(', ')}
       npm run bench -- --quick [SUITE …] only shows that they run`;

async function main(words: readonly string[]): Promise<void> {
  const names = words.filter((word) => word !== '--quick');
  if (!names.every((name) => Object.hasOwn(suites, name))) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const quick = words.includes('--quick');
  const isWhole = names.length === 0;
  if (isWhole) installPeers();
  const figures = await runSuites(isWhole ? Object.keys(suites) : names, { quick });
  if (isWhole && !quick) writeResults(figures);
}

async function runSuites(names: readonly string[], options: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of names) {
    const start = performance.now();
    const suite = await suites[name]?.();
    const own = (await suite?.run(options)) ?? [];
    console.log(`\n${name}, ${Math.round((performance.now() - start) / 1_000)} s\n\n${tableOf(own)}`);
    figures.push(...own);
  }
  if (names.length > 1) console.log(`\n${describeRun()}\n\n${tableOf(figures)}`);
  return figures;
}

await main(process.argv.slice(2));
