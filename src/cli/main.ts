#!/usr/bin/env node
import { text as readAll } from 'node:stream/consumers';
import { version } from '../service/version.js';
import { interact } from './commands/interactive.js';
import {
  type Invocation,
  NO_TASK,
  type RunFlags,
  readArguments,
  UsageError,
} from './commands/read-arguments.js';
import { runOnce } from './commands/run-once.js';
import { runTool } from './commands/run-tool.js';
import { exitCodes, usage } from './commands/usage.js';
import { sanitize } from './screen/sanitize.js';
import { Screen } from './screen/screen.js';
import { Terminal } from './screen/terminal.js';
import { takeModelKeys } from './session/model-key.js';
import { onStop } from './session/on-stop.js';
import { openSession, type View } from './session/open-session.js';
import { openTools } from './session/open-tools.js';

const KEYS_ARE_SHOWN =
  'This system goes on showing the model key in /proc to commands: allow only those you trust.';

/** By name: the class of a configuration's error is loaded with the service only. */
const expected = new Set(['UsageError', 'StepwiseError', 'ConfigError']);

let outputFailure: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error) => {
  outputFailure ??= error;
});
process.stderr.on('error', () => undefined); // there is nowhere left to say it
process.on('exit', judgeOutput);
process.exitCode = await main(process.argv.slice(2)).catch(explain);

/**
 * Resolves to the exit code. The service and its parser are loaded only where they are needed: that takes longer
 * than all that `stepwise --help` or `stepwise tool` does.
 */
async function main(argv: readonly string[]): Promise<number> {
  const invocation = readArguments(argv);
  if (invocation.command === 'help') return say(usage);
  if (invocation.command === 'version') return say(`${version}\n`);
  const { keys, areHidden } = takeModelKeys();
  const terminal = new Terminal({ stdoutIsTaken: invocation.options.json });
  if (!areHidden && process.platform === 'linux') terminal.progress.write(`${KEYS_ARE_SHOWN}\n`);
  if (invocation.command === 'tool') return callTool(invocation, terminal);
  const screen = new Screen(terminal, invocation.options);
  if (invocation.command === 'replay') {
    const { replay } = await import('./commands/replay.js');
    return replay(invocation.file, { screen, flags: invocation.options });
  }
  return work(await taskFrom(invocation), { terminal, screen, flags: invocation.options, keys });
}

async function work(task: string | undefined, view: View): Promise<number> {
  const opened = await openSession(view, { interactive: task === undefined });
  try {
    return await (task === undefined ? interact(opened) : runOnce(opened.session, task));
  } finally {
    await opened.close();
  }
}

/** Without a task and without a person at the keyboard, the task is what is piped in; a saved run has its own. */
async function taskFrom({ task, options }: { task: string | undefined; options: RunFlags }) {
  if (task !== undefined || process.stdin.isTTY) return task;
  const piped = (await readAll(process.stdin)).trim();
  if (piped === '' && !options.resume) throw new UsageError(NO_TASK);
  return piped;
}

async function callTool(
  { name, args, options }: Extract<Invocation, { command: 'tool' }>,
  terminal: Terminal,
): Promise<number> {
  const controller = new AbortController();
  const stops = onStop(() => controller.abort());
  const call = { name, args, isAllowed: options.yes, terminal };
  try {
    return await runTool(await openTools(options), call, controller.signal);
  } finally {
    stops.end();
  }
}

function say(text: string): number {
  process.stdout.write(text);
  return exitCodes.answered;
}

/** What a person did wrong, or what is not there, in one sentence; a bug with its stack. */
function explain(error: unknown): number {
  const { message, stack, name } = error instanceof Error ? error : new Error(String(error));
  const isSystem = error instanceof Error && 'syscall' in error;
  process.stderr.write(`stepwise: ${sanitize(String(expected.has(name) || isSystem ? message : stack))}\n`);
  return exitCodes.error;
}

/** A reader that leaves early (`| head`) is no error; an output that cannot be written, as on a full disk, is one. */
function judgeOutput(): void {
  if (outputFailure === undefined) return;
  if (outputFailure.code !== 'EPIPE') {
    process.stderr.write(`stepwise: The output could not be written: ${outputFailure.message}\n`);
    process.exitCode = exitCodes.error;
  } else if (process.exitCode === exitCodes.stopped) process.exitCode = exitCodes.answered;
}
