import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Marks by which the processes of a command are recognised, even in another session or with another parent. */
export interface CommandMark {
  /**
   * Value of an environment variable that each process of the command inherits. A process that clears its environment
   * loses it.
   */
  readonly word: string;
  /**
   * Unusual limit for POSIX message queues, in bytes. Child processes inherit it even if the environment is
   * cleared. Undefined if the system has no such limit, or no bash by which to set it.
   */
  readonly queueLimit: number | undefined;
  /** Start time of the first process, as `startOf` returns it. Older processes cannot belong to the command. */
  readonly since: number;
}

/** A process that may belong to a command. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isMarked: boolean;
}

/** Lists the running processes. On Linux, lists only those that are not older than the command. */
export function listProcesses(mark: CommandMark): ProcessEntry[] {
  return process.platform === 'linux' ? listProc(mark) : listByPs();
}

function listProc(mark: CommandMark): ProcessEntry[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.flatMap((name) => {
    try {
      return readProc(Number(name), mark);
    } catch {
      return []; // the process has ended meanwhile
    }
  });
}

function readProc(pid: number, mark: CommandMark): ProcessEntry[] {
  const { state, parent, group, start } = readStat(pid);
  if (state === 'Z' || state === 'X' || start < mark.since) return [];
  return [{ pid, parent, group, isMarked: hasMark(pid, mark) }];
}

/**
 * Reads fields of the file that proc_pid_stat(5) describes. Begins after the process name, because the name may
 * contain any characters.
 */
function readStat(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0],
    parent: Number(fields[1]),
    group: Number(fields[2]),
    start: Number(fields[START_FIELD]),
  };
}

/** Index of `starttime` among the fields after the process name; it is field 22 of the whole file. */
const START_FIELD = 19;

/** Returns the start time of a process in clock ticks since boot; 0 if it is unavailable. */
export function startOf(pid: number): number {
  try {
    return readStat(pid).start;
  } catch {
    return 0;
  }
}

const hasMark = (pid: number, { word, queueLimit }: CommandMark): boolean =>
  environmentOf(pid).includes(word) || (queueLimit !== undefined && queueLimitOf(pid) === queueLimit);

/** Reads the environment of a process; empty if it belongs to another user. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** Returns the POSIX message queue limit of a process in bytes; undefined if it is unavailable. */
export function queueLimitOf(pid: number | 'self'): number | undefined {
  try {
    const limits = readFileSync(`/proc/${pid}/limits`, 'latin1');
    const [, limit] = /^Max msgqueue size +(\d+|unlimited) /m.exec(limits) ?? [];
    return limit === undefined ? undefined : Number(limit.replace('unlimited', 'Infinity'));
  } catch {
    return undefined;
  }
}

function listByPs(): ProcessEntry[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z'] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), isMarked: false }];
  });
}
