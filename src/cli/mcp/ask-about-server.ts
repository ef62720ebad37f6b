import type { McpTool, McpVerdict } from '../../mcp/mcp-tool.js';
import type { Terminal } from '../screen/terminal.js';
import { showExactLine } from '../screen/visible-text.js';
import type { ConfiguredServer } from './configured-servers.js';
import { describeLaunch, describeTools, frame, shortFrame } from './describe-server.js';

/** The terminal at which a person answers. */
export interface McpPerson {
  readonly terminal: Terminal;
  /** Stops animations on the screen. */
  readonly hold: () => void;
}

interface Launch {
  readonly server: ConfiguredServer;
  readonly folder: string;
}

/** Shows the complete command or address, and asks for consent. Enter and Esc decline; only `y` agrees. */
export async function askStart(person: McpPerson, { server, folder }: Launch): Promise<boolean> {
  const title = showExactLine(`${server.file} names the MCP server ${server.name}, which needs your consent`);
  const chosen = await ask(person, { title, lines: describeLaunch(server, folder) }, [
    ['y', 'start it, now and later, until its settings or a checked file change'],
    ['n', 'leave it out'],
  ]);
  return chosen === 0;
}

const toolVerdicts = ['ask', 'trust', 'leave-out'] as const satisfies readonly McpVerdict[];

interface OfferedTools {
  /** Name of the server. */
  readonly name: string;
  readonly tools: readonly McpTool[];
}

/** Shows everything that a model would read about these tools, and asks for a verdict. */
export async function askTools(person: McpPerson, { name, tools }: OfferedTools): Promise<McpVerdict> {
  const count = tools.length === 1 ? 'a tool that is' : `${tools.length} tools that are`;
  const title = showExactLine(`The MCP server ${name} has ${count} new or changed. A model would read:`);
  const chosen = await ask(person, { title, lines: describeTools(tools) }, [
    ['y', 'offer them to the model; each call needs approval'],
    ['t', 'trust them: only calls of tools that may destroy data need approval'],
    ['n', 'leave them out'],
  ]);
  return toolVerdicts[chosen] ?? 'leave-out';
}

interface Question {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Minimum number of rows in which a question shows its beginning and its end. */
const MIN_QUESTION_ROWS = 3;

/** Asks a question and returns the index of the choice. The last choice declines, and is selected at first. */
async function ask(
  { terminal, hold }: McpPerson,
  { title, lines }: Question,
  choices: readonly (readonly [key: string, what: string])[],
): Promise<number> {
  hold();
  const { display } = terminal;
  const printed = () => frame(title, lines, display.width);
  const redraw = terminal.keepShown(() => display.print(['', ...printed()].join('\n')));
  const last = choices.length - 1;
  const rows = choices.map(([key, what], index) => ({
    row: `[${key}] ${what}`,
    keys: index === last ? [key, 'escape', 'ctrl-c', 'closed'] : [key],
  }));
  const { signal } = new AbortController();
  const subject = {
    printedRows: printed().length,
    minRows: MIN_QUESTION_ROWS,
    render: (maxRows: number) => shortFrame(title, lines, { width: display.width, maxRows }),
  };
  const chosen = await terminal.choose(rows, { signal, selected: last, subject }).finally(() => redraw.end());
  display.print(`  ${rows[chosen]?.row ?? ''}`);
  return chosen;
}
