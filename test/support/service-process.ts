import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** The service in a process of its own, started by `main`. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Output so far. */
  readonly output: { stdout: string; stderr: string };
  /** Log of the service as a stream. */
  readonly stdout: Readable;
  /** Returns the resident memory in bytes. */
  residentBytes(): Promise<number>;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
}

const main = new URL('../../src/service/main.js', import.meta.url).pathname;

/** Variables that make the service use the provider at this address. */
export const upstreamsAt = (url: string): Record<string, string> => ({
  OPENAI_UPSTREAM_URL: `${url}/v1`,
  ANTHROPIC_UPSTREAM_URL: url,
});

/**
 * Starts the service on a free port and resolves when it listens. It inherits no environment; `openFiles` limits its file
 * descriptors.
 */
export async function startServiceProcess(
  environment: Record<string, string>,
  { openFiles }: { openFiles?: number } = {},
): Promise<ServiceProcess> {
  const [command, ...args] =
    openFiles === undefined
      ? [process.execPath, main]
      : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$1"`, process.execPath, main];
  const child = spawn(command ?? '', args, {
    env: { PORT: '0', OFFLINE_MODEL: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output.stderr += text;
      const address = /listens on (\S+)/.exec(output.stderr)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', () => reject(new Error(`The service did not start: ${output.stderr}`)));
  });
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    output,
    stdout: child.stdout,
    residentBytes: () => residentBytes(pid),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function residentBytes(pid: number): Promise<number> {
  const ps = spawn('ps', ['-o', 'rss=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let kibibytes = '';
  ps.stdout.setEncoding('utf8').on('data', (text) => {
    kibibytes += text;
  });
  await once(ps, 'close');
  return Number(kibibytes) * 1024;
}
