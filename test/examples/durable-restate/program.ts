import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from '../../support/until.js';

interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** All of it; it sees no other. */
  readonly environment: Readonly<Record<string, string>>;
  isUp(): Promise<boolean>;
  /** Takes each line of its standard output. */
  onLine?(line: string): void;
}

/** A program that is killed, and started again just as it was. */
export class Program {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  /** Resolves when it is up. */
  async start(): Promise<void> {
    const { command, args, folder, environment, isUp, onLine = () => {} } = this.#options;
    const env = { PATH: process.env['PATH'], ...environment };
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    createInterface(child.stdout).on('line', onLine);
    // What breaks off all around them is told by workers at length.
    let trouble = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      trouble = (trouble + text).slice(-2_000);
    });
    await until(async () => child.exitCode !== null || (await isUp()), Boolean, 60_000);
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${trouble}`);
  }

  /** With SIGKILL: it is told nothing and finishes nothing. Resolves when it is gone and all it printed is read. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}
