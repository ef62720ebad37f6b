import { defineTool, type Tool, type ToolContext } from '../../sdk/actions/define-tool.js';
import { startTimer } from '../../sdk/base/timer.js';
import { notReadable } from '../folder/path-errors.js';
import type { ProjectRoot } from '../project-root.js';
import { endCommand, killOnExit } from './end-command.js';
import { OutputCapture } from './output-capture.js';
import { type CommandPlace, startCommand } from './start-command.js';

export interface CommandOptions {
  readonly timeoutMs: number;
  /** Returns values that commands must not find in their environment. */
  readonly secrets: () => readonly string[];
}

/**
 * Creates `run_command(command, working_dir)`, which runs bash, or PowerShell on Windows. A command can access files
 * outside the project folder, so a person must approve it.
 */
export function runCommandTool(root: ProjectRoot, { timeoutMs, secrets }: CommandOptions): Tool {
  return defineTool({
    name: 'run_command',
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
    preview: async ({ command, working_dir }) => {
      const folder = root.name(await folderAt(root, working_dir));
      return `${folder === '.' ? '' : `in ${folder}: `}${command}`;
    },
    execute: async ({ command, working_dir }, context) => {
      const folder = await folderAt(root, working_dir);
      return runCommand(command, { folder, timeoutMs, secrets: secrets() }, context);
    },
  });
}

const timeLimit = (timeoutMs: number): string =>
  timeoutMs === Infinity ? '' : `for at most ${seconds(timeoutMs)} and `;

const seconds = (milliseconds: number): string =>
  milliseconds === 1_000 ? '1 second' : `${milliseconds / 1_000} seconds`;

/** Returns the real path of the working directory. Throws `ToolError` for the model if it is not a folder. */
async function folderAt(root: ProjectRoot, path = '.'): Promise<string> {
  const folder = await root.locate(path || '.');
  if ((await root.kindOf(root.name(folder))) !== 'folder') throw notReadable(path);
  return folder;
}

interface Place extends CommandPlace {
  readonly timeoutMs: number;
}

/** Runs a command and resolves when all of its processes have ended. A stopped command resolves with its output so far. */
async function runCommand(
  command: string,
  { timeoutMs, ...place }: Place,
  { signal, onOutput }: ToolContext,
): Promise<string> {
  const output = new OutputCapture();
  const running = startCommand(command, place, (chunk) => {
    const text = output.add(chunk);
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
  return [describeEnd(end, timeoutMs), output.text()].filter(Boolean).join('\n');
}

function describeEnd(end: number | NodeJS.Signals | 'timeout' | 'aborted', timeoutMs: number): string {
  if (end === 'aborted') return 'Stopped before it was done. Output so far:';
  if (end === 'timeout') return `Ended after ${seconds(timeoutMs)}, before it was done. Output so far:`;
  return typeof end === 'number' ? `Exit code ${end}.` : `Ended by ${end}.`;
}
