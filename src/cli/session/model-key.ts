import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { keysIn, secretVariables } from '../../tools/run/start-command.js';

const OWN_VARIABLE = 'STEPWISE_LLM_KEY';

/** Environment variables in which users of a vendor usually keep their key. */
const vendorVariables: readonly { readonly models: RegExp; readonly variable: string }[] = [
  { models: /^(?:anthropic\/)?claude/i, variable: 'ANTHROPIC_API_KEY' },
  { models: /^(?:openai\/)?(?:gpt|o\d|chatgpt|codex)/i, variable: 'OPENAI_API_KEY' },
];

/** A model key and the environment variable that has it. */
export interface FoundKey {
  readonly key: string;
  readonly variable: string;
}

/**
 * Finds the model key in `STEPWISE_LLM_KEY`, or else in the vendor's usual variable. A named upstream never gets
 * a vendor's key. A key is never an argument, because other processes see arguments and shells store them.
 */
export function findModelKey(
  model: string,
  {
    upstream,
    environment = process.env,
  }: { upstream?: string | undefined; environment?: NodeJS.ProcessEnv } = {},
): FoundKey | undefined {
  for (const variable of keyVariables(model, upstream)) {
    const key = environment[variable];
    if (key) return { key, variable };
  }
  return undefined;
}

/** Returns the vendor's variable, for a message about a missing key. */
export const keyVariable = (model: string): string | undefined =>
  vendorVariables.find(({ models }) => models.test(model))?.variable;

/** Returns the variables in which `findModelKey` looks for the key of a model, the preferred one first. */
export function keyVariables(model: string, upstream: string | undefined): readonly string[] {
  const vendor = upstream ? undefined : keyVariable(model);
  return vendor === undefined ? [OWN_VARIABLE] : [OWN_VARIABLE, vendor];
}

let origin = OWN_VARIABLE;

/** Remembers the variable from which the key in use was taken, for messages about it. */
export function rememberOrigin(variable: string): void {
  origin = variable;
}

/** Returns the variable from which the key in use was taken; `STEPWISE_LLM_KEY` if none was taken. */
export const keyOrigin = (): string => origin;

/** Keys that were in the environment, and whether commands can still find them there. */
export interface TakenKeys {
  readonly keys: NodeJS.ProcessEnv;
  /** False if the system still shows the keys to other processes of this user. */
  readonly areHidden: boolean;
}

/**
 * Removes the model keys from the environment of this process, so that no command of the model can read them. Deleting
 * a variable is not enough on Linux: `/proc/<pid>/environ` shows the memory with which the process was started, so
 * that memory is overwritten too.
 */
export function takeModelKeys(environment: NodeJS.ProcessEnv = process.env): TakenKeys {
  for (const key of keysIn(environment)) hideKey(key, environment);
  const names = Object.keys(environment).filter((name) => secretVariables.test(name));
  const keys = Object.fromEntries(names.map((name) => [name, environment[name]]));
  if (names.length === 0) return { keys, areHidden: true };
  const areHidden = process.platform === 'linux' ? overwriteInitialEnvironment(isKeyVariable) : false;
  for (const name of names) delete environment[name];
  return { keys, areHidden };
}

/** Keys that this process uses. */
const keysInUse = new Set<string>();

/** Returns the keys that this process uses, for the tools that start commands. */
export const usedKeys = (): readonly string[] => [...keysInUse];

/**
 * Hides a key that the person has entered from the commands that tools run: they neither inherit a variable
 * that contains it, nor find it in the memory with which this process was started. This process itself still
 * has those variables.
 */
export function hideKey(key: string, environment: NodeJS.ProcessEnv = process.env): void {
  keysInUse.add(key);
  const holds = (value: string | undefined): boolean => value?.includes(key) ?? false;
  const holders = Object.entries(environment).filter(([, value]) => holds(value));
  if (holders.length === 0 || process.platform !== 'linux') return;
  overwriteInitialEnvironment((_, value) => holds(value));
  // The values of these variables were in the overwritten memory, so they are set again.
  for (const [name, value] of holders) environment[name] = value;
}

const isKeyVariable = (name: string): boolean => secretVariables.test(name);

type IsSecret = (name: string, value: string) => boolean;

/** Overwrites secrets in the memory that `/proc/self/environ` shows. Returns true if no secret is left there. */
function overwriteInitialEnvironment(isSecret: IsSecret): boolean {
  try {
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      for (const { at, length } of secretValues(isSecret))
        writeSync(memory, Buffer.alloc(length), 0, length, at);
    } finally {
      closeSync(memory);
    }
    return secretValues(isSecret).length === 0;
  } catch {
    return false; // this system does not let a process write to its own memory
  }
}

/** Returns the positions of secrets in the memory that `/proc/self/environ` shows. */
function secretValues(isSecret: IsSecret): { at: number; length: number }[] {
  let at = startOfEnvironment();
  return readFileSync('/proc/self/environ', 'latin1')
    .split('\0')
    .flatMap((entry) => {
      const start = entry.indexOf('=') + 1;
      const value = entry.slice(start);
      const place = { at: at + start, length: value.length };
      at += entry.length + 1;
      return value !== '' && isSecret(entry.slice(0, start - 1), value) ? [place] : [];
    });
}

/**
 * Returns `env_start`, field 50 of proc_pid_stat(5). Fields are counted after the process name, the second field,
 * which may contain spaces.
 */
function startOfEnvironment(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[47]);
  if (!(start > 0)) throw new Error('The kernel does not say where the environment lies.');
  return start;
}
