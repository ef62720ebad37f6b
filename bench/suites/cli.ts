import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atMost, type Figure } from '../figures.js';

const ROUNDS = 15;
const WANTED_MS = 400;

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/** As a person types them. */
const commandLines: readonly (readonly string[])[] = [
  ['--help'],
  ['tool', 'list_files', '--dir', 'examples/shop'],
  ['How is the discount calculated?', '--dir', 'examples/shop'],
];

/** From the start of the process to the first that is seen, on either output; one command after the other. */
export async function run({ quick }: { quick: boolean }): Promise<Figure[]> {
  const samples = commandLines.map((): number[] => []);
  for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
    for (const [index, args] of commandLines.entries()) samples[index]?.push(await firstPaintMs(args));
  }
  return commandLines.map((args, index) =>
    atMost(
      { what: `CLI start to first paint: stepwise ${args.slice(0, 2).join(' ')}`, unit: 'ms', digits: 0 },
      WANTED_MS,
      samples[index] ?? [],
    ),
  );
}

async function firstPaintMs(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
  const painted = performance.now() - began;
  child.kill();
  await ended;
  return painted;
}
