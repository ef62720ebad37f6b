import type { Tool, ToolArguments } from '../sdk/actions/define-tool.js';
import { ToolError } from '../sdk/actions/tool-errors.js';
import type { LeftOutTool } from './listed-tools.js';
import { type McpCall, McpConnection, type McpTimeouts } from './mcp-connection.js';
import type { McpServer } from './mcp-server.js';
import { type McpReview, type McpTool, type McpVerdict, toMcpTool } from './mcp-tool.js';
import { offeredNames } from './tool-names.js';

/** What `mcpTools` is given. */
export interface McpOptions {
  /** The servers by the names that prefix their tools. */
  readonly servers: Readonly<Record<string, McpServer>>;
  /** Where programs run, and what servers are told that is worked in; default: the folder of this process. */
  readonly folder?: string | undefined;
  /**
   * Decides about tools before the model hears of them, and again when a server describes them anew: for all of them, or for
   * each by its fingerprint, where one that is missing is left out. Default: `ask`.
   */
  readonly review?:
    | ((review: McpReview) => Promise<McpVerdict | ReadonlyMap<string, McpVerdict>>)
    | undefined;
  /** Told in one sentence when a server cannot be used any more, or a tool is left out. */
  readonly onNotice?: ((server: string, notice: string) => void) | undefined;
  /** Ends the servers when it fires, also while they start. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds: 30,000 to start, 10,000 for a page of the list, 120,000 for a call where not given. */
  readonly timeouts?: Partial<McpTimeouts> | undefined;
}

/** A server and what it offers. */
export interface McpServerState {
  readonly name: string;
  readonly isReady: boolean;
  /** Why it is not. */
  readonly reason: string | undefined;
  readonly tools: readonly { readonly tool: McpTool; readonly verdict: McpVerdict }[];
  readonly leftOut: readonly LeftOutTool[];
}

const defaultTimeouts: McpTimeouts = { connectMs: 30_000, listMs: 10_000, callMs: 120_000 };

/** One of the servers of `mcpTools`, from its start to its end. */
export class RunningServer {
  readonly #name: string;
  readonly #options: McpOptions;
  readonly #timeouts: McpTimeouts;
  readonly #server: McpServer;
  #connection: McpConnection | undefined;
  #reason: string | undefined;
  #renewing: Promise<void> | undefined;
  #listed: readonly McpTool[] = [];
  #leftOut: readonly LeftOutTool[] = [];
  /** By fingerprint: what was decided holds for this very description. */
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
    // Runs side by side wait for one listing, and a person is asked once.
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
    return this.#listed.flatMap((tool) => {
      const verdict = this.#verdictOn(tool);
      return verdict === 'leave-out' ? [] : [this.#toTool(tool, verdict)];
    });
  }

  /** Lists and judges anew what has changed. */
  async #renew(): Promise<void> {
    const connection = this.#connection;
    if (!connection?.isListStale || connection.ended !== undefined) return;
    try {
      const { tools, leftOut } = await connection.listTools();
      const names = offeredNames(
        this.#name,
        tools.map(({ name }) => name),
      );
      this.#listed = tools.map((tool, index) => toMcpTool(tool, names[index] ?? tool.name));
      this.#tellLeftOut(leftOut);
    } catch (error) {
      this.#giveUp(
        `is left out, its tools cannot be listed: ${error instanceof Error ? error.message : error}`,
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

  /** What nobody has judged yet is not offered. */
  #verdictOn({ fingerprint }: McpTool): McpVerdict {
    return this.#verdicts.get(fingerprint) ?? 'leave-out';
  }

  #tellLeftOut(leftOut: readonly LeftOutTool[]): void {
    const known = new Set(this.#leftOut.map(({ name }) => name));
    for (const { name, reason } of leftOut)
      if (!known.has(name)) this.#tell(`offers ${name}, which is left out: ${reason}`);
    this.#leftOut = leftOut;
  }

  #toTool(tool: McpTool, verdict: McpVerdict): Tool {
    const { name, toolName, description, inputSchema, isDestructive } = tool;
    return {
      name,
      description,
      inputSchema,
      // What a server says of itself makes nothing easier: a tool that claims only to read is asked about like any other.
      annotations: { readOnlyHint: undefined, requiresApproval: verdict !== 'trust' || isDestructive },
      timeoutMs: this.#timeouts.callMs,
      preview: async (args) =>
        `Tool ${toolName} of the MCP server ${this.#name}\n${JSON.stringify(args, null, 2)}`,
      execute: async (args, { signal, onOutput }) => {
        const { text, isError } = await this.#call(toolName, args, { signal, onOutput });
        if (isError) throw new ToolError(text);
        return text;
      },
    };
  }

  async #call(toolName: string, args: ToolArguments, call: McpCall) {
    if (!this.#connection) throw new ToolError(`The server ${this.#name} does not run.`);
    return this.#connection.call(toolName, args, call).catch((error: Error) => {
      throw new ToolError(`The server ${this.#name} failed: ${error.message}.`);
    });
  }

  #giveUp(reason: string): void {
    this.#listed = [];
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#tell(reason);
  }

  #tell(notice: string): void {
    this.#options.onNotice?.(this.#name, notice);
  }

  async close(): Promise<void> {
    this.#reason ??= 'was closed';
    await this.#connection?.close();
  }
}
