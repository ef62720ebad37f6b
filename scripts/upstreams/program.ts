import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../test/support/until.js';

const START_TIMEOUT_MS = 180_000;
const INSTALL_TIMEOUT_MS = 300_000;

/** A server that runs in a process of its own. */
export interface Program {
  /** Ends the process. Resolves when it has ended. */
  stop(): Promise<void>;
}

interface StartOptions {
  readonly folder: string;
  /**
   * Environment variables in addition to `PATH`. The process inherits no others, so that it cannot find a key of
   * the person who runs this script.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** URL that answers as soon as the server is ready. */
  readonly ready: string;
}

/**
 * Starts a server and waits until it answers. If it exits or does not answer in time, throws an error with the end
 * of its output. The server's environment contains no proxy and no key.
 */
export async function startProgram(
  command: string,
  words: readonly string[],
  { folder, env = {}, ready }: StartOptions,
): Promise<Program> {
  const child = spawn(command, words, {
    cwd: folder,
    // The server's standard input is a pipe, so that a server that reads it stops when this process ends.
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
  });
  const output = tailOf(child);
  const program = { stop: () => stop(child) };
  try {
    await until(
      async () => {
        if (child.exitCode !== null) return true;
        return (await fetch(ready, { signal: AbortSignal.timeout(2_000) })).ok;
      },
      Boolean,
      START_TIMEOUT_MS,
    );
  } catch (error) {
    await program.stop();
    throw new Error(`${command} did not answer: ${String(error)}\n${output()}`);
  }
  if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${output()}`);
  return program;
}

const MAX_TAIL = 2_000;

function tailOf({ stdout, stderr }: ChildProcess): () => string {
  let tail = '';
  for (const stream of [stdout, stderr])
    stream?.on('data', (data: Buffer) => {
      tail = (tail + data.toString()).slice(-MAX_TAIL);
    });
  return () => tail;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}

/** Installs Python packages into an environment of their own, once for each list of packages. Returns its folder. */
export function installPython(folder: string, packages: readonly string[]): string {
  return installOnce(folder, packages, () => {
    run(folder, 'python3', '-m', 'venv', '.');
    run(folder, 'bin/pip', 'install', '--quiet', '--disable-pip-version-check', ...packages);
  });
}

/**
 * Installs npm packages, by default without running their scripts, once for each list of packages. Returns their
 * folder.
 */
export function installNode(
  folder: string,
  packages: readonly string[],
  { runsScripts = false } = {},
): string {
  return installOnce(folder, packages, () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    run(
      folder,
      'npm',
      ...[
        'install',
        ...(runsScripts ? [] : ['--ignore-scripts']),
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        ...packages,
      ],
    );
  });
}

/**
 * Runs `install` unless the folder already contains these packages. An empty file that names the packages is written
 * last, so that an interrupted installation is repeated.
 */
function installOnce(folder: string, packages: readonly string[], install: () => void): string {
  const mark = join(folder, `installed ${packages.join(' ').replaceAll('/', '+')}`);
  if (existsSync(mark)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  console.error(`installing ${packages.join(', ')} …`);
  install();
  writeFileSync(mark, '');
  return folder;
}

function run(folder: string, command: string, ...words: string[]): void {
  // Because standard error is a pipe, the error of a failed command contains what the command wrote to it.
  execFileSync(command, words, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: INSTALL_TIMEOUT_MS,
  });
}
