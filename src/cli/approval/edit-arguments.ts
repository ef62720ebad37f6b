import { parseObject } from '../../conversation/is-object.js';
import type { ToolArguments } from '../../sdk/actions/define-tool.js';
import { editInFile, editorOf } from '../input/edit-in-file.js';
import type { Terminal } from '../screen/terminal.js';
import { printableJson, showExactLine } from '../screen/visible-text.js';

/**
 * Lets the person change the arguments of a call. A command is edited in the input line. Other arguments are edited as
 * JSON: in the editor that the environment names, or else in the input line. Returns undefined if the person cancels.
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
  if (editor) {
    const edited = await terminal.lend(() => editInFile(editor, file)).catch((error: Error) => error);
    if (typeof edited === 'string') return readObject(terminal, edited);
    terminal.display.print(showExactLine(`The arguments are unchanged: ${edited.message}`));
    return undefined;
  }
  const edited = await terminal.askLine('arguments: ', { signal, prefill: printableJson(args) });
  return edited === undefined ? undefined : readObject(terminal, edited);
}

function readObject(terminal: Terminal, json: string): ToolArguments | undefined {
  const value = parseObject(json);
  if (!value) terminal.display.print('The text is not a JSON object, so the arguments are unchanged.');
  return value;
}
