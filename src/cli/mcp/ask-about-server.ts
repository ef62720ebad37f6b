import type { McpTool, McpVerdict } from '../../mcp/mcp-tool.js';
import { showExactLine } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import type { ConfiguredServer } from './configured-servers.js';
import { describeLaunch, describeTools, frame } from './describe-server.js';

/** Who is asked. */
export interface McpPerson {
  readonly terminal: Terminal;
  /** Stills what moves on the screen. */
  readonly hold: () => void;
}

interface Launch {
  readonly server: ConfiguredServer;
  readonly folder: string;
}

/** Shows what would be started, in full. Enter and Esc leave it out: only a key of its own agrees. */
export async function askStart(person: McpPerson, { server, folder }: Launch): Promise<boolean> {
  const { terminal } = person;
  const title = showExactLine(
    `${server.file} names the MCP server ${server.name}, which nobody here has agreed to`,
  );
  const chosen = await ask(person, frame(title, describeLaunch(server, folder), terminal.width), [
    ['y', 'start it, now and from now on, while it stays as it is'],
    ['n', 'leave it out'],
  ]);
  return chosen === 0;
}

const toolVerdicts = ['ask', 'trust', 'leave-out'] as const satisfies readonly McpVerdict[];

interface Offered {
  /** The server's. */
  readonly name: string;
  readonly tools: readonly McpTool[];
}

/** Shows all that a model would read of these tools. */
export async function askTools(person: McpPerson, { name, tools }: Offered): Promise<McpVerdict> {
  const count = tools.length === 1 ? 'a tool that is' : `${tools.length} tools that are`;
  const title = showExactLine(
    `The MCP server ${name} has ${count} new or described anew. A model would read:`,
  );
  const chosen = await ask(person, frame(title, describeTools(tools), person.terminal.width), [
    ['y', 'offer them to the model; each call is asked about'],
    ['t', 'trust them: calls are not asked about, but of those that say they may destroy'],
    ['n', 'leave them out'],
  ]);
  return toolVerdicts[chosen] ?? 'leave-out';
}

/** The last choice is the one that changes nothing. */
async function ask(
  { terminal, hold }: McpPerson,
  shown: string,
  choices: readonly (readonly [key: string, what: string])[],
): Promise<number> {
  hold();
  const kept = terminal.keepShown(() => terminal.display.print(`\n${shown}`));
  const last = choices.length - 1;
  const rows = choices.map(([key, what], index) => ({
    row: `[${key}] ${what}`,
    keys: index === last ? [key, 'escape', 'ctrl-c', 'closed'] : [key],
  }));
  const { signal } = new AbortController();
  const chosen = await terminal.choose(rows, { signal, selected: last }).finally(() => kept.end());
  terminal.display.print(`  ${rows[chosen]?.row ?? ''}`);
  return chosen;
}
