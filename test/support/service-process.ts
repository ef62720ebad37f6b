import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** The service in a process of its own, as `main` starts it. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything that the process has printed so far. */
  readonly output: { stdout: string; stderr: string };
  /** The log as a stream. */
  readonly stdout: Readable;
  /** Resolves to the resident memory of the process in bytes. */
  residentBytes(): Promise<number>;
  /** Returns the maximum resident memory so far in bytes. Only Linux reports it. */
  peakBytes(): number;
  /** Sends SIGTERM. Resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Ends the process with SIGKILL, so that it cannot finish anything. */
  kill(): Promise<void>;
}

const main = new URL('../../src/service/main.js', import.meta.url).pathname;

/** Returns the settings by which the service uses a fake provider. */
export const upstreamsAt = (url: string): Record<string, string> => ({
  OPENAI_UPSTREAM_URL: `${url}/v1`,
  ANTHROPIC_UPSTREAM_URL: url,
});

/**
 * Starts the process on a free port. Resolves when it listens. The process gets no environment variables except
 * the given ones, and may open at most `openFiles` files. `node` is the program of another Node version.
 */
export async function startServiceProcess(
  environment: Record<string, string>,
  { openFiles, node = process.execPath }: { openFiles?: number; node?: string } = {},
): Promise<ServiceProcess> {
  const [command, ...args] =
    openFiles === undefined
      ? [node, main]
      : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$1"`, node, main];
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
    peakBytes: () => peakBytes(pid),
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

function peakBytes(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
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
