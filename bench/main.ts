import { type Figure, tableOf } from './figures.js';

interface BenchOptions {
  /** Only shows that the suite runs; its figures mean nothing. */
  readonly quick: boolean;
}

type Suite = () => Promise<{ run: (options: BenchOptions) => Promise<readonly Figure[]> }>;

/** In the order of `npm run bench`, which runs all. */
const suites: Readonly<Record<string, Suite>> = {
  step: () => import('./suites/step.js'),
  relay: () => import('./suites/relay.js'),
  holds: () => import('./suites/holds.js'),
  parser: () => import('./suites/parser.js'),
  tokens: () => import('./suites/tokens.js'),
  context: () => import('./suites/context.js'),
  faults: () => import('./suites/faults.js'),
};

const given = process.argv.slice(2);
const names = given.filter((name) => !name.startsWith('--'));
if (given.some((name) => name !== '--quick' && !Object.hasOwn(suites, name))) {
  console.error(`usage: npm run bench -- [--quick] [${Object.keys(suites).join('|')}] …`);
  process.exitCode = 2;
} else {
  await runSuites();
}

async function runSuites(): Promise<void> {
  const figures: Figure[] = [];
  for (const name of names.length > 0 ? names : Object.keys(suites)) {
    const start = performance.now();
    const own = (await (await suites[name]?.())?.run({ quick: given.includes('--quick') })) ?? [];
    console.log(`\n${name}, ${Math.round((performance.now() - start) / 1_000)} s\n\n${tableOf(own)}`);
    figures.push(...own);
  }
}
