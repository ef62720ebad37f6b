import { mkdirSync, writeFileSync } from 'node:fs';
import { newContext, playRun, STEPS } from './inputs/ten-step-run.js';
import { printProfile } from './measure/print-profile.js';
import { startStack } from './measure/stack-process.js';

const folder = 'bench/profiles';
const WARM_UP = 5;
const KEPT = 5;

/** Profiles warm ten-step runs over a context of this size: the file is a flame graph, the tables say where to look. */
export async function profileSteps(kilobytes: number): Promise<void> {
  const upstream = await startStack('upstream');
  const stack = await startStack('stepwise', { upstreamUrl: upstream.url });
  const play = async (runs: number): Promise<void> => {
    for (let run = 0; run < runs; run += 1) await playRun(stack.url, newContext(kilobytes, 400_000));
  };
  await play(WARM_UP);
  const profile = await stack.profile(() => play(KEPT));
  stack.stop();
  upstream.stop();
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/step-${kilobytes}kb-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.cpuprofile`;
  writeFileSync(file, JSON.stringify(profile));
  printProfile(profile, KEPT * STEPS);
  console.log(`\n${file}: open it in Chrome (DevTools, Performance, Load profile) or at speedscope.app`);
}
