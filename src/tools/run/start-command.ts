import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { encodedForms } from '../../network/encoded-forms.js';
import { TerminalToolError } from '../../sdk/actions/tool-errors.js';
import { type CommandMark, queueLimitOf, startOf } from './process-table.js';

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly mark: CommandMark;
  /** Resolves to the exit code, or to the signal that ended the shell. Rejects if the shell cannot be started. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Time to wait for the last output after the shell has exited. */
const DRAIN_MS = 200;

const MARK_VARIABLE = 'STEPWISE_COMMAND';

/**
 * Matches variables that commands do not inherit: the model key, the token of the service, and all variables of OpenAI
 * and Anthropic except the URL.
 */
export const secretVariables = /^(?:STEPWISE_(?:LLM_KEY|TOKEN)|(?:OPENAI|ANTHROPIC)_(?!UPSTREAM_URL$).*)$/i;

/**
 * Matches variables whose value is a key or a token. Other variables may contain the same value, and are hidden as
 * well.
 */
const keyVariables = /^(?:STEPWISE|OPENAI|ANTHROPIC)_(?:\w+_)?(?:KEY|TOKEN)$/i;

/** Minimum length of a key that is searched for in other variables. A shorter text may occur there by chance. */
const MIN_KEY_LENGTH = 8;

export const keysIn = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment).flatMap(([name, value = '']) =>
    keyVariables.test(name) && value.length >= MIN_KEY_LENGTH ? [value] : [],
  );

const isWindows = process.platform === 'win32';

/** The folder in which a command runs, and secrets that its environment must not contain. */
export interface CommandPlace {
  readonly folder: string;
  readonly secrets: readonly string[];
}

/** Starts a shell in its own process group, without a terminal and without input. */
export function startCommand(
  command: string,
  { folder, secrets }: CommandPlace,
  onOutput: (chunk: Buffer) => void,
): RunningCommand {
  const [word, queueLimit] = [randomUUID(), freeQueueLimit()];
  const [shell, ...args] = shellFor(command, queueLimit);
  const child = spawn(shell, args, {
    cwd: folder,
    env: commandEnvironment(word, secrets),
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
    // `close` alone is not enough, because a background process may keep the pipes open after the shell has
    // exited.
    child.once('exit', (code, signal) => setTimeout(() => resolve(code ?? signal ?? 1), DRAIN_MS));
  });
  const since = child.pid === undefined ? 0 : startOf(child.pid);
  return { child, mark: { word, queueLimit, since }, ended };
}

/** Merges standard error into standard output, so that the lines of both stay in order. */
const RUN = 'eval "$0" 2>&1';
const RUN_LIMITED = `ulimit -S -q "$1" 2>/dev/null; shift; ${RUN}`;

function shellFor(command: string, queueLimit: number | undefined): [string, ...string[]] {
  if (!isWindows && queueLimit !== undefined) return ['bash', '-c', RUN_LIMITED, command, `${queueLimit}`];
  if (!isWindows) return [exists('bash') ? 'bash' : 'sh', '-c', RUN, command];
  const shell = exists('pwsh') ? 'pwsh' : 'powershell';
  return [shell, '-NoProfile', '-NonInteractive', '-Command', command];
}

/**
 * Returns a random limit for message queues, by which the processes of a command are recognised. It is at least half of
 * the allowed limit, so that commands can still use message queues.
 */
function freeQueueLimit(): number | undefined {
  if (process.platform !== 'linux' || !exists('bash')) return undefined;
  const allowed = Math.min(queueLimitOf('self') ?? 0, MAX_QUEUE_LIMIT);
  return allowed > 2 ? randomInt(Math.ceil(allowed / 2), allowed) : undefined;
}

/** Upper bound of the chosen limit in bytes, if the system has none. */
const MAX_QUEUE_LIMIT = 2 ** 32;

const cached = new Map<string, boolean>();

/** Returns true if a program is on PATH. The result is cached, because each lookup starts a process. */
function exists(program: string): boolean {
  const found = cached.get(program) ?? isFound(program);
  cached.set(program, found);
  return found;
}

function isFound(program: string): boolean {
  const [finder, ...args] = isWindows ? ['where', program] : ['sh', '-c', `command -v ${program}`];
  return spawnSync(finder ?? '', args, { stdio: 'ignore' }).status === 0;
}

/**
 * Returns the names of the variables to hide from commands: variables of keys, and variables whose value contains
 * a key or another secret.
 */
export function hiddenVariables(secrets: readonly string[]): string[] {
  const keys = [...keysIn(process.env), ...secrets.filter(({ length }) => length >= MIN_KEY_LENGTH)];
  const forms = keys.flatMap(encodedForms);
  return Object.entries(process.env).flatMap(([name, value]) =>
    secretVariables.test(name) || forms.some((form) => value?.includes(form)) ? [name] : [],
  );
}

/**
 * Returns the environment for commands. Copies the environment of this process, except variables whose value contains a
 * key or another secret, and adds settings that keep programs from waiting for input.
 */
function commandEnvironment(mark: string, secrets: readonly string[]): NodeJS.ProcessEnv {
  const hidden = new Set(hiddenVariables(secrets));
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !hidden.has(name))),
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    TERM: 'dumb',
    ...markVariable(mark),
  };
}

/**
 * Returns the environment variable by which descendants of a command are recognised. A command that runs within another
 * command appends its own id to the value.
 */
export const markVariable = (mark: string): NodeJS.ProcessEnv => ({
  [MARK_VARIABLE]: [process.env[MARK_VARIABLE], mark].filter(Boolean).join(' '),
});
