import type { Tool, ToolArguments } from '../sdk/actions/define-tool.js';
import { ToolError } from '../sdk/actions/tool-errors.js';
import type { LeftOutTool } from './listed-tools.js';
import { type McpCall, McpConnection, type McpTimeouts } from './mcp-connection.js';
import type { McpServer } from './mcp-server.js';
import { type McpReview, type McpTool, type McpVerdict, toMcpTool } from './mcp-tool.js';
import { offeredNames } from './tool-names.js';

/** Options of `mcpTools`. */
export interface McpOptions {
  /** The servers by name. The name becomes the prefix of their tools. */
  readonly servers: Readonly<Record<string, McpServer>>;
  /**
   * Working directory of the servers. It is also reported to them as the project's root. Default: the current
   * directory.
   */
  readonly folder?: string | undefined;
  /**
   * Decides about new and changed tools before the model sees them. Returns one verdict for all of them, or a map
   * from fingerprint to verdict; tools that are missing in the map are left out. Default: `ask` for all.
   */
  readonly review?:
    | ((review: McpReview) => Promise<McpVerdict | ReadonlyMap<string, McpVerdict>>)
    | undefined;
  /** Called with one sentence when a server becomes unusable or a tool is left out. */
  readonly onNotice?: ((server: string, notice: string) => void) | undefined;
  /** Ends all servers when the signal is aborted, even while they are starting. */
  readonly signal?: AbortSignal | undefined;
  /** Time limits. Defaults: 30 s to start, 10 s for each page of the tool list, 120 s for a call. */
  readonly timeouts?: Partial<McpTimeouts> | undefined;
}

/** The state of a server and of its tools. */
export interface McpServerState {
  /** The server's name in `McpOptions.servers`. */
  readonly name: string;
  /** True while the server runs and its tools can be called. */
  readonly isReady: boolean;
  /** Reason why the server is not ready; undefined if it is ready. */
  readonly reason: string | undefined;
  /** The tools that the server last listed, including those that a verdict leaves out. */
  readonly tools: readonly DecidedTool[];
  /** Tools that the server listed but that cannot be offered, such as those with an invalid schema. */
  readonly leftOut: readonly LeftOutTool[];
}

/** A listed tool and what was decided about it. */
export interface DecidedTool {
  /** The tool as its server describes it now. */
  readonly tool: McpTool;
  /** The verdict of `McpOptions.review` for this version of the tool; `ask` without a review. */
  readonly verdict: McpVerdict;
}

const defaultTimeouts: McpTimeouts = { connectMs: 30_000, listMs: 10_000, callMs: 120_000 };

/** A running server and its tools, for `mcpTools`. */
export class RunningServer {
  readonly #name: string;
  readonly #options: McpOptions;
  readonly #timeouts: McpTimeouts;
  readonly #server: McpServer;
  #connection: McpConnection | undefined;
  #reason: string | undefined;
  #refreshing: Promise<void> | undefined;
  #listed: readonly McpTool[] = [];
  #leftOut: readonly LeftOutTool[] = [];
  /** Verdicts by the fingerprint of a tool, so that a tool that changes needs a new verdict. */
  readonly #verdicts = new Map<string, McpVerdict>();

  constructor(name: string, server: McpServer, options: McpOptions) {
    this.#name = name;
    this.#server = server;
    this.#options = options;
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
  }

  get state(): McpServerState {
    const reason = this.#reason ?? this.#connection?.ended;
    return {
      name: this.#name,
      isReady: reason === undefined,
      reason,
      tools: this.#listed.map((tool) => ({ tool, verdict: this.#verdictOn(tool) })),
      leftOut: this.#leftOut,
    };
  }

  async start(): Promise<void> {
    if (this.#reason !== undefined) return;
    const { folder = process.cwd() } = this.#options;
    try {
      const onEnd = () => this.#giveUp(`is left out: ${this.#connection?.ended}`);
      this.#connection = new McpConnection(this.#server, { folder, timeouts: this.#timeouts, onEnd });
      await this.#connection.open();
    } catch (error) {
      this.#giveUp(`cannot be used: ${error instanceof Error ? error.message : error}`);
    }
  }

  async tools(): Promise<readonly Tool[]> {
    if (this.#reason !== undefined) return [];
    // Concurrent runs share one refresh of the tool list, so that a person is asked only once.
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
    return this.#listed.flatMap((tool) => {
      const verdict = this.#verdictOn(tool);
      return verdict === 'leave-out' ? [] : [this.#toTool(tool, verdict)];
    });
  }

  /** Reads the tool list again if it has changed, and passes new and changed tools to `review`. */
  async #refresh(): Promise<void> {
    const connection = this.#connection;
    if (!connection?.isListStale || connection.ended !== undefined) return;
    try {
      const { tools, leftOut } = await connection.listTools();
      const names = offeredNames(
        this.#name,
        tools.map(({ name }) => name),
      );
      this.#listed = tools.map((tool, index) => toMcpTool(tool, names[index] ?? tool.name));
      this.#reportLeftOut(leftOut);
    } catch (error) {
      this.#giveUp(
        `is left out because its tools cannot be listed: ${error instanceof Error ? error.message : error}`,
      );
      await connection.close();
      return;
    }
    await this.#review(this.#listed.filter(({ fingerprint }) => !this.#verdicts.has(fingerprint)));
  }

  async #review(tools: readonly McpTool[]): Promise<void> {
    if (tools.length === 0) return;
    const decided = (await this.#options.review?.({ server: this.#name, tools })) ?? 'ask';
    for (const { fingerprint } of tools) {
      const verdict = typeof decided === 'string' ? decided : decided.get(fingerprint);
      this.#verdicts.set(fingerprint, verdict ?? 'leave-out');
    }
  }

  /** Returns the verdict on a tool; `leave-out` if there is none, so that the tool is not offered. */
  #verdictOn({ fingerprint }: McpTool): McpVerdict {
    return this.#verdicts.get(fingerprint) ?? 'leave-out';
  }

  #reportLeftOut(leftOut: readonly LeftOutTool[]): void {
    const reported = new Set(this.#leftOut.map(({ name }) => name));
    for (const { name, reason } of leftOut)
      if (!reported.has(name)) this.#notify(`offers ${name}, which is left out: ${reason}`);
    this.#leftOut = leftOut;
  }

  #toTool(tool: McpTool, verdict: McpVerdict): Tool {
    const { name, toolName, description, inputSchema, isDestructive } = tool;
    return {
      name,
      description,
      inputSchema,
      // The server's readOnlyHint is not passed on, because a malicious tool could set it to avoid approval.
      annotations: { readOnlyHint: undefined, requiresApproval: verdict !== 'trust' || isDestructive },
      timeoutMs: this.#timeouts.callMs,
      preview: async (args) =>
        `Tool ${toolName} of the MCP server ${this.#name}\n${JSON.stringify(args, null, 2)}`,
      execute: async (args, { signal, onOutput }) => {
        const { text, isError, attachments } = await this.#call(toolName, args, { signal, onOutput });
        if (isError) throw new ToolError(text);
        return attachments ? { content: text, attachments } : text;
      },
    };
  }

  async #call(toolName: string, args: ToolArguments, call: McpCall) {
    if (!this.#connection) throw new ToolError(`The server ${this.#name} is not running.`);
    return this.#connection.call(toolName, args, call).catch((error: Error) => {
      throw new ToolError(`The server ${this.#name} failed: ${error.message}.`);
    });
  }

  #giveUp(reason: string): void {
    this.#listed = [];
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#notify(reason);
  }

  #notify(notice: string): void {
    this.#options.onNotice?.(this.#name, notice);
  }

  async close(): Promise<void> {
    this.#reason ??= 'was closed';
    await this.#connection?.close();
  }
}
