import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { TerminalToolError } from '../../sdk/actions/tool-errors.js';

export interface ProcessGroup {
  readonly child: ChildProcess;
  /** Resolves to the exit code or the signal; rejects where the shell cannot be started. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Milliseconds for a group to end by itself when asked, and for its last output to arrive. */
const politeMs = 500;
const drainMs = 200;
const pollMs = 20;

/** Model keys are the run's, not the commands'. */
const secretVariables = /^(?:STEPWISE_LLM_KEY|(?:OPENAI|ANTHROPIC)_.*)$/;

const isWindows = process.platform === 'win32';

/** Starts a shell in a process group of its own, without terminal and input. */
export function startCommand(
  command: string,
  folder: string,
  onOutput: (chunk: Buffer) => void,
): ProcessGroup {
  const [shell, ...args] = shellFor(command);
  const child = spawn(shell, args, {
    cwd: folder,
    env: commandEnvironment(),
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
    child.once('exit', (code, signal) => setTimeout(() => resolve(code ?? signal ?? 1), drainMs));
  });
  return { child, ended };
}

/** Ends everything that is left of the group: first asked, then killed. Resolves when nothing of it runs. */
export async function endProcessGroup({ child }: ProcessGroup): Promise<void> {
  if (child.pid === undefined) return;
  if (isWindows) endTree(child.pid);
  else await endGroup(child.pid);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

async function endGroup(pid: number): Promise<void> {
  if (!signalGroup(pid, 'SIGTERM')) return;
  for (let waited = 0; waited < politeMs; waited += pollMs) {
    await wait(pollMs);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, 'SIGKILL');
}

/** False where no process of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Windows has no process groups: the tree below the process is ended. */
const endTree = (pid: number) =>
  spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });

function shellFor(command: string): [string, ...string[]] {
  // One pipe for output and errors, so that they come in the order in which they were written.
  if (!isWindows) return [exists('bash') ? 'bash' : 'sh', '-c', 'eval "$0" 2>&1', command];
  const shell = exists('pwsh') ? 'pwsh' : 'powershell';
  return [shell, '-NoProfile', '-NonInteractive', '-Command', command];
}

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
function commandEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !secretVariables.test(name));
  return {
    ...Object.fromEntries(kept),
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    TERM: 'dumb',
  };
}
