/**
 * Tries a small language model: how often a step acts in each protocol, with and without the worked example; whether a
 * correction helps; and runs of several steps through the CLI. Writes docs/trials/small-model.md and .json. How to call it
 * stands in `trial/options.ts`, and `--help` prints it. Not a part of any check.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tryRuns } from './trial/cli-runs.js';
import { tryFirstSteps } from './trial/first-steps.js';
import { checkModel, type LocalModel, scratch, startLocalModel } from './trial/local-model.js';
import { readOptions, type TrialOptions, usage } from './trial/options.js';
import { type Recording, withTables } from './trial/report.js';
import { trySecondSteps } from './trial/second-steps.js';
import { startTrialService } from './trial/trial-service.js';

const page = 'docs/trials/small-model.md';

/** Keeps what there is after each part, in a file of its own: the whole takes an hour on a busy machine. */
async function tryModel(url: string, { counts, recording: file }: TrialOptions): Promise<void> {
  await checkModel(url);
  const kept = file ?? join(scratch, 'recording.json');
  let recording: Recording = {
    date: new Date().toISOString().slice(0, 10),
    steps: [],
    corrected: [],
    runs: [],
  };
  const keep = (part: Partial<Recording>): void => {
    recording = { ...recording, ...part };
    write(kept, recording);
  };
  const service = await startTrialService(url);
  keep({ steps: await tryFirstSteps(service, counts.steps) });
  keep({ corrected: await trySecondSteps(service, counts.corrections) });
  await service.close();
  for (const protocol of ['text', 'json'] as const)
    keep({ runs: [...recording.runs, ...(await tryRuns(url, protocol, counts.runs))] });
  if (!file) publish(recording);
}

function write(file: string, recording: Recording): void {
  writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
}

/** The page and its recording say the same: both change, and only once everything was tried. */
function publish(recording: Recording): void {
  const file = 'docs/trials/small-model.json';
  const text = withTables(readFileSync(page, 'utf8'), recording);
  write(file, recording);
  execFileSync(resolve('node_modules/.bin/biome'), ['format', '--write', file]);
  writeFileSync(page, text);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return console.log(usage);
  mkdirSync(scratch, { recursive: true });
  const model: LocalModel = options.url
    ? { url: options.url, stop: () => undefined }
    : await startLocalModel();
  try {
    await tryModel(model.url, options);
  } finally {
    model.stop();
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
