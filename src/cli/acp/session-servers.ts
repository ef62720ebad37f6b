import type { McpServer as GivenServer } from '@agentclientprotocol/sdk';
import type { McpServer, McpTools } from '../../mcp/index.js';
import type { Tool } from '../../sdk/actions/define-tool.js';

interface ServersOptions {
  /** The real path of the session's folder. */
  readonly folder: string;
  /** Receives a sentence about a server, for the person. */
  readonly onNotice: (notice: string) => void;
}

/**
 * The MCP servers that an editor configures for a session. The person configured them in the editor, so they start
 * without consent; each of their calls needs approval.
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

  /** Starts the servers in the background, while the person types the first prompt. */
  start(): void {
    if (this.#given.length === 0) return;
    const { folder, onNotice } = this.#options;
    const named = new Map<string, McpServer>();
    for (const each of this.#given) {
      if (named.has(each.name)) onNotice(`Two MCP servers are named ${each.name}; only the first is used.`);
      else named.set(each.name, toServer(each));
    }
    const servers = Object.fromEntries(named);
    const notice = (server: string, message: string) => onNotice(`The MCP server ${server} ${message}`);
    this.#running = import('../../mcp/index.js').then(({ mcpTools }) =>
      mcpTools({ servers, folder, onNotice: notice, signal: this.#end.signal }),
    );
  }

  /**
   * Returns the current tools, or none once the signal fires, so that a server that hangs does not block a cancelled
   * prompt.
   */
  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    if (!this.#running) return [];
    const stopped = new Promise<readonly Tool[]>((resolve) => {
      signal.addEventListener('abort', () => resolve([]), { once: true });
      if (signal.aborted) resolve([]);
    });
    return Promise.race([this.#running.then((running) => running.tools()), stopped]);
  }

  /** Stops the servers, including those that are still starting. */
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
