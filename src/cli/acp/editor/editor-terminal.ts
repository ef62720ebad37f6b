import type { TerminalHandle } from '@agentclientprotocol/sdk';
import type { Tool, ToolContext } from '../../../sdk/actions/define-tool.js';
import { ToolError } from '../../../sdk/actions/tool-errors.js';
import { startTimer } from '../../../sdk/base/timer.js';
import type { ProjectRoot } from '../../../tools/project-root.js';
import { LastState } from '../../../tools/run/last-state.js';
import { OutputCapture } from '../../../tools/run/output-capture.js';
import { stoppedCommand } from '../../../tools/run/run-command.js';
import { type Editor, fieldsOf } from './editor.js';

/** Output that the editor retains; the model reads less than that. */
const MAX_OUTPUT_BYTES = 1_000_000;

interface TerminalOptions {
  readonly root: ProjectRoot;
  readonly editor: Editor;
  readonly timeoutMs: number;
  /** Names of environment variables to hide from commands. */
  readonly secrets: readonly string[];
  /** Receives the id of the terminal in which a call runs. */
  readonly onTerminal: (callId: string, terminalId: string) => Promise<void>;
}

/**
 * Runs `run_command` in a terminal of the editor, where the person can watch it. Falls back to this process if the
 * editor cannot open one.
 */
export function runInEditorTerminal(tool: Tool, options: TerminalOptions): Tool {
  return {
    ...tool,
    execute: async (args, context) => {
      const terminal = await openTerminal(args, options).catch(() => undefined);
      if (!terminal) {
        // The run may have been stopped while the editor was deciding.
        context.signal.throwIfAborted();
        return tool.execute(args, context);
      }
      await options.onTerminal(context.callId, terminal.id);
      try {
        return await waitFor(terminal, options.timeoutMs, context);
      } finally {
        await terminal.release().catch(() => undefined);
      }
    },
  };
}

async function openTerminal(
  { command, working_dir }: Readonly<Record<string, unknown>>,
  { root, editor, secrets }: TerminalOptions,
): Promise<TerminalHandle> {
  const cwd = await root.locate(typeof working_dir === 'string' && working_dir !== '' ? working_dir : '.');
  const env = secrets.map((name) => ({ name, value: '' }));
  const isWindows = process.platform === 'win32';
  const shell = isWindows ? 'powershell' : 'bash';
  const args = isWindows
    ? ['-NoProfile', '-NonInteractive', '-Command', String(command)]
    : ['-c', String(command)];
  return editor.openTerminal({ command: shell, args, env, cwd, outputByteLimit: MAX_OUTPUT_BYTES });
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
  await terminal.kill().catch(() => undefined);
  const output = (await outputOf(terminal)).filter(Boolean).join('\n');
  if (typeof end === 'string') return stoppedCommand(end, { output, timeoutMs });
  return [end.how, output].filter(Boolean).join('\n');
}

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
  const { output, truncated } = fieldsOf(await terminal.currentOutput().catch(() => undefined));
  if (typeof output !== 'string') return ['(The editor did not tell the output.)'];
  const [screen, capture] = [new LastState(), new OutputCapture()];
  capture.add(screen.add(output) + screen.end());
  return [...(truncated ? ['(The beginning of the output is not kept.)'] : []), capture.text()];
}
