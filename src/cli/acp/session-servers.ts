import type { McpServer as GivenServer } from '@agentclientprotocol/sdk';
import type { McpServer, McpTools } from '../../mcp/index.js';
import type { Tool } from '../../sdk/actions/define-tool.js';

interface ServersOptions {
  /** The real path of the session's folder. */
  readonly folder: string;
  /** Told what the person should know of a server, in one sentence. */
  readonly onNotice: (notice: string) => void;
}

/**
 * The MCP servers that an editor hands over with a session. The person has set them up there, so they are started
 * without asking; each of their calls is asked about.
 */
export class SessionServers {
  readonly #given: readonly GivenServer[];
  readonly #options: ServersOptions;
  readonly #end = new AbortController();
  #running: Promise<McpTools> | undefined;

  constructor(given: readonly GivenServer[], options: ServersOptions) {
    this.#given = given;
    this.#options = options;
  }

  /** Goes on while the person types the first prompt. */
  start(): void {
    if (this.#given.length === 0) return;
    const { folder, onNotice } = this.#options;
    const named = new Map<string, McpServer>();
    for (const each of this.#given) {
      if (named.has(each.name)) onNotice(`Two MCP servers are called ${each.name}: the first is used.`);
      else named.set(each.name, toServer(each));
    }
    const servers = Object.fromEntries(named);
    const notice = (server: string, said: string) => onNotice(`The MCP server ${server} ${said}`);
    this.#running = import('../../mcp/index.js').then(({ mcpTools }) =>
      mcpTools({ servers, folder, onNotice: notice, signal: this.#end.signal }),
    );
  }

  /** The tools of now; none once the signal fires, so that nobody waits for a server that hangs. */
  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    if (!this.#running) return [];
    const stopped = new Promise<readonly Tool[]>((resolve) => {
      signal.addEventListener('abort', () => resolve([]), { once: true });
      if (signal.aborted) resolve([]);
    });
    return Promise.race([this.#running.then((running) => running.tools()), stopped]);
  }

  /** Also while they start: nobody waits for a server that hangs. */
  async close(): Promise<void> {
    this.#end.abort();
    await (await this.#running)?.close();
  }
}

function toServer(given: GivenServer): McpServer {
  if (!('type' in given)) {
    const { command, args, env } = given;
    return { command, args, env: toRecord(env) };
  }
  const { type, url, headers } = given;
  return { type, url, headers: toRecord(headers) };
}

const toRecord = (pairs: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
