import { version } from '../service/version.js';
import { readArguments } from './commands/read-arguments.js';
import { exitCodes } from './commands/usage.js';
import { Screen } from './screen/screen.js';
import { showExact } from './screen/shown-text.js';
import { Terminal } from './screen/terminal.js';
import { takeModelKeys } from './session/model-key.js';

const KEYS_ARE_SHOWN =
  'This system goes on showing the model key in /proc to commands: allow only those you trust.';

/** By name: the class of a configuration's error is loaded with the service only. */
const expected = new Set(['UsageError', 'ConfigError']);

let outputFailure: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error) => {
  outputFailure ??= error;
});
process.stderr.on('error', () => undefined); // there is nowhere left to say it
process.on('exit', judgeOutput);
process.exitCode = await main(process.argv.slice(2)).catch(explain);

/** Resolves to the exit code. Each command is loaded when it is the one that is asked for: nobody waits for the others. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'serve') return serve();
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
  // Where the system shows the arguments of a process, the title replaces them: no command is to find the token there.
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
  if (!areHidden && process.platform === 'linux') terminal.progress.write(`${KEYS_ARE_SHOWN}\n`);
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

/** The service as it is started without the command line: it reads what follows, and ends the process itself. */
async function serve(): Promise<number> {
  process.argv.splice(2, 1);
  await import('../service/main.js');
  return Number(process.exitCode ?? exitCodes.answered);
}

function say(text: string): number {
  process.stdout.write(text);
  return exitCodes.answered;
}

/** What a person did wrong, or what is not there, in one sentence; a bug with its stack. */
async function explain(error: unknown): Promise<number> {
  if (error instanceof Error && error.name === 'StepwiseError') return explainService(error);
  const { message, stack, name } = error instanceof Error ? error : new Error(String(error));
  const isSystem = error instanceof Error && 'syscall' in error;
  process.stderr.write(`stepwise: ${showExact(String(expected.has(name) || isSystem ? message : stack))}\n`);
  return exitCodes.error;
}

/** With what to do about it, as in a run. */
async function explainService(error: Error): Promise<number> {
  const [{ explainFailure }, { StepwiseError }] = await Promise.all([
    import('./screen/explain-failure.js'),
    import('../sdk/base/stepwise-error.js'),
  ]);
  const failure = error instanceof StepwiseError ? explainFailure(error.toStepError()) : error.message;
  process.stderr.write(`stepwise: ${failure}\n`);
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
