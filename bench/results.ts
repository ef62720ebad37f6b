import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type Figure, tableOf } from './figures.js';

const file = 'bench/RESULTS.md';
const compared = ['express', 'openai', '@anthropic-ai/sdk', 'undici', 'js-tiktoken'];

/** What everything was measured with. */
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

/** Writes the file anew: all of it comes from the run. */
export function writeResults(figures: readonly Figure[]): void {
  writeFileSync(file, `${heading}\n${describeRun()}\n\n${tableOf(figures)}\n`);
  console.log(`\nwritten to ${file}`);
}

const heading = `# Results

\`npm run bench\` writes this file; nothing in it is written by hand. Every service runs in a process of its own, the fake
provider and the caller in others. What is compared takes turns, round by round; a ratio is taken within its round.
*Measured* is the median of the rounds, *spread* goes from the first quartile to the third (and says of how many). CPU is
user and system time of the whole process, \`process.cpuUsage\`. The service logs as it does by default; the others log nothing.

- *plain stack*: Express, js-tiktoken over every section, the vendor's SDK, a regular expression (\`bench/stacks/plain-stack.ts\`).
- *Express + SDK*: \`express.json\`, one client of the vendor's SDK per request with the caller's key; counts, cuts and parses
  nothing (\`bench/stacks/relay-stack.ts\`).
- *node:http + undici*: bytes through, or one JSON body read and written again: the floor (\`bench/stacks/floor-stack.ts\`).

The texts are zod's own sources, each part sent in one run only: when all are used they come again under other names.
`;
