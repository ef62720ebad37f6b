import type { Tool } from '../../sdk/actions/define-tool.js';
import type { ChangedFile, Folder } from '../../tools/folder/folder.js';
import { matchLinesInVm } from '../../tools/match-lines-in-vm.js';
import { createFileReaders, createFileWriters } from '../../tools/portable/file-tools.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { completeLimits } from '../../tools/read/limits.js';
import { runCommandTool } from '../../tools/run/run-command.js';
import type { RunFlags } from '../commands/read-arguments.js';
import type { ChangedFiles } from '../session/changed-files.js';
import { usedKeys } from '../session/model-key.js';
import { openTools } from '../session/open-tools.js';
import type { Editor } from './editor/editor.js';
import { inEditorTerminal } from './editor/editor-terminal.js';

export interface SessionToolsOptions {
  readonly root: ProjectRoot;
  readonly editor: Editor;
  /** The project folder as the editor sees it. */
  readonly folder: Folder;
  /** Records what the tools change. */
  readonly changes: ChangedFiles;
  readonly flags: RunFlags;
  /** Names of environment variables to hide from commands. */
  readonly secrets: readonly string[];
  /** Receives each file change: before it is approved, and after it is made. */
  readonly onChange: (callId: string, change: ChangedFile) => Promise<void>;
  /** Receives the id of the terminal in which a call runs. */
  readonly onTerminal: (callId: string, terminalId: string) => Promise<void>;
}

/** Tools that read through the editor. Searches read thousands of files, so they read from disk. */
const editorReaders: ReadonlySet<string> = new Set(['read_file']);

/** Opens the command line's tools. Those that read, write or run commands use the editor if it offers that. */
export async function openSessionTools(options: SessionToolsOptions): Promise<readonly Tool[]> {
  const { root, editor, flags, onChange, folder, changes } = options;
  const readers = createFileReaders(folder, { ...flags.limits, matchLines: matchLinesInVm });
  const writers = createFileWriters(folder, onChange);
  const own = [
    ...readers.filter(({ name }) => editorReaders.has(name)),
    ...writers,
    ...(editor.runsCommands ? [commandTool(options)] : []),
  ];
  const ownNamed = new Map(own.map((tool) => [tool.name, tool]));
  const tools = await openTools({ ...flags, dir: root.folder });
  return changes.watch(tools.map((tool) => ownNamed.get(tool.name) ?? tool));
}

function commandTool({ root, flags, ...terminal }: SessionToolsOptions): Tool {
  const { commandTimeoutMs: timeoutMs } = completeLimits(flags.limits);
  return runCommandTool(root, { timeoutMs, secrets: usedKeys, run: inEditorTerminal(terminal) });
}
