import type { TerminalHandle } from '@agentclientprotocol/sdk';
import type { Tool, ToolContext } from '../../../sdk/actions/define-tool.js';
import { ToolError } from '../../../sdk/actions/tool-errors.js';
import { startTimer } from '../../../sdk/base/timer.js';
import type { ProjectRoot } from '../../../tools/project-root.js';
import { OutputCapture } from '../../../tools/run/output-capture.js';
import { type Editor, fieldsOf } from './editor.js';

/** In bytes: what the editor keeps of an output; the model reads less. */
const OUTPUT_LIMIT = 1_000_000;

interface Place {
  readonly root: ProjectRoot;
  readonly editor: Editor;
  readonly timeoutMs: number;
  /** Variables that no command is to see, by name. */
  readonly secrets: readonly string[];
  /** Told which terminal shows the call. */
  readonly onTerminal: (callId: string, terminalId: string) => Promise<void>;
}

/** `run_command` in a terminal of the editor, where the person watches it; here where the editor opens none. */
export function inEditorTerminal(tool: Tool, place: Place): Tool {
  return {
    ...tool,
    execute: async (args, context) => {
      const terminal = await openTerminal(args, place).catch(() => undefined);
      if (!terminal) {
        // The editor may have taken its time to refuse: a run that was stopped meanwhile starts nothing.
        context.signal.throwIfAborted();
        return tool.execute(args, context);
      }
      await place.onTerminal(context.callId, terminal.id);
      try {
        return await waitFor(terminal, place.timeoutMs, context);
      } finally {
        await terminal.release().catch(() => undefined);
      }
    },
  };
}

async function openTerminal(
  { command, working_dir }: Readonly<Record<string, unknown>>,
  { root, editor, secrets }: Place,
): Promise<TerminalHandle> {
  const cwd = await root.locate(typeof working_dir === 'string' && working_dir !== '' ? working_dir : '.');
  const env = secrets.map((name) => ({ name, value: '' }));
  const isWindows = process.platform === 'win32';
  const shell = isWindows ? 'powershell' : 'bash';
  const args = isWindows
    ? ['-NoProfile', '-NonInteractive', '-Command', String(command)]
    : ['-c', String(command)];
  return editor.openTerminal({ command: shell, args, env, cwd, outputByteLimit: OUTPUT_LIMIT });
}

/** Ends the command when its time is up or the run is stopped; what it said so far is kept. */
async function waitFor(
  terminal: TerminalHandle,
  timeoutMs: number,
  { signal }: ToolContext,
): Promise<string> {
  const ended = waitForExit(terminal);
  const early = new Promise<string>((resolve) => {
    const stop = () => resolve('Stopped before it was done. Output so far:');
    const late = () => resolve(`Ended after ${timeoutMs / 1_000} s, before it was done. Output so far:`);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const clear = startTimer(timeoutMs, late);
    ended.then(clear, clear);
  });
  const end = await Promise.race([ended, early]);
  await terminal.kill().catch(() => undefined);
  return [end, ...(await outputOf(terminal))].filter(Boolean).join('\n');
}

/** Throws `ToolError` where the editor does not say how it ended. */
async function waitForExit(terminal: TerminalHandle): Promise<string> {
  const answer: unknown = await terminal.waitForExit().catch((error: Error) => {
    throw new ToolError(`${UNKNOWN_END}: ${error.message}`);
  });
  const { exitCode, signal } = fieldsOf(answer);
  if (typeof exitCode === 'number') return `Exit code ${exitCode}.`;
  if (typeof signal === 'string') return `Ended by ${signal}.`;
  if (answer === null || exitCode || signal) throw new ToolError(`${UNKNOWN_END}.`);
  return 'Ended by the editor.';
}

const UNKNOWN_END = 'The editor did not say how the command ended';

async function outputOf(terminal: TerminalHandle): Promise<readonly string[]> {
  const { output, truncated } = fieldsOf(await terminal.currentOutput().catch(() => undefined));
  if (typeof output !== 'string') return ['(The editor did not tell the output.)'];
  const capture = new OutputCapture();
  capture.add(Buffer.from(output));
  return [...(truncated ? ['(The beginning of the output is not kept.)'] : []), capture.text()];
}
