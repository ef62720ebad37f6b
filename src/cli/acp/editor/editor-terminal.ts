import type { TerminalHandle } from '@agentclientprotocol/sdk';
import type { ToolContext } from '../../../sdk/actions/define-tool.js';
import { ToolError } from '../../../sdk/actions/tool-errors.js';
import { startTimer } from '../../../sdk/base/timer.js';
import { untilAborted } from '../../../sdk/base/until-aborted.js';
import { OutputCapture } from '../../../tools/read/output-capture.js';
import { LastState } from '../../../tools/run/last-state.js';
import {
  type CommandRunner,
  type RunPlace,
  runCommand,
  stoppedCommand,
} from '../../../tools/run/run-command.js';
import { hiddenVariables } from '../../../tools/run/start-command.js';
import { type Editor, fieldsOf } from './editor.js';

/** Output that the editor retains; the model reads less than that. */
const MAX_OUTPUT_BYTES = 1_000_000;

/** Time for the editor to kill a command, to tell its output, and to release its terminal. */
const MAX_ANSWER_MS = 3_000;

interface TerminalOptions {
  readonly editor: Editor;
  /** Names of environment variables to hide from commands. */
  readonly secrets: readonly string[];
  /** Receives the id of the terminal in which a call runs. */
  readonly onTerminal: (callId: string, terminalId: string) => Promise<void>;
}

/**
 * Runs commands in a terminal of the editor, where the person can watch them. Falls back to this process if the editor
 * cannot open one.
 */
export const inEditorTerminal =
  (options: TerminalOptions): CommandRunner =>
  async (command, place, context) => {
    const terminal = await openTerminal(command, place, options).catch(() => undefined);
    if (!terminal) {
      // The run may have been stopped while the editor was deciding.
      context.signal.throwIfAborted();
      return runCommand(command, place, context);
    }
    await options.onTerminal(context.callId, terminal.id);
    try {
      return await waitFor(terminal, place.timeoutMs, context);
    } finally {
      await answerOf(terminal.release());
    }
  };

async function openTerminal(
  command: string,
  { folder, secrets: values }: RunPlace,
  { editor, secrets }: TerminalOptions,
): Promise<TerminalHandle> {
  // The terminal inherits the editor's environment, which may contain the keys that this process was started with. So
  // the variables of keys are set to empty values.
  const names = new Set([...secrets, ...hiddenVariables(values)]);
  const env = [...names].map((name) => ({ name, value: '' }));
  const isWindows = process.platform === 'win32';
  const shell = isWindows ? 'powershell' : 'bash';
  const args = isWindows ? ['-NoProfile', '-NonInteractive', '-Command', command] : ['-c', command];
  return editor.openTerminal({ command: shell, args, env, cwd: folder, outputByteLimit: MAX_OUTPUT_BYTES });
}

/** Waits for the command; kills it on timeout or when the run stops. The output so far is kept. */
async function waitFor(
  terminal: TerminalHandle,
  timeoutMs: number,
  { signal }: ToolContext,
): Promise<string | ReturnType<typeof stoppedCommand>> {
  const ended = waitForExit(terminal).then((how) => ({ how }));
  const early = new Promise<'aborted' | 'timeout'>((resolve) => {
    const stop = () => resolve('aborted');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const clear = startTimer(timeoutMs, () => resolve('timeout'));
    ended.then(clear, clear);
  });
  const end = await Promise.race([ended, early]);
  await answerOf(terminal.kill());
  const output = (await outputOf(terminal)).filter(Boolean).join('\n');
  if (typeof end === 'string') return stoppedCommand(end, { output, timeoutMs });
  return [end.how, output].filter(Boolean).join('\n');
}

/** Resolves to the answer of the editor; to undefined if it fails or takes too long, so that no command holds the run. */
const answerOf = <Answer>(request: Promise<Answer>): Promise<Answer | undefined> =>
  untilAborted(request, AbortSignal.timeout(MAX_ANSWER_MS)).catch(() => undefined);

/** Returns a sentence about how the command ended. Throws `ToolError` if the editor does not report it. */
async function waitForExit(terminal: TerminalHandle): Promise<string> {
  const answer: unknown = await terminal.waitForExit().catch((error: Error) => {
    throw new ToolError(`${UNKNOWN_EXIT}: ${error.message}`);
  });
  const { exitCode, signal } = fieldsOf(answer);
  if (typeof exitCode === 'number') return `Exit code ${exitCode}.`;
  if (typeof signal === 'string') return `Ended by ${signal}.`;
  if (answer === null || exitCode || signal) throw new ToolError(`${UNKNOWN_EXIT}.`);
  return 'Ended by the editor.';
}

const UNKNOWN_EXIT = 'The editor did not say how the command ended';

async function outputOf(terminal: TerminalHandle): Promise<readonly string[]> {
  const { output, truncated } = fieldsOf(await answerOf(terminal.currentOutput()));
  if (typeof output !== 'string') return ['(The editor did not tell the output.)'];
  const [screen, capture] = [new LastState(), new OutputCapture()];
  capture.add(screen.add(output) + screen.end());
  return [...(truncated ? ['(The beginning of the output is not kept.)'] : []), capture.text()];
}
