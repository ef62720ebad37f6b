import type { Tool } from '../sdk/actions/define-tool.js';
import { type McpOptions, type McpServerState, RunningServer } from './running-server.js';

/** Running servers with their tools. */
export interface McpTools {
  /**
   * Returns the current tools. Pass this function as `tools` of a run, which calls it before each step. Rejects
   * only if `review` rejects.
   */
  readonly tools: () => Promise<readonly Tool[]>;
  /**
   * The current state of each server, in the order of `McpOptions.servers`, including those that could not be
   * started.
   */
  readonly servers: readonly McpServerState[];
  /** Ends all servers and every process that these have started. */
  close(): Promise<void>;
}

/**
 * Starts Model Context Protocol servers and returns their tools (rule: mcp-tools). If a server cannot be started, hangs or
 * ends, reports it to `onNotice` and continues without it.
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
      // The tools are read one server after the other, because `review` may ask a person, who can decide about
      // only one server at a time.
      for (const server of servers) tools.push(...(await server.tools()));
      return tools;
    },
    get servers() {
      return servers.map((server) => server.state);
    },
    close,
  };
}
