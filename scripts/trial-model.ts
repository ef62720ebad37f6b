/**
 * Tries a small language model: how often a step acts in each protocol, with and without the worked example; whether a
 * correction helps; and runs of several steps through the CLI. Writes docs/trials/small-model.md and .json.
 *
 *     npm run trial:model                                   fetches a model and its server, and starts them
 *     npm run trial:model -- --url http://127.0.0.1:8000/v1 a server of yours that speaks Chat Completions
 *     npm run trial:model -- --steps 4 --corrections 0 --runs 0 --recording /tmp/some.json
 *
 * The first form needs Python 3.10 or later and a package registry; 300 MB are kept below node_modules/.cache. The server must take
 * a schema as llama.cpp's does. With `--recording` the page is left as it is. Not a part of any check.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tryRuns } from './trial/cli-runs.js';
import { tryFirstSteps } from './trial/first-steps.js';
import { type LocalModel, startLocalModel } from './trial/local-model.js';
import { type Recording, withTables } from './trial/report.js';
import { trySecondSteps } from './trial/second-steps.js';
import { startTrialService } from './trial/trial-service.js';

const page = 'docs/trials/small-model.md';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    steps: { type: 'string', default: '24' },
    corrections: { type: 'string', default: '20' },
    runs: { type: 'string', default: '20' },
    recording: { type: 'string' },
  },
});

const counts = {
  steps: Number(options.steps),
  corrections: Number(options.corrections),
  runs: Number(options.runs),
};

/** Keeps what there is after each part: the whole takes an hour on a busy machine. */
async function tryModel(url: string): Promise<void> {
  let recording: Recording = {
    date: new Date().toISOString().slice(0, 10),
    steps: [],
    corrected: [],
    runs: [],
  };
  const keep = (part: Partial<Recording>): void => {
    recording = { ...recording, ...part };
    write(recording);
  };
  const service = await startTrialService(url);
  keep({ steps: await tryFirstSteps(service, counts.steps) });
  keep({ corrected: await trySecondSteps(service, counts.corrections) });
  await service.close();
  for (const protocol of ['text', 'json'] as const)
    keep({ runs: [...recording.runs, ...(await tryRuns(url, protocol, counts.runs))] });
}

function write(recording: Recording): void {
  const file = options.recording ?? 'docs/trials/small-model.json';
  writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
  execFileSync(resolve('node_modules/.bin/biome'), ['format', '--write', '--no-errors-on-unmatched', file]);
  if (!options.recording) writeFileSync(page, withTables(readFileSync(page, 'utf8'), recording));
}

const model: LocalModel = options.url ? { url: options.url, stop: () => undefined } : await startLocalModel();
try {
  await tryModel(model.url);
} finally {
  model.stop();
}
