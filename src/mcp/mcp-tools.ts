import type { Tool } from '../sdk/actions/define-tool.js';
import { type McpOptions, type McpServerState, RunningServer } from './running-server.js';

/** Servers that run, and their tools. */
export interface McpTools {
  /** The tools of now; for `tools` of a run, which asks before each step. Never rejects but for what `review` throws. */
  readonly tools: () => Promise<readonly Tool[]>;
  readonly servers: readonly McpServerState[];
  /** Ends all servers and what they started. */
  close(): Promise<void>;
}

/**
 * Starts servers of the Model Context Protocol and makes tools of theirs (rule: mcp-tools). A server that cannot be
 * started, hangs or ends is told to `onNotice` and left out; the others go on.
 */
export async function mcpTools(options: McpOptions): Promise<McpTools> {
  const servers = Object.entries(options.servers).map(
    ([name, server]) => new RunningServer(name, server, options),
  );
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  options.signal?.addEventListener('abort', close, { once: true });
  if (options.signal?.aborted) await close();
  await Promise.all(servers.map((server) => server.start()));
  return {
    tools: async () => {
      const tools: Tool[] = [];
      // One after the other: a person can be asked about one server at a time.
      for (const server of servers) tools.push(...(await server.tools()));
      return tools;
    },
    get servers() {
      return servers.map((server) => server.state);
    },
    close,
  };
}
