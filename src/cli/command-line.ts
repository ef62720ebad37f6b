import { version } from '../service/version.js';
import { readArguments } from './commands/read-arguments.js';
import { exitCodes } from './commands/usage.js';
import { Screen } from './screen/screen.js';
import { Terminal } from './screen/terminal.js';
import { showExact } from './screen/visible-text.js';
import { takeModelKeys } from './session/model-key.js';

const KEYS_ARE_VISIBLE =
  'Commands can still read the model key in /proc on this system: allow only commands that you trust.';

/**
 * Names of errors of which only the message is printed, without the stack. Compares names rather than classes, because
 * the module of `ConfigError` is loaded only with the service.
 */
const expected = new Set(['UsageError', 'ConfigError']);

let outputFailure: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error) => {
  outputFailure ??= error;
});
process.stderr.on('error', () => undefined); // no stream is left to report this on
process.on('exit', judgeOutput);
process.exitCode = await main(process.argv.slice(2)).catch(explain);

/**
 * Runs a command and resolves to the exit code. The module of a command is loaded only when the command is used, so
 * that it does not delay the start of other commands.
 */
async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'serve') return serve();
  // Exit code 1 of `stepwise eval` means that results differ, so a failure has another exit code.
  if (argv[0] === 'eval')
    return runCommand(argv).catch(async (error: unknown) => {
      await explain(error);
      return exitCodes.step_limit;
    });
  return runCommand(argv);
}

async function runCommand(argv: readonly string[]): Promise<number> {
  const invocation = readArguments(argv);
  if (invocation.command === 'help') return say(invocation.text);
  if (invocation.command === 'version') return say(`${version}\n`);
  if (invocation.command === 'token') {
    const { makeToken } = await import('./commands/make-token.js');
    return makeToken(invocation, new Terminal({ stdoutIsTaken: true }));
  }
  if (invocation.command === 'completion') {
    const { writeCompletion } = await import('./commands/completion.js');
    return writeCompletion(invocation.shell);
  }
  const { keys, areHidden } = takeModelKeys();
  const flags = invocation.options;
  // Replaces the arguments that the system lists for this process, so that no command can read the token in them.
  if (flags.token !== undefined) process.title = 'stepwise';
  if (invocation.command === 'doctor') {
    const { examine } = await import('./commands/doctor.js');
    return examine(flags, keys);
  }
  if (invocation.command === 'tool-help') {
    const { describeTools } = await import('./commands/run-tool.js');
    return describeTools(invocation, new Terminal({ stdoutIsTaken: true }));
  }
  if (invocation.command === 'acp') {
    const { serveAcp } = await import('./acp/serve-acp.js');
    return serveAcp(flags, keys);
  }
  const terminal = new Terminal({ stdoutIsTaken: flags.json });
  if (!areHidden && process.platform === 'linux') terminal.progress.write(`${KEYS_ARE_VISIBLE}\n`);
  if (invocation.command === 'eval') {
    const { evaluateRuns } = await import('./commands/eval/evaluate-runs.js');
    return evaluateRuns(invocation, { keys, paint: terminal.paint });
  }
  if (invocation.command === 'tool') {
    const { runTool } = await import('./commands/run-tool.js');
    return runTool(invocation, terminal);
  }
  if (invocation.command === 'view') {
    const { view } = await import('./commands/view/view.js');
    return view(invocation.file, { opensBrowser: invocation.opensBrowser });
  }
  const screen = new Screen(terminal, flags);
  if (invocation.command === 'replay') {
    const { replay } = await import('./commands/replay.js');
    return replay(invocation.file, { screen, flags });
  }
  const { runTasks } = await import('./commands/run-tasks.js');
  return runTasks(invocation.task, { terminal, screen, flags, keys });
}

/**
 * Starts the service as `node dist/service/main.js` does. The service reads the remaining arguments and ends the
 * process itself.
 */
async function serve(): Promise<number> {
  process.argv.splice(2, 1);
  await import('../service/main.js');
  return Number(process.exitCode ?? exitCodes.answered);
}

function say(text: string): number {
  process.stdout.write(text);
  return exitCodes.answered;
}

/** Prints the message of a usage or system error, and the stack of any other error, which is a bug. */
async function explain(error: unknown): Promise<number> {
  if (error instanceof Error && error.name === 'StepwiseError') return explainService(error);
  const { message, stack, name } = error instanceof Error ? error : new Error(String(error));
  const isSystem = error instanceof Error && 'syscall' in error;
  process.stderr.write(`stepwise: ${showExact(String(expected.has(name) || isSystem ? message : stack))}\n`);
  return exitCodes.error;
}

/** Prints the failure of a service with advice, as a run does. */
async function explainService(error: Error): Promise<number> {
  const [{ explainFailure }, { StepwiseError }] = await Promise.all([
    import('./screen/explain-failure.js'),
    import('../sdk/base/stepwise-error.js'),
  ]);
  const failure = error instanceof StepwiseError ? explainFailure(error.toStepError()) : error.message;
  process.stderr.write(`stepwise: ${failure}\n`);
  return exitCodes.error;
}

/**
 * Sets the exit code if the output could not be written. A reader that leaves early (`| head`) is no error; a full disk
 * is one.
 */
function judgeOutput(): void {
  if (outputFailure === undefined) return;
  if (outputFailure.code !== 'EPIPE') {
    process.stderr.write(`stepwise: The output could not be written: ${outputFailure.message}\n`);
    process.exitCode = exitCodes.error;
  } else if (process.exitCode === exitCodes.stopped) process.exitCode = exitCodes.answered;
}
