import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { type CommandMark, listProcesses } from './process-table.js';
import type { RunningCommand } from './start-command.js';

/** Milliseconds for processes to end by themselves when asked, and then for the system to remove them. */
const POLITE_MS = 500;
const KILL_MS = 1_000;
const POLL_MS = 25;

/** Looks at what is left when there is no time to ask: more than a family that forks meanwhile needs. */
const KILL_ROUNDS = 10;

/** What was started, and how all that comes of it is known. */
type Started = Pick<RunningCommand, 'child' | 'mark'>;

/** Commands of which something may still run. */
const live = new Set<Started>();

/** From here on nothing of the command outlives this process: what runs at its exit is killed there and then. */
export function endWithProcess(command: Started): void {
  if (live.size === 0) process.on('exit', killLive);
  live.add(command);
}

/**
 * Ends everything that is left of a command: first asked, then killed. Resolves when nothing of it runs, or after
 * a second and a half if the system does not let go of it.
 *
 * What belongs to a command: its process group, every descendant, and on Linux everything that carries its mark, in
 * whatever session and under whatever parent by now (`setsid`, `nohup`, `env -i`, a daemon that forked twice). What
 * another program starts for it (`cron`, `systemd-run`, a container) was never the command's.
 */
export async function endCommand(command: Started): Promise<void> {
  const { child } = command;
  if (child.pid !== undefined) {
    if (process.platform === 'win32') endTree(child.pid);
    else await endAll(child.pid, command.mark);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
  live.delete(command);
  if (live.size === 0) process.off('exit', killLive);
}

/** At the exit of the process nothing can be waited for. */
function killLive(): void {
  for (const { child, mark } of live) {
    if (child.pid === undefined) continue;
    if (process.platform === 'win32') endTree(child.pid);
    else killAll(child.pid, mark);
  }
}

function killAll(shell: number, mark: CommandMark): void {
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const left = processesOf(shell, mark);
    if (left.length === 0) return;
    for (const pid of left) signal(pid, 'SIGKILL');
  }
}

async function endAll(shell: number, mark: CommandMark): Promise<void> {
  const asked = new Set<number>();
  for (let waited = 0; waited < POLITE_MS + KILL_MS; waited += POLL_MS) {
    const left = processesOf(shell, mark);
    if (left.length === 0) return;
    const isPolite = waited < POLITE_MS;
    for (const pid of left) if (!isPolite || !asked.has(pid)) signal(pid, isPolite ? 'SIGTERM' : 'SIGKILL');
    for (const pid of left) asked.add(pid);
    await wait(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself, or belongs to somebody else by now.
  }
}

/** Windows has no process groups: the tree below the process is ended. */
const endTree = (pid: number) =>
  spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });

function processesOf(shell: number, mark: CommandMark): number[] {
  const all = listProcesses(mark);
  const ours = new Set<number>(
    all
      .filter(({ pid, group, isMarked }) => pid === shell || group === shell || isMarked)
      .map(({ pid }) => pid),
  );
  for (let size = -1; size < ours.size; ) {
    size = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return [...ours].filter((pid) => pid !== process.pid);
}
