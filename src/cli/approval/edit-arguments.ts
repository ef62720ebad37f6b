import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolArguments } from '../../sdk/actions/define-tool.js';
import { printableJson, showExactLine } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';

/**
 * Lets a person change the arguments of a call: a command in its line, all else in the editor of the
 * environment, or as JSON in a line where there is none. Undefined where the person goes back.
 */
export async function editArguments(
  terminal: Terminal,
  args: ToolArguments,
  signal: AbortSignal,
): Promise<ToolArguments | undefined> {
  const command = args['command'];
  if (typeof command === 'string' && showExactLine(command) === command) {
    const line = await terminal.askLine('command: ', { signal, prefill: command });
    return line === undefined ? undefined : { ...args, command: line };
  }
  const editor = process.env['VISUAL'] || process.env['EDITOR'];
  const edited = editor
    ? editInFile(editor, JSON.stringify(args, null, 2))
    : await terminal.askLine('arguments: ', { signal, prefill: printableJson(args) });
  return edited === undefined ? undefined : readObject(terminal, edited);
}

function editInFile(editor: string, text: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-'));
  const file = join(folder, 'arguments.json');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The editor may come with its own arguments ("code --wait"): the shell takes it apart.
    const { status } = spawnSync(`${editor} '${file}'`, { stdio: 'inherit', shell: true });
    return status === 0 ? readFileSync(file, 'utf8') : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readObject(terminal: Terminal, json: string): ToolArguments | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  terminal.progress.write('That is not a JSON object; nothing was changed.\n');
  return undefined;
}
