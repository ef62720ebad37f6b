import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  Client,
  type Request,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { isObject } from '../conversation/is-object.js';
import { type LeftOutTool, type ListedTool, readListedTool } from './listed-tools.js';
import { type McpServer, secretsOf, withoutSecrets } from './mcp-server.js';
import { type CallText, textOfResult } from './result-text.js';
import { FloodGauge } from './transport/flood-gauge.js';
import { openTransport } from './transport/open-transport.js';
import { StdioTransport } from './transport/stdio-transport.js';

/** Time limits for a server, in milliseconds. */
export interface McpTimeouts {
  /** Limit for the server's start and the handshake. The first start through `npx` includes a download. */
  readonly connectMs: number;
  /** Limit for each page of the tool list. */
  readonly listMs: number;
  /** Limit for a tool call. */
  readonly callMs: number;
}

export interface ConnectionOptions {
  readonly folder: string;
  readonly timeouts: McpTimeouts;
  /** Called once when an open connection ends for any reason other than `close`. */
  readonly onEnd: () => void;
}

/** Options of a tool call. */
export interface McpCall {
  readonly signal: AbortSignal;
  readonly onOutput?: ((output: string) => void) | undefined;
}

/** The tools that a server offers now. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/** Maximum number of tools per server. Every prompt lists all tools, and OpenAI accepts at most 128. */
const MAX_TOOLS = 128;
const MAX_PAGES = 64;
/** How long a server may take to answer a ping after a call was cancelled. */
const PING_TIMEOUT_MS = 2_000;
/** How long closing waits until an HTTP server confirms the end of the session. */
const LEAVE_TIMEOUT_MS = 2_000;
/** Maximum number of messages that a server may send at once; also the maximum per second over a longer time. */
const MAX_BURST = 5_000;
const MAX_PER_SECOND = 500;
/** Maximum length of a failure reason in characters. */
const MAX_REASON_LENGTH = 1_000;
/** Maximum length of the server's output that a failure reason quotes. */
const MAX_QUOTED_LENGTH = 100;
const CLOSED = 'it was closed';
/** HTTP statuses for an unknown session. The protocol demands 404, but many servers send 400. */
const UNKNOWN_SESSION: readonly number[] = [400, 404];
const clientInfo = { name: 'stepwise', version: '1' };
const capabilities = { roots: {} };

export class McpConnection {
  /** True if the tool list has never been read, or has changed since it was read. */
  isListStale = true;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #timeouts: McpTimeouts;
  readonly #secrets: readonly string[];
  readonly #flood = new FloodGauge(MAX_BURST, MAX_PER_SECOND);
  readonly #onEnd: () => void;
  #isOpen = false;
  #renewing: Promise<void> | undefined;
  #endReason: string | undefined;

  /** Throws `TypeError` if the URL is invalid. */
  constructor(server: McpServer, { folder, timeouts, onEnd }: ConnectionOptions) {
    this.#timeouts = timeouts;
    this.#onEnd = onEnd;
    this.#secrets = secretsOf(server);
    this.#transport = openTransport(server, folder);
    this.#transport.onmessage = () => this.#countMessage();
    this.#client = this.#createClient(folder);
  }

  /**
   * Creates a client that answers only the server's request `roots/list`. The SDK rejects all other requests of
   * the server.
   */
  #createClient(folder: string): Client {
    const roots = [{ uri: pathToFileURL(folder).href, name: 'project' }];
    const client = new Client(clientInfo, { capabilities });
    client.setRequestHandler('roots/list', () => ({ roots }));
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.isListStale = true;
    });
    client.onclose = () => this.#recordEnd(this.#transportReason ?? 'it ended by itself');
    return client;
  }

  /** Counts a message from the server. Ends the connection if the server sends too many messages. */
  #countMessage(): void {
    if (this.#flood.isFullAfterOne())
      void this.#end(`it sent more than ${MAX_PER_SECOND} messages a second, so it was ended`);
  }

  /** Reason why the connection ended; undefined while it is open. */
  get ended(): string | undefined {
    return this.#endReason && this.#withErrors(this.#endReason);
  }

  /**
   * Starts the server and performs the handshake. If that fails, ends the server and rejects with an `Error` that
   * gives the reason.
   */
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

  /** Reads all pages of the tool list. Rejects if the server fails or does not respond in time. */
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
    const tools = read.filter((each) => 'inputSchema' in each);
    const more = { name: '(the others)', reason: `a server's first ${MAX_TOOLS} tools are offered` };
    return {
      tools: tools.filter(isFirstOfItsName),
      leftOut: [
        ...read.filter((each) => 'reason' in each),
        ...tools.filter(isOtherTool).map(({ name }) => ({ name, reason: 'another tool has the same name' })),
        ...(entries.length > MAX_TOOLS ? [more] : []),
      ],
    };
  }

  /**
   * Redacts secrets in everything but the tool's name, which calls need unchanged. The depth of the schema was
   * checked before, so converting it to JSON cannot overflow the stack.
   */
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
      const result = await this.#request({ method: 'tools/list', params }, options);
      return isObject(result) ? result : {};
    } catch (error) {
      throw new Error(this.#reasonOf(error));
    }
  }

  /**
   * Calls a tool. If the server fails, hangs or ends, rejects with an `Error` whose message is meant for the
   * model. When the signal is aborted, cancels the call on the server, and ends the server if it no longer answers
   * a ping.
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
      return textOfResult(await this.#request(request, options), this.#secrets);
    } catch (error) {
      if (signal.aborted || hasCode(error, SdkErrorCode.RequestTimeout)) void this.#endIfDead();
      signal.throwIfAborted();
      throw new Error(this.#reasonOf(error));
    }
  }

  /**
   * Sends a request. If an HTTP server no longer knows the session, for example after a restart, opens a new session and
   * sends the request again, as the protocol demands.
   */
  async #request(request: Request, options: RequestOptions): Promise<unknown> {
    const { sessionId } = this.#transport;
    try {
      return await this.#client.request(request, anything, options);
    } catch (error) {
      if (sessionId === undefined || this.#endReason !== undefined) throw error;
      if (!(error instanceof SdkHttpError) || !UNKNOWN_SESSION.includes(error.status)) throw error;
      if (this.#transport.sessionId === sessionId) await this.#renewSession();
      return this.#client.request(request, anything, options);
    }
  }

  /** Opens a new session with the same server. Concurrent calls share it. */
  #renewSession(): Promise<void> {
    this.#renewing ??= this.#initializeAgain().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #initializeAgain(): Promise<void> {
    const params = { protocolVersion: this.#client.getNegotiatedProtocolVersion(), capabilities, clientInfo };
    const options = { timeout: this.#timeouts.connectMs };
    await this.#client.request({ method: 'initialize', params }, anything, options);
    await this.#client.notification({ method: 'notifications/initialized' });
    // A restarted server may offer other tools.
    this.isListStale = true;
  }

  /** Pings the server and ends it if it does not answer. A ping is needed because servers do not acknowledge a cancellation. */
  async #endIfDead(): Promise<void> {
    try {
      await this.#client.ping({ timeout: PING_TIMEOUT_MS });
    } catch {
      await this.#end('it did not answer a ping after a call was cancelled, so it was ended');
    }
  }

  /** Ends the server. Never rejects. */
  async close(): Promise<void> {
    this.#recordEnd(CLOSED);
    await this.#leaveSession();
    await this.#end(CLOSED);
  }

  /** Tells an HTTP server that the session is over. Otherwise many servers would keep it forever. */
  async #leaveSession(): Promise<void> {
    if (!(this.#transport instanceof StreamableHTTPClientTransport)) return;
    const left = this.#transport.terminateSession().catch(() => undefined);
    await Promise.race([left, setTimeout(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #end(reason: string): Promise<void> {
    this.#recordEnd(reason);
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  /** Records why the connection ended. Later reasons are ignored, because they are only consequences of the first. */
  #recordEnd(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    if (this.#isOpen && reason !== CLOSED) this.#onEnd();
  }

  #reasonOf(error: unknown): string {
    const isLate = hasCode(error, SdkErrorCode.RequestTimeout);
    const isOver = hasCode(error, SdkErrorCode.ConnectionClosed);
    const ended = isOver && (this.#endReason ?? this.#transportReason);
    const reason = withoutSecrets(
      (isLate && 'it did not answer in time') || ended || messageOf(error),
      this.#secrets,
    );
    const other = this.#otherOutput;
    return (other === undefined ? reason : `${other} (${reason})`).slice(0, MAX_REASON_LENGTH);
  }

  /** A sentence saying that the server wrote text that is not a protocol message; undefined if it did not. */
  get #otherOutput(): string | undefined {
    const begins = this.#transport instanceof StdioTransport ? this.#transport.otherOutput : undefined;
    if (begins === undefined) return undefined;
    const quoted = JSON.stringify(withoutSecrets(begins, this.#secrets).slice(0, MAX_QUOTED_LENGTH));
    return `it does not speak the protocol on its standard output, which begins with ${quoted}`;
  }

  get #transportReason(): string | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.reason : undefined;
  }

  /** Appends the last lines of standard error to a reason, because most programs explain their failure there. */
  #withErrors(reason: string): string {
    const errors = this.#transport instanceof StdioTransport ? this.#transport.errors : '';
    if (errors === '') return reason;
    return `${reason}: ${withoutSecrets(errors, this.#secrets).slice(-MAX_REASON_LENGTH)}`;
  }
}

/** Returns the message of an error followed by that of its cause, because `fetch failed` alone explains nothing. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SdkHttpError) return describeHttpFailure(error);
  // The SDK's validation writes a page of JSON.
  if (error.name === 'ZodError') return 'its reply is not valid JSON-RPC';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** What to do about an HTTP status, for people. */
const httpAdvice: Readonly<Record<number, string>> = {
  401: 'put a valid token into its headers; OAuth is not supported',
  404: 'check its url; a server of the older transport needs "type": "sse"',
  405: 'check its url; a server of the older transport needs "type": "sse"',
};

function describeHttpFailure({ status, message }: SdkHttpError): string {
  const advice = httpAdvice[status] ? ` (${httpAdvice[status]})` : '';
  const body = message.replace('Error POSTing to endpoint: ', '').replace(/\s+/g, ' ').trim();
  return `it answered with HTTP ${status}${advice}${body && `: ${body}`}`;
}

const hasCode = (error: unknown, code: SdkErrorCode): boolean =>
  error instanceof SdkError && error.code === code;

/**
 * A schema that accepts every value. If the SDK's own schemas were used, the SDK would reject a whole list because
 * of one invalid tool.
 */
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

const isFirstOfItsName = ({ name }: ListedTool, index: number, tools: readonly ListedTool[]): boolean =>
  tools.findIndex((each) => each.name === name) === index;

/** Returns true if an earlier tool has the same name, but is not the same tool listed again. */
const isOtherTool = (tool: ListedTool, index: number, tools: readonly ListedTool[]): boolean =>
  !isFirstOfItsName(tool, index, tools) &&
  !isDeepStrictEqual(
    tools.find(({ name }) => name === tool.name),
    tool,
  );
