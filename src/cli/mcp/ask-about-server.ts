import type { McpTool, McpVerdict } from '../../mcp/mcp-tool.js';
import type { Terminal } from '../screen/terminal.js';
import { showExactLine } from '../screen/visible-text.js';
import type { ConfiguredServer } from './configured-servers.js';
import { describeLaunch, describeTools, frame } from './describe-server.js';

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
  const { terminal } = person;
  const title = showExactLine(`${server.file} names the MCP server ${server.name}, which needs your consent`);
  const chosen = await ask(person, frame(title, describeLaunch(server, folder), terminal.width), [
    ['y', 'start it, now and in later sessions, until its configuration or a checked file changes'],
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
  const chosen = await ask(person, frame(title, describeTools(tools), person.terminal.width), [
    ['y', 'offer them to the model; each call needs approval'],
    ['t', 'trust them: only calls of tools that may destroy data need approval'],
    ['n', 'leave them out'],
  ]);
  return toolVerdicts[chosen] ?? 'leave-out';
}

/** Asks a question and returns the index of the choice. The last choice declines, and is selected at first. */
async function ask(
  { terminal, hold }: McpPerson,
  question: string,
  choices: readonly (readonly [key: string, what: string])[],
): Promise<number> {
  hold();
  const redraw = terminal.keepShown(() => terminal.display.print(`\n${question}`));
  const last = choices.length - 1;
  const rows = choices.map(([key, what], index) => ({
    row: `[${key}] ${what}`,
    keys: index === last ? [key, 'escape', 'ctrl-c', 'closed'] : [key],
  }));
  const { signal } = new AbortController();
  const chosen = await terminal.choose(rows, { signal, selected: last }).finally(() => redraw.end());
  terminal.display.print(`  ${rows[chosen]?.row ?? ''}`);
  return chosen;
}
