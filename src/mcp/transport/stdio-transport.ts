import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import spawn from 'cross-spawn';
import { endCommand, endWithProcess } from '../../tools/run/end-command.js';
import { startOf } from '../../tools/run/process-table.js';
import { markVariable } from '../../tools/run/start-command.js';
import type { StdioServer } from '../mcp-server.js';

/** A server that writes more lines without one message of the protocol does not speak it. */
const MAX_UNREADABLE_LINES = 10_000;
/** Read in one turn of the event loop: a server that writes without end holds nobody else up. */
const LINES_AT_ONCE = 100;
/** In characters: each message is one line. */
const MAX_LINE_LENGTH = 10_000_000;
/** In characters, of the end of what it writes to its standard error. */
const MAX_ERRORS_LENGTH = 2_000;
/** Milliseconds for the last output to arrive. */
const DRAIN_MS = 200;

/**
 * A server in a process of its own. Unlike the transport of the SDK, it ends the server's whole family (npx, the
 * server, and what that started) and leaves none of them behind when this process ends, however it ends.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: StdioServer;
  readonly #folder: string;
  readonly #decoder = new StringDecoder('utf8');
  /** What has come of the line that is not at its end yet. */
  #line = '';
  /** Whole lines that wait for their turn. */
  #lines: string[] = [];
  /** Lines since the last message. */
  #unreadable = 0;
  #reason: string | undefined;
  #child: ChildProcessWithoutNullStreams | undefined;
  #end: (() => Promise<void>) | undefined;
  #closing: Promise<void> | undefined;
  #errors = '';

  constructor(server: StdioServer, folder: string) {
    this.#server = server;
    this.#folder = resolve(folder, server.cwd ?? '');
  }

  /** The end of what the server wrote to its standard error. */
  get errors(): string {
    return this.#errors.trim();
  }

  /** Why the server was ended, where that was for what it wrote. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Rejects if the program cannot be started. */
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
    endWithProcess(started);
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
    // A process that it started may hold the pipes open: the server's own end is what counts.
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

  /** No more is taken from the pipe before these are read, so that a server is no faster than its reader. */
  #readSome(): void {
    for (const line of this.#lines.splice(0, LINES_AT_ONCE)) if (!this.#closing) this.#readLine(line);
    if (this.#closing) return;
    if (this.#lines.length === 0) this.#child?.stdout.resume();
    else {
      this.#child?.stdout.pause();
      setImmediate(() => this.#readSome());
    }
  }

  /** What is no message is left out: some programs write a greeting, or what they do. */
  #readLine(line: string): void {
    this.#unreadable += 1;
    if (this.#unreadable > MAX_UNREADABLE_LINES)
      this.#giveUp(`it wrote ${MAX_UNREADABLE_LINES.toLocaleString('en')} lines that are no messages`);
    if (this.#closing || !line.startsWith('{')) return;
    try {
      const message = deserializeMessage(line);
      this.#unreadable = 0;
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (!stdin?.writable) throw new Error('The server has ended.');
    await new Promise<void>((resolve, reject) =>
      stdin.write(serializeMessage(message), (error) => {
        if (!error) resolve();
        // Why it ended stands in its last output, which may still be on its way.
        else setTimeout(() => reject(error), DRAIN_MS);
      }),
    );
  }

  #giveUp(reason: string): void {
    this.#reason ??= reason;
    void this.close();
  }

  /** Ends the server and all that it started; resolves when nothing of it runs. */
  close(): Promise<void> {
    this.#closing ??= this.#endFamily();
    return this.#closing;
  }

  async #endFamily(): Promise<void> {
    this.#child?.stdin.destroy();
    await this.#end?.();
    this.onclose?.();
  }
}
