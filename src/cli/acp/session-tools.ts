import type { Tool } from '../../sdk/actions/define-tool.js';
import type { ChangedFile } from '../../tools/folder/folder.js';
import { matchLinesInVm } from '../../tools/match-lines-in-vm.js';
import { createFileReaders, createFileWriters } from '../../tools/portable/file-tools.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { completeLimits } from '../../tools/read/limits.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { openTools } from '../session/open-tools.js';
import type { Editor } from './editor/editor.js';
import { EditorFolder } from './editor/editor-folder.js';
import { inEditorTerminal } from './editor/editor-terminal.js';

export interface SessionToolsOptions {
  readonly root: ProjectRoot;
  readonly editor: Editor;
  readonly flags: RunFlags;
  /** Names of variables that no command is to see. */
  readonly secrets: readonly string[];
  /** Told each change of a file: when it is shown to be approved, and when it was made. */
  readonly onChange: (callId: string, change: ChangedFile) => Promise<void>;
  /** Told which terminal shows a call. */
  readonly onTerminal: (callId: string, terminalId: string) => Promise<void>;
}

/** Reading one file, as against searching thousands, goes through the editor. */
const readByEditor: ReadonlySet<string> = new Set(['read_file']);

/** The tools of the command line, of which those that read, write and run do so in the editor as far as it offers that. */
export async function openSessionTools(options: SessionToolsOptions): Promise<readonly Tool[]> {
  const { root, editor, flags, onChange } = options;
  const folder = new EditorFolder(root, editor);
  const readers = createFileReaders(folder, { ...flags.limits, matchLines: matchLinesInVm });
  const writers = createFileWriters(folder, onChange);
  const own = new Map(
    [...readers.filter(({ name }) => readByEditor.has(name)), ...writers].map((tool) => [tool.name, tool]),
  );
  const tools = await openTools({ ...flags, dir: root.folder });
  return tools.map((tool) => {
    if (tool.name === 'run_command' && editor.runsCommands) return commandTool(tool, options);
    return own.get(tool.name) ?? tool;
  });
}

function commandTool(tool: Tool, { root, editor, flags, secrets, onTerminal }: SessionToolsOptions): Tool {
  const { commandTimeoutMs: timeoutMs } = completeLimits(flags.limits);
  return inEditorTerminal(tool, { root, editor, timeoutMs, secrets, onTerminal });
}
