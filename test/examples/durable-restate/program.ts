import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from '../../support/until.js';

interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** The complete environment; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  isUp(): Promise<boolean>;
  /** Receives each line of standard output. */
  onLine?(line: string): void;
}

/** A program that can be killed and restarted with the same settings. */
export class Program {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  /** Resolves once the program is ready. */
  async start(): Promise<void> {
    const { command, args, folder, environment, isUp, onLine = () => {} } = this.#options;
    const env = { PATH: process.env['PATH'], ...environment };
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    createInterface(child.stdout).on('line', onLine);
    // Workers report each broken connection at length, so errors are kept for a failed start only.
    let trouble = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      trouble = (trouble + text).slice(-2_000);
    });
    await until(async () => child.exitCode !== null || (await isUp()), Boolean, 60_000);
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${trouble}`);
  }

  /** Kills the program with SIGKILL, so it cannot clean up. Resolves when it has exited and its output is read. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}
