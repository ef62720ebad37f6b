import { pathToFileURL } from 'node:url';
import {
  Client,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client';
import { type LeftOutTool, type ListedTool, readListedTool } from './listed-tools.js';
import { type McpServer, secretsOf, withoutSecrets } from './mcp-server.js';
import { isRecord } from './records.js';
import { type CallText, textOfResult } from './result-text.js';
import { FloodGauge } from './transport/flood-gauge.js';
import { openTransport } from './transport/open-transport.js';
import { StdioTransport } from './transport/stdio-transport.js';

/** How long a server may take, in milliseconds. */
export interface McpTimeouts {
  /** To start and to shake hands; a first start by `npx` downloads. */
  readonly connectMs: number;
  /** For each page of its list of tools. */
  readonly listMs: number;
  /** For a call. */
  readonly callMs: number;
}

/** Where and how long. */
export interface ConnectionOptions {
  readonly folder: string;
  readonly timeouts: McpTimeouts;
  /** Called once when a server that was open ends or is given up, but not for `close`. */
  readonly onEnd: () => void;
}

/** What a call is given beside its arguments. */
export interface McpCall {
  readonly signal: AbortSignal;
  readonly onOutput?: ((piece: string) => void) | undefined;
}

/** The tools of a server as it lists them now. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/** More are not asked for: the prompt of each step holds all of them, and OpenAI takes 128 tools. */
const MAX_TOOLS = 128;
const MAX_PAGES = 64;
/** Milliseconds in which a server that was told to stop a call must show that it is alive. */
const ALIVE_MS = 2_000;
/** Messages that a server may send at once, and in each second for long. */
const MAX_BURST = 5_000;
const MAX_PER_SECOND = 500;
/** In characters, of what a server says about a failure. */
const MAX_REASON_LENGTH = 1_000;
const CLOSED = 'it was closed';

/** A conversation with one server, from its start to its end. */
export class McpConnection {
  /** The list of tools is another than the one that was read last. */
  isListStale = true;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #timeouts: McpTimeouts;
  readonly #secrets: readonly string[];
  readonly #flood = new FloodGauge(MAX_BURST, MAX_PER_SECOND);
  readonly #onEnd: () => void;
  #isOpen = false;
  #endReason: string | undefined;

  /** Throws `TypeError` for an address that cannot be one. */
  constructor(server: McpServer, { folder, timeouts, onEnd }: ConnectionOptions) {
    this.#timeouts = timeouts;
    this.#onEnd = onEnd;
    this.#secrets = secretsOf(server);
    this.#transport = openTransport(server, folder);
    this.#transport.onmessage = () => this.#count();
    this.#client = this.#createClient(folder);
  }

  /** A server may ask which folder is worked in; nothing else of what servers ask for is offered, so the SDK refuses it. */
  #createClient(folder: string): Client {
    const roots = [{ uri: pathToFileURL(folder).href, name: 'project' }];
    const client = new Client({ name: 'stepwise', version: '1' }, { capabilities: { roots: {} } });
    client.setRequestHandler('roots/list', () => ({ roots }));
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.isListStale = true;
    });
    client.onclose = () => this.#tellEnd(this.#transportReason ?? 'it ended by itself');
    return client;
  }

  /** A server that says more than anybody could have asked it for. */
  #count(): void {
    if (this.#flood.isFullAfterOne())
      void this.#end(`it sent more than ${MAX_PER_SECOND} messages a second, so it was ended`);
  }

  /** Why it is over; undefined while it is not. */
  get ended(): string | undefined {
    return this.#endReason && this.#withErrors(this.#endReason);
  }

  /** Starts the server and shakes hands. Rejects with an `Error` that says why that failed; then nothing of it runs. */
  async open(): Promise<void> {
    try {
      await this.#client.connect(this.#transport, { timeout: this.#timeouts.connectMs });
      this.#isOpen = true;
    } catch (error) {
      const reason = this.#reasonOf(error);
      await this.close();
      throw new Error(this.#withErrors(reason));
    }
  }

  /** All pages of the list. Rejects where the server fails or hangs. */
  async listTools(): Promise<ToolList> {
    this.isListStale = false;
    const entries: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && entries.length <= MAX_TOOLS; page++) {
      const result = await this.#listPage(cursor);
      entries.push(...(Array.isArray(result['tools']) ? result['tools'] : []));
      const { nextCursor: next } = result;
      if (typeof next !== 'string' || next === cursor) break;
      cursor = next;
    }
    const read = entries.slice(0, MAX_TOOLS).map((entry) => this.#withoutSecrets(readListedTool(entry)));
    const more = { name: '(the others)', reason: `a server's first ${MAX_TOOLS} tools are offered` };
    return {
      tools: withoutTwins(read.filter((each) => 'inputSchema' in each)),
      leftOut: [...read.filter((each) => 'reason' in each), ...(entries.length > MAX_TOOLS ? [more] : [])],
    };
  }

  /** In what a tool says of itself; not in its name, by which it is called. It is not nested deeply any more. */
  #withoutSecrets<Read extends ListedTool | LeftOutTool>(read: Read): Read {
    const { name } = read;
    const cleaned = JSON.parse(JSON.stringify(read), (_, value) =>
      typeof value === 'string' ? withoutSecrets(value, this.#secrets) : value,
    );
    return { ...cleaned, name };
  }

  async #listPage(cursor: string | undefined): Promise<Readonly<Record<string, unknown>>> {
    const params = cursor === undefined ? {} : { cursor };
    try {
      const options = { timeout: this.#timeouts.listMs };
      const result = await this.#client.request({ method: 'tools/list', params }, anything, options);
      return isRecord(result) ? result : {};
    } catch (error) {
      throw new Error(this.#reasonOf(error));
    }
  }

  /**
   * One call. Rejects with an `Error` in words for the model where the server fails, hangs or ends. When the signal fires
   * the server is told to stop; one that shows no life then is ended.
   */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { signal, onOutput }: McpCall,
  ): Promise<CallText> {
    try {
      const options = {
        timeout: this.#timeouts.callMs,
        signal,
        ...(onOutput && {
          onprogress: (progress: Progress) =>
            onOutput(`${withoutSecrets(describeProgress(progress), this.#secrets)}\n`),
        }),
      };
      const request = { method: 'tools/call', params: { name, arguments: args } };
      const { text, isError } = textOfResult(await this.#client.request(request, anything, options));
      return { text: withoutSecrets(text, this.#secrets), isError };
    } catch (error) {
      if (signal.aborted || hasCode(error, SdkErrorCode.RequestTimeout)) void this.#endIfDead();
      signal.throwIfAborted();
      throw new Error(this.#reasonOf(error));
    }
  }

  /** The protocol asks for no answer to a cancelled call: whether anybody listened shows only in another request. */
  async #endIfDead(): Promise<void> {
    try {
      await this.#client.ping({ timeout: ALIVE_MS });
    } catch {
      await this.#end('it did not stop a call and answered nothing more, so it was ended');
    }
  }

  /** Ends the server. Never rejects. */
  close(): Promise<void> {
    return this.#end(CLOSED);
  }

  async #end(reason: string): Promise<void> {
    this.#tellEnd(reason);
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  /** The first reason is the true one. */
  #tellEnd(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    if (this.#isOpen && reason !== CLOSED) this.#onEnd();
  }

  #reasonOf(error: unknown): string {
    if (hasCode(error, SdkErrorCode.RequestTimeout)) return 'it did not answer in time';
    const isOver = hasCode(error, SdkErrorCode.ConnectionClosed);
    const message = (isOver && (this.#endReason ?? this.#transportReason)) || messageOf(error);
    return withoutSecrets(message, this.#secrets).slice(0, MAX_REASON_LENGTH);
  }

  get #transportReason(): string | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.reason : undefined;
  }

  /** With the end of what the program wrote to its standard error: there it says why. */
  #withErrors(reason: string): string {
    const errors = this.#transport instanceof StdioTransport ? this.#transport.errors : '';
    if (errors === '') return reason;
    return `${reason}: ${withoutSecrets(errors, this.#secrets).slice(-MAX_REASON_LENGTH)}`;
  }
}

/** With that of its cause: `fetch failed` alone does not say why. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

const hasCode = (error: unknown, code: SdkErrorCode): boolean =>
  error instanceof SdkError && error.code === code;

/** The SDK would refuse the whole of an answer for one part of it that is wrong; the parts are read one by one here. */
const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'stepwise', validate: (value) => ({ value }) },
};

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const describeProgress = ({ progress, total, message }: Progress): string =>
  [total === undefined ? String(progress) : `${progress}/${total}`, message].filter(Boolean).join(' ');

/** A name that a server lists twice means the first. */
const withoutTwins = (tools: readonly ListedTool[]): readonly ListedTool[] =>
  tools.filter(({ name }, index) => tools.findIndex((each) => each.name === name) === index);
