import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type Figure, tableOf } from './figures.js';
import { COLD_REQUESTS, WARM_UP_REQUESTS } from './measure/rounds.js';

const file = 'bench/RESULTS.md';
const compared = ['express', 'openai', '@anthropic-ai/sdk', 'undici', 'js-tiktoken'];

/** Returns a description of the run: the date, the machine, and the compared versions. */
export function describeRun(): string {
  const versions = compared.map((name) => `${name} ${versionOf(`node_modules/${name}`)}`);
  const gateway = `@portkey-ai/gateway ${versionOf('bench/peers/node_modules/@portkey-ai/gateway')}`;
  const processors = cpus();
  return [
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}`,
    `${processors.length} × ${processors[0]?.model.trim()}`,
    [...versions, gateway].join(', '),
  ].join('; ');
}

function versionOf(folder: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return version;
}

export function writeResults(figures: readonly Figure[]): void {
  writeFileSync(file, `${heading}\n${describeRun()}\n\n${tableOf(figures)}\n`);
  console.log(`\nFigures written to ${file}`);
}

const heading = `# Results

\`npm run bench\` writes this file; nothing in it is written by hand. Every stack runs in a process of its own, the fake
provider and the caller in others. Stacks that are compared take turns, round by round, and a ratio is taken within its round.
*Measured* is the median of the rounds, *spread* their first to third quartile and their number. CPU is user and system time of
the whole process (\`process.cpuUsage\`). The service logs as it does by default; the others log nothing.

*Warm-up*: every stack of a comparison answers ${WARM_UP_REQUESTS.toLocaleString('en')} steps or requests before the first one that counts.
*Cold*: the first ${COLD_REQUESTS} steps or requests of a fresh process, its start excluded.

- *plain stack*: Express, js-tiktoken over every section, the vendor's SDK, a regular expression (\`bench/stacks/plain-stack.ts\`).
- *Express + SDK*: \`express.json\` and one client of the vendor's SDK per request, with the caller's key; counts, cuts and parses
  nothing (\`bench/stacks/relay-stack.ts\`).
- *Portkey*: the gateway as its own command starts it (\`bench/stacks/portkey-stack.ts\`).

The texts are zod's own sources. Each part is sent in one run only; when all parts are used, they come again under other names.
`;
