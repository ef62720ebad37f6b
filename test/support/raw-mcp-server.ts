/**
 * A Model Context Protocol server that uses no library, because libraries do not allow its deviations from the
 * protocol. It runs as a program of its own, whose first argument describes its behaviour as JSON.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** Deviations of the server from the protocol. Where a field is omitted, the server follows the protocol. */
export interface RawServer {
  /** Text that the server writes before any message. */
  readonly greeting?: string;
  /** Text that the server writes before and after each message. */
  readonly around?: readonly [string, string];
  /** Version of JSON-RPC that messages declare. */
  readonly version?: string;
  readonly neverInitializes?: boolean;
  readonly neverLists?: boolean;
  /** Number of characters that the server writes to its standard error. */
  readonly errorFlood?: number;
  /** The entries of `tools/list`, page by page. */
  readonly pages?: readonly (readonly unknown[])[];
  /** The pages that the server lists after its tool `change` was called. */
  readonly changedPages?: readonly (readonly unknown[])[];
  /** Path of a file with the tools to list. The server reads it at each `tools/list`. */
  readonly listFile?: string;
  /** If true, the cursor of every page leads to the same page again. */
  readonly circles?: boolean;
  /** Path of a file to which the server appends every message it receives. */
  readonly log?: string;
  /**
   * If true, the server starts two processes that go on after its end unless someone kills them: one in a new session,
   * one forked twice.
   */
  readonly startsProcess?: boolean;
  /** Path of a file to which the server writes its process id, so that a test can kill it. */
  readonly pidFile?: string;
  /** If set, the server has a tool `deep` whose schema is nested this deeply. */
  readonly schemaDepth?: number;
}

/** Returns the command by which a test starts this server. */
export const rawServer = (behaviour: RawServer) => ({
  command: process.execPath,
  args: [new URL(import.meta.url).pathname, JSON.stringify(behaviour)],
});

/** Kills the server whose process id is in a file, as another program on the machine might. */
export const killServer = (pidFile: string) => process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Functions that carry out the server's tools, by name. */
const calls: Readonly<Record<string, (id: number, behaviour: RawServer) => void>> = {
  echo: (id) => answer(id, text('hello')),
  fail: (id) => answer(id, { ...text('It went wrong.'), isError: true }),
  die: () => process.exit(7),
  hang: () => undefined,
  freeze: () => {
    for (;;);
  },
  flood: (id) => {
    for (let line = 0; line < 2_000; line++) process.stdout.write(`${'x'.repeat(1_000)} no protocol\n`);
    answer(id, text('after the flood'));
  },
  never_ending_line: () => {
    for (let part = 0; part < 12; part++) process.stdout.write('x'.repeat(1_000_000));
  },
  storm: () => {
    const one = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n`;
    const writeOn = () => process.stdout.write(one.repeat(1_000), writeOn);
    writeOn();
  },
  garbage: () => void process.stdout.write('no protocol\n'.repeat(20_000)),
  deep_result: (id) => {
    const deep = `{"content":[],"structuredContent":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${deep}}\n`);
  },
  picture: (id) =>
    answer(id, {
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'file:///plan.pdf', name: 'The plan', mimeType: 'application/pdf' },
      ],
    }),
  wrong_id: (id) => answer(id + 1_000, text('for somebody else')),
  change: (id) => {
    changed = true;
    send({ method: 'notifications/tools/list_changed' });
    answer(id, text('changed'));
  },
  ask_back: (id) => {
    for (const [offset, method] of ['sampling/createMessage', 'elicitation/create', 'roots/list'].entries())
      send({ id: 900 + offset, method, params: {} });
    waiting = id;
  },
  long: (id) => answer(id, text('word '.repeat(40_000))),
  null_result: (id) => answer(id, null),
  no_result: (id) => answer(id, {}),
  environment: (id) => answer(id, text(JSON.stringify(process.env))),
  tells_secret: (id) => {
    const message = `with ${process.env['TOKEN']}`;
    send({ method: 'notifications/progress', params: { progressToken: id, progress: 1, message } });
  },
  repeats_secret: (id) => answer(id, { ...text(`bad token ${process.env['TOKEN']}`), isError: true }),
};

let changed = false;
let version = '2.0';
let [before, after] = ['', ''];
let waiting = 0;
const answersToUs: unknown[] = [];

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const send = (message: object) => write(JSON.stringify({ jsonrpc: version, ...message }));
const write = (message: string) => process.stdout.write(`${before}${message}${after}\n`);
const answer = (id: number, result: unknown) => send({ id, result });

function listTools(id: number, { cursor: at }: { cursor?: number }, behaviour: RawServer): void {
  const { listFile, circles } = behaviour;
  const { pages = [listFile ? JSON.parse(readFileSync(listFile, 'utf8')) : []], changedPages = pages } =
    behaviour;
  const all = changed ? changedPages : pages;
  const page = Number(at ?? 0);
  const next = circles ? 'again' : page + 1 < all.length ? String(page + 1) : undefined;
  const tools = JSON.stringify(all[page] ?? all[0]);
  const cursor = next === undefined ? '' : `,"nextCursor":"${next}"`;
  // The response is written as text, because JSON.stringify cannot write values that are nested this deeply.
  write(
    `{"jsonrpc":"2.0","id":${id},"result":{"tools":${tools.slice(0, -1)}${deepTool(behaviour)}]${cursor}}}`,
  );
}

function deepTool({ schemaDepth: depth = 0 }: RawServer): string {
  if (depth === 0) return '';
  const schema = `${'{"properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`;
  return `,{"name":"deep","description":"","inputSchema":${schema}}`;
}

function receive(message: Message, behaviour: RawServer): void {
  const { id, method, params = {} } = message;
  if (behaviour.log) appendFileSync(behaviour.log, `${JSON.stringify(message)}\n`);
  if (method === undefined) {
    answersToUs.push(message.error?.code ?? message.result);
    if (answersToUs.length === 3) answer(waiting, text(JSON.stringify(answersToUs)));
  } else if (id === undefined) return;
  else if (method === 'initialize' && !behaviour.neverInitializes) {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 'raw', version: '1' };
    answer(id, { protocolVersion: params['protocolVersion'], capabilities, serverInfo });
  } else if (method === 'tools/list' && !behaviour.neverLists) listTools(id, params, behaviour);
  else if (method === 'tools/call') calls[String(params['name'])]?.(id, behaviour);
  else if (method === 'ping') answer(id, {});
}

function serve(behaviour: RawServer): void {
  const { greeting = '', errorFlood = 0, startsProcess, pidFile, log } = behaviour;
  version = behaviour.version ?? version;
  [before, after] = behaviour.around ?? ['', ''];
  process.stdout.write(greeting);
  for (let left = errorFlood; left > 0; left -= 10_000) process.stderr.write('e'.repeat(10_000));
  if (startsProcess) {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
    if (log) appendFileSync(log, `${JSON.stringify({ started: child.pid })}\n`);
    const forkTwice = `setsid sleep 600 & echo "{\\"started\\":$!}" >> "$0"`;
    if (log) spawn('bash', ['-c', forkTwice, log], { detached: true, stdio: 'ignore' });
  }
  if (pidFile) writeFileSync(pidFile, String(process.pid));
  process.on('SIGTERM', () => undefined); // ignores the signal
  createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line), behaviour));
}

const [, program = '', given] = process.argv;
if (import.meta.url === pathToFileURL(program).href && given !== undefined) serve(JSON.parse(given));
