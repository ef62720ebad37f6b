import type { ToolArguments } from '../../sdk/actions/define-tool.js';
import { editInFile, editorOf } from '../input/edit-in-file.js';
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
  const editor = editorOf(process.env);
  const file = { name: 'arguments.json', text: JSON.stringify(args, null, 2) };
  const edited = editor
    ? await terminal.lend(() => editInFile(editor, file))
    : await terminal.askLine('arguments: ', { signal, prefill: printableJson(args) });
  return edited === undefined ? undefined : readObject(terminal, edited);
}

function readObject(terminal: Terminal, json: string): ToolArguments | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  terminal.display.print('That is not a JSON object; nothing was changed.');
  return undefined;
}
