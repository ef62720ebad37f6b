import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { TerminalToolError } from '../../sdk/actions/tool-errors.js';
import { type CommandMark, queueLimitOf, startOf } from './process-table.js';

/** A command that was started. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly mark: CommandMark;
  /** Resolves to the exit code or the signal; rejects where the shell cannot be started. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Milliseconds for the last output to arrive. */
const DRAIN_MS = 200;

const MARK_VARIABLE = 'STEPWISE_COMMAND';

/** Keys and the service's token are the run's, not the commands'. A key may stand under any name of a vendor's but its address's. */
export const secretVariables = /^(?:STEPWISE_(?:LLM_KEY|TOKEN)|(?:OPENAI|ANTHROPIC)_(?!UPSTREAM_URL$).*)$/i;

const isWindows = process.platform === 'win32';

/** Starts a shell in a process group of its own, without terminal and input. */
export function startCommand(
  command: string,
  folder: string,
  onOutput: (chunk: Buffer) => void,
): RunningCommand {
  const [word, queueLimit] = [randomUUID(), freeQueueLimit()];
  const [shell, ...args] = shellFor(command, queueLimit);
  const child = spawn(shell, args, {
    cwd: folder,
    env: commandEnvironment(word),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
  });
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new TerminalToolError('SYSTEM_ERROR', 'The shell cannot be started.', { cause })),
    );
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
    // A process left in the background holds the pipes open: the shell's own end is what counts.
    child.once('exit', (code, signal) => setTimeout(() => resolve(code ?? signal ?? 1), DRAIN_MS));
  });
  const since = child.pid === undefined ? 0 : startOf(child.pid);
  return { child, mark: { word, queueLimit, since }, ended };
}

/** One pipe for output and errors, so that they come in the order in which they were written. */
const RUN = 'eval "$0" 2>&1';
const RUN_LIMITED = `ulimit -S -q "$1" 2>/dev/null; shift; ${RUN}`;

function shellFor(command: string, queueLimit: number | undefined): [string, ...string[]] {
  if (!isWindows && queueLimit !== undefined) return ['bash', '-c', RUN_LIMITED, command, `${queueLimit}`];
  if (!isWindows) return [exists('bash') ? 'bash' : 'sh', '-c', RUN, command];
  const shell = exists('pwsh') ? 'pwsh' : 'powershell';
  return [shell, '-NoProfile', '-NonInteractive', '-Command', command];
}

/** At least half of what is allowed: that is enough for some queues, should a command use any. */
function freeQueueLimit(): number | undefined {
  if (process.platform !== 'linux' || !exists('bash')) return undefined;
  const allowed = Math.min(queueLimitOf('self') ?? 0, MAX_QUEUE_LIMIT);
  return allowed > 2 ? randomInt(Math.ceil(allowed / 2), allowed) : undefined;
}

/** In bytes, where the system sets no limit. */
const MAX_QUEUE_LIMIT = 2 ** 32;

const known = new Map<string, boolean>();

/** Asks the system once for each name. */
function exists(program: string): boolean {
  const found = known.get(program) ?? isFound(program);
  known.set(program, found);
  return found;
}

function isFound(program: string): boolean {
  const [finder, ...args] = isWindows ? ['where', program] : ['sh', '-c', `command -v ${program}`];
  return spawnSync(finder ?? '', args, { stdio: 'ignore' }).status === 0;
}

/** The person's environment without model keys, and without what would wait for a person. */
function commandEnvironment(mark: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !secretVariables.test(name));
  return {
    ...Object.fromEntries(kept),
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    TERM: 'dumb',
    ...markVariable(mark),
  };
}

/** By which a process is known; a command that runs commands of its own adds to what it was marked with. */
export const markVariable = (mark: string): NodeJS.ProcessEnv => ({
  [MARK_VARIABLE]: [process.env[MARK_VARIABLE], mark].filter(Boolean).join(' '),
});
