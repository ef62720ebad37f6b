import type { InputRequest } from '../../sdk/actions/client-tools.js';
import { sanitize } from '../screen/sanitize.js';
import type { Terminal } from '../screen/terminal.js';

/** Puts the model's question to the person. A choice can be answered by its number; Esc gives no answer. */
export async function askInput(
  terminal: Terminal,
  { question, choices }: Pick<InputRequest, 'question' | 'choices'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { paint, progress } = terminal;
  const options = choices.map((choice, index) => `  ${paint('bold', `[${index + 1}]`)} ${sanitize(choice)}`);
  progress.write([`${paint('yellow', '?')} ${paint('bold', sanitize(question))}`, ...options, ''].join('\n'));
  const line = await terminal.askLine('answer: ', { signal });
  return line === undefined ? undefined : (choices[Number(line.trim()) - 1] ?? line);
}
