import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { type CommandMark, listProcesses } from './process-table.js';
import type { RunningCommand } from './start-command.js';

/**
 * Time between SIGTERM and SIGKILL. It is also the time within which the system must have removed the killed
 * processes.
 */
const TERM_MS = 500;
const KILL_MS = 1_000;
const POLL_MS = 25;

/** Number of times that all processes are listed and killed at exit, because they may start new ones meanwhile. */
const KILL_ROUNDS = 10;

/** A started command, and the mark that identifies its descendants. */
type Started = Pick<RunningCommand, 'child' | 'mark'>;

/** Started commands whose processes may still be running. */
const live = new Set<Started>();

/** Registers a command whose processes must be killed when this process exits. */
export function killOnExit(command: Started): void {
  if (live.size === 0) process.on('exit', killLive);
  live.add(command);
}

/**
 * Ends all processes of a command with SIGTERM, then SIGKILL. Resolves when none is left, or after 1.5 seconds if
 * the system cannot remove them.
 *
 * The processes of a command are its process group, all descendants, and on Linux every process with the command's
 * mark, even in another session or with another parent (`setsid`, `nohup`, `env -i`, a daemon that forked twice).
 * Processes that another program starts on behalf of the command (`cron`, `systemd-run`, a container) are not
 * included.
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

/** Kills all registered commands. This function must be synchronous, because an exit handler cannot wait. */
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
  const signalled = new Set<number>();
  for (let waited = 0; waited < TERM_MS + KILL_MS; waited += POLL_MS) {
    const left = processesOf(shell, mark);
    if (left.length === 0) return;
    const isTerm = waited < TERM_MS;
    for (const pid of left) if (!isTerm || !signalled.has(pid)) signal(pid, isTerm ? 'SIGTERM' : 'SIGKILL');
    for (const pid of left) signalled.add(pid);
    await wait(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended, or its id now belongs to a process of another user.
  }
}

/** Ends a process and its descendants on Windows, which has no process groups. */
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
