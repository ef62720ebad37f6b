import type { McpReview, McpTool, McpVerdict } from '../../mcp/mcp-tool.js';
import type { McpTools } from '../../mcp/mcp-tools.js';
import type { Tool } from '../../sdk/actions/define-tool.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { showExact } from '../screen/visible-text.js';
import { McpAgreements } from './agreements.js';
import { askStart, askTools, type McpPerson } from './ask-about-server.js';
import { type ConfiguredServer, expandServer, readConfiguredServers } from './configured-servers.js';
import { describeState } from './describe-server.js';

/** The running MCP servers of a folder. */
export interface McpSession {
  /** Returns the tools that the servers offer at this moment. */
  tools(): Promise<readonly Tool[]>;
  /** Describes each server and its tools for `/mcp`. */
  describe(): string;
  /** Deletes the consent to a server, so that the next start asks again. Returns false if there was none. */
  forget(name: string): Promise<boolean>;
  close(): Promise<void>;
}

interface McpView extends McpPerson {
  readonly flags: Pick<RunFlags, 'json' | 'mcp' | 'allowMcp'>;
  readonly folder: string;
  /** Prints complete lines. */
  readonly print: (text: string) => void;
}

/**
 * Starts the configured servers that the person agrees to, and shows their tools before a model sees them. Resolves to
 * undefined if no server is configured. Throws `UsageError` if the `--mcp` file cannot be read.
 */
export async function openMcp(view: McpView): Promise<McpSession | undefined> {
  const { servers, problems } = await readConfiguredServers(view.folder, view.flags.mcp);
  const say = (text: string) => view.print(showExact(text));
  for (const problem of problems) say(problem);
  if (servers.length === 0) return undefined;
  const agreements = new McpAgreements(view.folder);
  const agreed = await serversToStart({ ...view, agreements }, servers);
  if (agreed.length === 0) return sessionOf(undefined, { servers, agreements });
  const { mcpTools } = await import('../../mcp/mcp-tools.js');
  const running = await mcpTools({
    servers: Object.fromEntries(agreed.map(({ server, expanded }) => [server.name, expanded])),
    folder: view.folder,
    onNotice: (server, notice) => say(`The MCP server ${server} ${notice}`),
    review: (review) => reviewTools({ ...view, agreements }, { servers, review }),
  });
  const session = sessionOf(running, { servers, agreements });
  // Loads the tools now, so that the person reviews them before typing the first task.
  await session.tools();
  return session;
}

type ConsentView = McpView & { readonly agreements: McpAgreements };

/** Returns the servers that may be started. Asks one question after the other. */
async function serversToStart(view: ConsentView, servers: readonly ConfiguredServer[]) {
  const agreed = [];
  for (const server of servers) {
    try {
      const expanded = expandServer(server.declaration, process.env);
      if (await mayStart(view, server)) agreed.push({ server, expanded });
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      view.print(showExact(`The MCP server ${server.name} is not started: ${reason}.`));
    }
  }
  return agreed;
}

async function mayStart(view: ConsentView, server: ConfiguredServer): Promise<boolean> {
  if (view.flags.allowMcp || (await view.agreements.isAgreed(server))) return true;
  if (!hasPerson(view)) {
    view.print(showExact(`The MCP server ${server.name} of ${server.file} is not started: ${NOBODY_AGREED}`));
    return false;
  }
  if (!(await askStart(view, { server, folder: view.folder }))) return false;
  await store(view, () => view.agreements.agree(server));
  return true;
}

const NOBODY_AGREED =
  'it needs your consent. Run stepwise at a terminal to be asked, or start all servers with --allow-mcp.';

const REVIEW_AT_TERMINAL = 'Run stepwise at a terminal to review the tools.';

const hasPerson = ({ flags, terminal }: McpView): boolean => terminal.isInteractive && !flags.json;

interface ReviewRequest {
  readonly servers: readonly ConfiguredServer[];
  readonly review: McpReview;
}

/** Returns stored verdicts for unchanged tools, and asks the person about new or changed ones. */
async function reviewTools(
  view: ConsentView,
  { servers, review }: ReviewRequest,
): Promise<ReadonlyMap<string, McpVerdict>> {
  const server = servers.find(({ name }) => name === review.server);
  const verdicts = new Map<string, McpVerdict>();
  const newTools: McpTool[] = [];
  for (const tool of review.tools) {
    const stored = server && (await view.agreements.verdictOn(server, tool));
    // With --allow-mcp every call needs approval, even of a tool that was trusted before.
    const verdict = stored === 'trust' && view.flags.allowMcp ? 'ask' : stored;
    if (verdict) verdicts.set(tool.fingerprint, verdict);
    else newTools.push(tool);
  }
  if (newTools.length === 0 || !server) return verdicts;
  const verdict = await reviewNewTools(view, { server, tools: newTools });
  for (const { fingerprint } of newTools) verdicts.set(fingerprint, verdict);
  return verdicts;
}

interface NewTools {
  readonly server: ConfiguredServer;
  readonly tools: readonly McpTool[];
}

async function reviewNewTools(view: ConsentView, { server, tools }: NewTools): Promise<McpVerdict> {
  if (view.flags.allowMcp) return 'ask';
  if (!hasPerson(view)) {
    const count = tools.length === 1 ? 'A tool' : `${tools.length} tools`;
    const notice = `${count} left out of the MCP server ${server.name}: new or changed since you agreed to it.`;
    view.print(showExact(`${notice} ${REVIEW_AT_TERMINAL}`));
    return 'leave-out';
  }
  const verdict = await askTools(view, { name: server.name, tools });
  await store(view, () => view.agreements.decide(server, tools, verdict));
  return verdict;
}

/** Stores a decision. If that fails, the decision holds for this session only. */
async function store({ print }: McpView, write: () => Promise<void>): Promise<void> {
  await write().catch((error: Error) =>
    print(showExact(`This decision could not be saved: ${error.message}`)),
  );
}

interface Configured {
  readonly servers: readonly ConfiguredServer[];
  readonly agreements: McpAgreements;
}

function sessionOf(running: McpTools | undefined, { servers, agreements }: Configured): McpSession {
  return {
    forget: (name) => agreements.forget(name),
    tools: async () => (await running?.tools()) ?? [],
    describe: () => {
      const states = running?.servers ?? [];
      const started = new Set(states.map(({ name }) => name));
      const others = servers.filter(({ name }) => !started.has(name));
      const lines = states.flatMap(describeState);
      return [...lines, ...others.map(({ name }) => showExact(`${name}  not started`))].join('\n');
    },
    close: async () => running?.close(),
  };
}
