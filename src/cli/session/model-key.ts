import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { secretVariables } from '../../tools/run/start-command.js';

const OWN_VARIABLE = 'STEPWISE_LLM_KEY';

/** Where a vendor's users keep their key. */
const vendorVariables: readonly { readonly models: RegExp; readonly variable: string }[] = [
  { models: /^(?:anthropic\/)?claude/i, variable: 'ANTHROPIC_API_KEY' },
  { models: /^(?:openai\/)?(?:gpt|o\d|chatgpt|codex)/i, variable: 'OPENAI_API_KEY' },
];

/**
 * The model key from the environment: ours, else the vendor's usual one. A named upstream never gets a vendor's
 * key. Never taken from an argument: arguments are seen by every process and kept by shells.
 */
export function findModelKey(
  model: string,
  {
    upstream,
    environment = process.env,
  }: { upstream?: string | undefined; environment?: NodeJS.ProcessEnv } = {},
): string | undefined {
  const variable = upstream ? undefined : keyVariable(model);
  return environment[OWN_VARIABLE] || (variable && environment[variable]) || undefined;
}

/** The variable to name when a key is missing. */
export const keyVariable = (model: string): string | undefined =>
  vendorVariables.find(({ models }) => models.test(model))?.variable;

/** The keys that were in the environment, and whether a command can still find them there. */
export interface TakenKeys {
  readonly keys: NodeJS.ProcessEnv;
  /** False if the system goes on showing them to other processes of this person. */
  readonly areHidden: boolean;
}

/**
 * Takes the model keys out of the environment of this process, so that no command of the model can read them: not
 * in what it inherits, and on Linux not in `/proc/<pid>/environ` either, which shows the memory that the process
 * was started with, whatever is deleted later. That memory is overwritten.
 */
export function takeModelKeys(environment: NodeJS.ProcessEnv = process.env): TakenKeys {
  const names = Object.keys(environment).filter((name) => secretVariables.test(name));
  const keys = Object.fromEntries(names.map((name) => [name, environment[name]]));
  if (names.length === 0) return { keys, areHidden: true };
  const areHidden = process.platform === 'linux' ? overwriteInitialEnvironment() : false;
  for (const name of names) delete environment[name];
  return { keys, areHidden };
}

/** True if no key is left in what the kernel shows of this process. */
function overwriteInitialEnvironment(): boolean {
  try {
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      for (const { at, length } of keyValues()) writeSync(memory, Buffer.alloc(length), 0, length, at);
    } finally {
      closeSync(memory);
    }
    return keyValues().length === 0;
  } catch {
    return false; // a system that does not let a process write to its own memory
  }
}

/** Where the values of keys lie in the memory that `/proc/self/environ` shows. */
function keyValues(): { at: number; length: number }[] {
  let at = startOfEnvironment();
  return readFileSync('/proc/self/environ', 'latin1')
    .split('\0')
    .flatMap((entry) => {
      const value = at + entry.indexOf('=') + 1;
      const length = entry.length - entry.indexOf('=') - 1;
      at += entry.length + 1;
      return length > 0 && secretVariables.test(entry.slice(0, entry.indexOf('=')))
        ? [{ at: value, length }]
        : [];
    });
}

/** `env_start`, field 50 of proc_pid_stat(5); the name, the second field, may hold anything. */
function startOfEnvironment(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[47]);
  if (!(start > 0)) throw new Error('The kernel does not say where the environment lies.');
  return start;
}
