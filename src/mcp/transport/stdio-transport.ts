import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import spawn from 'cross-spawn';
import { isObject } from '../../conversation/is-object.js';
import { endCommand, killOnExit } from '../../tools/run/end-command.js';
import { startOf } from '../../tools/run/process-table.js';
import { markVariable } from '../../tools/run/start-command.js';
import type { StdioServer } from '../mcp-server.js';

/**
 * Maximum number of consecutive lines that are not protocol messages. A server that writes more of them does not
 * support the protocol.
 */
const MAX_UNREADABLE_LINES = 10_000;
/**
 * Number of lines that are read in one turn of the event loop, so that a server that never stops writing cannot
 * block it.
 */
const LINES_PER_TURN = 100;
/** Maximum length of a line, and so of a message, in characters. */
const MAX_LINE_LENGTH = 10_000_000;
/** Number of characters kept from the end of standard error. */
const MAX_ERRORS_LENGTH = 2_000;
/** Number of characters that are kept of the first line that is not a message. */
const MAX_KEPT_LENGTH = 2_000;
/** Time to wait for the last output after the server has ended. */
const DRAIN_MS = 200;

/**
 * A transport to a server in a child process. Unlike the SDK's own transport, it also ends all descendants (npx,
 * the server, and its children), even when this process exits.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: StdioServer;
  readonly #folder: string;
  readonly #decoder = new StringDecoder('utf8');
  /** The beginning of a line that has not arrived completely yet. */
  #line = '';
  /** Complete lines that have not been read yet. */
  #lines: string[] = [];
  /** Number of lines since the last valid protocol message. */
  #unreadable = 0;
  #firstUnreadable: string | undefined;
  #hasSpoken = false;
  #reason: string | undefined;
  #child: ChildProcessWithoutNullStreams | undefined;
  #end: (() => Promise<void>) | undefined;
  #closing: Promise<void> | undefined;
  #errors = '';

  constructor(server: StdioServer, folder: string) {
    this.#server = server;
    this.#folder = resolve(folder, server.cwd ?? '');
  }

  /** The last characters that the server wrote to standard error. */
  get errors(): string {
    return this.#errors.trim();
  }

  /** Reason why the transport ended the server because of its output; undefined if it did not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Beginning of the server's output if none of it was a protocol message; undefined otherwise. */
  get otherOutput(): string | undefined {
    if (this.#hasSpoken) return undefined;
    return (this.#firstUnreadable ?? this.#line.slice(0, MAX_KEPT_LENGTH).trim()) || undefined;
  }

  /** Starts the program. Rejects if it cannot be started. */
  async start(): Promise<void> {
    const word = randomUUID();
    const { command, args = [], env } = this.#server;
    const child = spawn(command, args, {
      cwd: this.#folder,
      env: { ...getDefaultEnvironment(), ...env, ...markVariable(word) },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams; // three pipes, as asked for
    this.#child = child;
    const since = child.pid === undefined ? 0 : startOf(child.pid);
    const started = { child, mark: { word, queueLimit: undefined, since } };
    killOnExit(started);
    this.#end = () => endCommand(started);
    this.#listen(child);
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-MAX_ERRORS_LENGTH);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream.on('error', (error) => this.onerror?.(error));
    // The transport waits for `exit` instead of `close`, because a child of the server may keep the pipes open.
    child.once('exit', () => setTimeout(() => void this.close(), DRAIN_MS));
    child.once('error', () => void this.close());
  }

  #read(chunk: Buffer): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    const lines = [this.#line + first, ...others];
    this.#line = lines.pop() ?? '';
    if (this.#line.length > MAX_LINE_LENGTH)
      this.#giveUp(`it wrote a line of more than ${MAX_LINE_LENGTH.toLocaleString('en')} characters`);
    this.#lines = lines;
    this.#readSome();
  }

  /** Reads the next lines. Pauses the pipe until all lines are read, so that a fast server cannot fill the memory. */
  #readSome(): void {
    for (const line of this.#lines.splice(0, LINES_PER_TURN)) if (!this.#closing) this.#readLine(line);
    if (this.#closing) return;
    if (this.#lines.length === 0) this.#child?.stdout.resume();
    else {
      this.#child?.stdout.pause();
      setImmediate(() => this.#readSome());
    }
  }

  /** Reads a line. Skips a line that is not a message, because some programs also print greetings or logs. */
  #readLine(written: string): void {
    // Also removes a byte order mark, with which Windows programs may begin their output.
    const line = written.trim();
    this.#unreadable += 1;
    if (this.#unreadable > MAX_UNREADABLE_LINES)
      this.#giveUp(
        `it wrote ${MAX_UNREADABLE_LINES.toLocaleString('en')} lines that are not protocol messages`,
      );
    if (this.#closing) return;
    if (/^[{[]/.test(line)) this.#readMessages(line);
    if (!this.#hasSpoken) this.#firstUnreadable ??= line.slice(0, MAX_KEPT_LENGTH) || undefined;
  }

  /** Reads a message, or a list of messages, which revision 2025-03-26 of the protocol allows. */
  #readMessages(line: string): void {
    for (const message of [parseJson(line)].flat().flatMap(toMessage)) {
      this.#unreadable = 0;
      this.#hasSpoken = true;
      this.onmessage?.(message);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (!stdin?.writable) throw new Error('The server has ended.');
    await new Promise<void>((resolve, reject) =>
      stdin.write(serializeMessage(message), (error) => {
        if (!error) resolve();
        // The rejection waits for the last output, which usually explains why the server ended.
        else setTimeout(() => reject(error), DRAIN_MS);
      }),
    );
  }

  #giveUp(reason: string): void {
    this.#reason ??= reason;
    void this.close();
  }

  /** Ends the server and all its descendants. Resolves when none of them is running any more. */
  close(): Promise<void> {
    this.#closing ??= this.#endAll();
    return this.#closing;
  }

  async #endAll(): Promise<void> {
    this.#child?.stdin.destroy();
    await this.#end?.();
    this.onclose?.();
  }
}

/** JSON-RPC error code for an invalid message. */
const INVALID_MESSAGE = -32_600;

/**
 * Returns a list with the message. It is empty if the value is no message. An invalid reply becomes an error, so that
 * its request does not wait for the time limit.
 */
function toMessage(value: unknown): JSONRPCMessage[] {
  try {
    return [parseJSONRPCMessage(value)];
  } catch {
    const isReply = isObject(value) && ('result' in value || 'error' in value);
    if (!isReply || typeof value['id'] !== 'number') return [];
    const error = { code: INVALID_MESSAGE, message: 'its reply is not valid JSON-RPC' };
    return [{ jsonrpc: '2.0', id: value['id'], error }];
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
