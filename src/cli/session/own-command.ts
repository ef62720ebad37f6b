import type { Tool } from '../../sdk/actions/define-tool.js';
import { executeTool } from '../../sdk/actions/execute-tool.js';
import { MAX_TAIL_CHARS, RunningTools } from '../screen/live/running-tools.js';
import type { Screen } from '../screen/screen.js';
import type { Terminal } from '../screen/terminal.js';
import { showText } from '../screen/visible-text.js';

/** Maximum characters and lines of an output that are printed as they arrive. */
const MAX_PRINTED_CHARS = 16_000;
const MAX_PRINTED_LINES = 500;
/** Maximum lines and characters of the end of a longer output. */
const MAX_END_LINES = 10;
const MAX_END_CHARS = 2_000;

interface CommandContext {
  readonly tools: readonly Tool[];
  readonly screen: Screen;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * Runs the command that the person typed after `!` with the model's `run_command` tool, so without model keys and with
 * the same timeout. Prints its output line by line. Resolves to the text for the model, or undefined if nothing ran.
 */
export async function runOwnCommand(
  command: string,
  { tools, screen, terminal, signal }: CommandContext,
): Promise<string | undefined> {
  const tool = tools.find(({ name }) => name === 'run_command');
  if (!tool || command === '') {
    screen.print('!COMMAND runs a command, such as !git status.');
    return undefined;
  }
  const action = {
    ...{ tool_name: tool.name, tool_args: { command }, raw_action_string: '' },
    ...{ id: 'own_command', requires_approval: false },
  };
  const running = new RunningTools(terminal.display);
  const call = { tool: tool.name, args: { command }, output: '' };
  let calls = [call];
  const output = new CommandOutput(
    (text) => screen.print(showText(text)),
    (chunk) => {
      call.output = (call.output + chunk).slice(-MAX_TAIL_CHARS);
      running.showSoon(calls);
    },
  );
  const timeoutMs = tool.timeoutMs ?? Number.POSITIVE_INFINITY;
  const onOutput = (chunk: string) => output.add(chunk);
  running.show(calls);
  const { text } = await executeTool(tool, action, { signal, timeoutMs, onOutput });
  calls = []; // a late timer must not redraw the output
  running.show(calls);
  output.end();
  const [end = ''] = text.split('\n', 1);
  screen.print(showText(end.replace(/ Output so far:$/, ''))); // the output was printed already
  return `The user ran this command: ${command}\n\n${text}`;
}

/**
 * Output of unlimited length that prints only as much as a terminal can take in time. Writing more to a slow terminal
 * would block the process, including the key that stops the command.
 */
class CommandOutput {
  readonly #print: (lines: string) => void;
  readonly #showLive: (chunk: string) => void;
  #room = MAX_PRINTED_CHARS;
  #lines = MAX_PRINTED_LINES;
  /** Incomplete last line. */
  #open = '';
  /** End of the output that was not printed; undefined while everything fits. */
  #tail: string | undefined;
  /** Length of all output that was not printed. */
  #rest = 0;

  /** `print` gets complete lines, `showLive` the output that no longer fits. */
  constructor(print: (lines: string) => void, showLive: (chunk: string) => void) {
    this.#print = print;
    this.#showLive = showLive;
  }

  add(chunk: string): void {
    if (this.#tail !== undefined) {
      this.#hide(chunk);
      return;
    }
    const lines = (this.#open + chunk).split('\n');
    this.#open = lines.pop() ?? '';
    const shown = lines.slice(0, this.#countFitting(lines));
    if (shown.length > 0) this.#print(shown.join('\n'));
    if (shown.length === lines.length && this.#open.length <= this.#room) return;
    this.#tail = '';
    this.#hide([...lines.slice(shown.length), this.#open].join('\n'));
  }

  /** Returns how many of the lines fit into the remaining space, and deducts them from it. */
  #countFitting(lines: readonly string[]): number {
    const over = lines.findIndex(({ length }) => {
      if (length >= this.#room || this.#lines === 0) return true;
      this.#room -= length + 1;
      this.#lines -= 1;
      return false;
    });
    return over < 0 ? lines.length : over;
  }

  end(): void {
    if (this.#tail === undefined && this.#open !== '') this.#print(this.#open);
    if (this.#tail === undefined) return;
    const end = this.#tail.trimEnd().split('\n').slice(-MAX_END_LINES).join('\n');
    const hidden = this.#rest - end.length;
    this.#print(`… (${hidden} characters are not shown) …\n${end}`);
  }

  #hide(chunk: string): void {
    this.#tail = ((this.#tail ?? '') + chunk).slice(-MAX_END_CHARS);
    this.#rest += chunk.length;
    this.#showLive(chunk);
  }
}
