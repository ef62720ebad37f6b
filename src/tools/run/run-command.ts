import { StringDecoder } from 'node:string_decoder';
import {
  defineTool,
  type ShellCall,
  type Tool,
  type ToolArguments,
  type ToolContext,
} from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import { startTimer } from '../../sdk/base/timer.js';
import { notReadable } from '../folder/path-errors.js';
import type { ProjectRoot } from '../project-root.js';
import { OutputCapture } from '../read/output-capture.js';
import { endCommand, killOnExit } from './end-command.js';
import { LastState } from './last-state.js';
import { type CommandPlace, startCommand } from './start-command.js';

export interface CommandOptions {
  readonly timeoutMs: number;
  /** Returns values that commands must not find in their environment, such as the model key. */
  readonly secrets: () => readonly string[];
  /** Runs an approved command. By default, starts it as a child process. */
  readonly run?: CommandRunner;
}

/** Runs a command in a real folder. Resolves when the command has ended. */
export type CommandRunner = (
  command: string,
  place: RunPlace,
  context: ToolContext,
) => Promise<string | StoppedCommand>;

/** Maximum number of calls whose folder is remembered between preview and run. One step has fewer calls. */
const MAX_PREVIEWS = 200;

/**
 * Creates `run_command(command, working_dir)`, which runs bash, or PowerShell on Windows. A command can access
 * files outside the project folder, so a person must approve each call.
 */
export function runCommandTool(
  root: ProjectRoot,
  { timeoutMs, secrets, run = runCommand }: CommandOptions,
): Tool {
  /**
   * Real folder of each previewed call. The call may run only in that folder, because a person approved it for
   * that folder.
   */
  const previewed = new Map<string, string>();
  const tool = defineTool({
    name: 'run_command',
    defer: false,
    description: `Run a shell command in the project folder, ${timeLimit(timeoutMs)}without input. Processes left in the background end with it.`,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        working_dir: { type: 'string', description: 'Relative to the project folder, which is the default.' },
      },
      required: ['command'],
    },
    annotations: { requiresApproval: true },
    timeoutMs: timeoutMs + 10_000,
    preview: async ({ command, working_dir }, context) => {
      const folder = root.name(await folderAt(root, working_dir));
      previewed.set(keyOf({ command, working_dir }, context), folder);
      const [oldest] = previewed.keys();
      if (previewed.size > MAX_PREVIEWS && oldest !== undefined) previewed.delete(oldest);
      return folder === '.' ? command : `in ${JSON.stringify(folder)}\n${command}`;
    },
    execute: async ({ command, working_dir }, context) => {
      if (command.includes('\0')) throw new ToolError('A command cannot contain a NUL character.');
      const folder = await folderAt(root, working_dir);
      const key = keyOf({ command, working_dir }, context);
      const approved = previewed.get(key);
      previewed.delete(key);
      if (approved !== undefined && approved !== root.name(folder))
        throw new ToolError(`"${working_dir}" leads to another folder than when the command was approved.`);
      return run(command, { folder, timeoutMs, secrets: secrets() }, context);
    },
  });
  return { ...tool, readShellCall: (args) => readShellCall(root, args) };
}

/**
 * Returns the key that identifies a call. The key includes the arguments, because after a refusal a session may
 * use the same id again.
 */
const keyOf = (args: ToolArguments, { sessionId, callId }: ToolContext): string =>
  JSON.stringify([sessionId, callId, args]);

/** Converts a call to the form to which a person's "always" rules apply, with its real folder (rule: always-rules). */
async function readShellCall(
  root: ProjectRoot,
  { command, working_dir, ...others }: ToolArguments,
): Promise<ShellCall> {
  const given = typeof working_dir === 'string' ? working_dir : undefined;
  const folder = root.name(await folderAt(root, given));
  return {
    command: String(command),
    others: folder === '.' ? others : { ...others, working_dir: folder },
    isInside: async (path) =>
      root.nameOf(folder === '.' ? path : `${folder}/${path}`).then(
        () => true,
        () => false,
      ),
  };
}

const timeLimit = (timeoutMs: number): string =>
  timeoutMs === Infinity ? '' : `for at most ${seconds(timeoutMs)} and `;

const seconds = (milliseconds: number): string =>
  milliseconds === 1_000 ? '1 second' : `${milliseconds / 1_000} seconds`;

/**
 * Returns the real path of the working directory. Throws `ToolError`, whose message is for the model, if it is not
 * a folder.
 */
async function folderAt(root: ProjectRoot, path = '.'): Promise<string> {
  const folder = await root.locate(path || '.');
  if ((await root.kindOf(root.name(folder))) !== 'folder') throw notReadable(path);
  return folder;
}

/** Folder, hidden values and time limit of a command. */
export interface RunPlace extends CommandPlace {
  readonly timeoutMs: number;
}

/**
 * Runs a command. Resolves when all of its processes have ended. If the command is stopped early, resolves to a failure
 * with the output so far.
 */
export async function runCommand(
  command: string,
  { timeoutMs, ...place }: RunPlace,
  { signal, onOutput }: ToolContext,
): Promise<string | StoppedCommand> {
  const [decoder, screen, output] = [new StringDecoder('utf8'), new LastState(), new OutputCapture()];
  const running = startCommand(command, place, (chunk) => {
    // If the last bytes of a character are still missing, the decoder keeps its first bytes until the next chunk.
    const text = decoder.write(chunk);
    output.add(screen.add(text));
    onOutput?.(text);
  });
  killOnExit(running);
  const timeUp = new Promise<'timeout'>((resolve) => {
    const clear = startTimer(timeoutMs, () => resolve('timeout'));
    running.ended.then(clear, clear);
  });
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    if (signal.aborted) resolve('aborted');
  });
  const end = await Promise.race([running.ended, timeUp, aborted]).finally(() => endCommand(running));
  output.add(screen.add(decoder.end()) + screen.end());
  return resultOf(end, { output: output.text(), timeoutMs });
}

/** Way in which a command ended: its exit code, the signal that ended it, or the reason why it was stopped. */
type CommandEnd = number | NodeJS.Signals | StopReason;
type StopReason = 'timeout' | 'aborted';

interface CommandOutput {
  readonly output: string;
  readonly timeoutMs: number;
}

function resultOf(end: CommandEnd, { output, timeoutMs }: CommandOutput): string | StoppedCommand {
  if (end === 'aborted' || end === 'timeout') return stoppedCommand(end, { output, timeoutMs });
  const how = typeof end === 'number' ? `Exit code ${end}.` : `Ended by ${end}.`;
  return [how, output].filter(Boolean).join('\n');
}

/** The result of a command that was stopped. The model gets it as the failure of the call (rule: tool-definitions). */
export interface StoppedCommand {
  readonly success: false;
  readonly error: string;
}

/** Returns the result of a command that was stopped before its end, with its output until then. */
export function stoppedCommand(why: StopReason, { output, timeoutMs }: CommandOutput): StoppedCommand {
  const how =
    why === 'timeout' ? `Timed out after ${timeoutMs / 1_000} s.` : 'Interrupted before it was done.';
  return { success: false, error: output === '' ? how : `${how} Output so far:\n${output}` };
}
