import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What the processes that a command starts have in common, in whatever session and under whatever parent. */
export interface CommandMark {
  /** Stands in the environment of each, unless it is taken out there. */
  readonly word: string;
  /**
   * The limit of each for POSIX message queues, in bytes: a number that nobody else has, and that goes from process
   * to process whatever becomes of the environment. Undefined where there is no such limit, or no bash to set it.
   */
  readonly queueLimit: number | undefined;
  /** When the first of them started, as `startOf` tells it: what is older belongs to somebody else. */
  readonly since: number;
}

/** A process that may be a command's. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isMarked: boolean;
}

/** Every process that runs and, on Linux, is not older than the command. */
export function listProcesses(mark: CommandMark): ProcessEntry[] {
  return process.platform === 'linux' ? listProc(mark) : listByPs();
}

function listProc(mark: CommandMark): ProcessEntry[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.flatMap((name) => {
    try {
      return readProc(Number(name), mark);
    } catch {
      return []; // it ended meanwhile
    }
  });
}

function readProc(pid: number, mark: CommandMark): ProcessEntry[] {
  const { state, parent, group, start } = readStat(pid);
  if (state === 'Z' || state === 'X' || start < mark.since) return [];
  return [{ pid, parent, group, isMarked: hasMark(pid, mark) }];
}

/** The fields of proc_pid_stat(5) from after the name, which may hold anything. */
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

/** `starttime`, field 22 of the whole. */
const START_FIELD = 19;

/** When a process started, in ticks since the system did; 0 where the system does not say it. */
export function startOf(pid: number): number {
  try {
    return readStat(pid).start;
  } catch {
    return 0;
  }
}

const hasMark = (pid: number, { word, queueLimit }: CommandMark): boolean =>
  environmentOf(pid).includes(word) || (queueLimit !== undefined && queueLimitOf(pid) === queueLimit);

/** Empty where it may not be read: what runs under other rights is found by its parent only. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** The limit of a process for POSIX message queues, in bytes; undefined where the system does not say it. */
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
