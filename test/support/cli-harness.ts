import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect, stripVTControlCharacters } from 'node:util';
import { afterEach } from '@jest/globals';
import { declareProgram } from '../../src/cli/commands/declared-commands.js';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { type FakeProvider, type Script, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { Emulator } from './emulator.js';
import type { Need } from './need.js';
import { until } from './until.js';

const main = join(process.cwd(), '.build/src/cli/main.js');

/** Functions that clean up after a test: they end providers and processes, and delete folders. */
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

/** Returns a scripted reply of the model that calls a tool. */
export const act = (call: string, thought = 'I act.'): ScriptedCompletion => ({
  text: `Thought: ${thought}\nAction: ${call}`,
});
export const answer = (text: string): ScriptedCompletion => ({
  text: `Thought: I know.\nFinal Answer: ${text}`,
});

export interface Bench {
  readonly folder: string;
  readonly provider: FakeProvider;
  readonly environment: NodeJS.ProcessEnv;
  /** Runs the CLI with the scripted model. Resolves when the CLI has ended. */
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Starts the CLI without waiting for it to end. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams;
  /** Starts the CLI with its output redirected to a file. */
  startOnto(file: string, args: readonly string[]): ChildProcessWithoutNullStreams;
  /** Starts the CLI on a pseudo-terminal. With `reportsNoSize`, it reports 0 columns and rows. */
  open(args: readonly string[], options?: { readonly reportsNoSize?: boolean }): Pty;
  /** Starts a shell with job control on a pseudo-terminal, and the CLI within that shell. */
  openInShell(args: readonly string[]): Pty;
  /** Returns all messages of the provider's request with this index as one text. */
  prompt(index: number): string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const scripted = ['--model', 'scripted', '--upstream', 'fake'];

/**
 * Creates a project folder, and a scripted model behind a real service. With `inProcess`, the CLI starts the
 * service itself.
 */
export async function setUp(
  script: Script,
  files: Readonly<Record<string, string>> = {},
  { inProcess = false } = {},
): Promise<Bench> {
  const provider = await startFakeProvider(script);
  cleanups.push(() => provider.close());
  const folder = makeFolder(files);
  const environment = {
    PATH: process.env['PATH'],
    HOME: makeFolder({}),
    TERM: 'xterm-256color',
    UPSTREAMS: JSON.stringify({
      fake: `${provider.url}/v1`,
      guarded: { url: `${provider.url}/v1`, keyRequired: true },
    }),
  };
  const placed = { '--dir': folder, ...(!inProcess && { '--server': await serve(environment) }) };
  const launch = (command: string, args: readonly string[]) => {
    const child = spawn(command, args, { env: environment });
    cleanups.push(() => void child.kill('SIGKILL'));
    return child;
  };
  const words = (args: readonly string[]) => [
    ...[process.execPath, main],
    // `eval` must be the first word, and makes its steps itself.
    ...(args[0] === 'eval' ? [] : acceptedOf(placed, args)),
    ...args,
  ];
  const start = (args: readonly string[]) => launch(process.execPath, words(args).slice(1));
  const startOnto = (file: string, args: readonly string[]) => {
    return launch('sh', ['-c', 'file="$1"; shift; exec "$@" > "$file"', 'sh', file, ...words(args)]);
  };
  return {
    folder,
    provider,
    environment,
    start,
    startOnto,
    run: (args, input = '') => ended(start(args), input),
    open: (args, options) => openPty(words(args), environment, options),
    openInShell: (args) => {
      const pty = openPty(['bash', '--norc', '--noprofile', '-i'], { ...environment, PS1: '$ ' });
      pty.type(`${words(args).map(quote).join(' ')}\r`);
      return pty;
    },
    prompt: (index) => JSON.stringify(provider.requests[index]?.body['messages']),
  };
}

/**
 * Returns the arguments for those of the given options that the command in `args` accepts. The command for a task
 * accepts all of them.
 */
function acceptedOf(placed: Readonly<Record<string, string>>, args: readonly string[]): readonly string[] {
  const program = declareProgram();
  const command = program.commands.find((each) => args.includes(each.name())) ?? program;
  return Object.entries(placed)
    .filter(([flag]) => command.options.some(({ long }) => long === flag))
    .flat();
}

async function serve(environment: NodeJS.ProcessEnv): Promise<string> {
  const service = await startLocalService(environment);
  cleanups.push(() => service.close());
  return service.url;
}

/** Removes a folder. Returns false if a program that is just ending still writes into it. */
function tryRemove(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stepwise-cli-')));
  cleanups.push(async () => void (await until(() => tryRemove(folder))));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

export async function ended(child: ChildProcessWithoutNullStreams, input = ''): Promise<Ended> {
  const [stdout, stderr]: Buffer[][] = [[], []];
  child.stdout.on('data', (chunk) => stdout?.push(chunk));
  child.stderr.on('data', (chunk) => stderr?.push(chunk));
  // A program that refuses its options ends without reading its input.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') child.emit('error', error);
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, stdout: String(Buffer.concat(stdout ?? [])), stderr: String(Buffer.concat(stderr ?? [])) };
}

/** A program on a pseudo-terminal, and its output as a person would see it. */
interface Pty {
  /** Sends keys, without a line end after them. */
  type(keys: string): void;
  /** Resolves when the text appears in new output. Fails after some seconds. */
  see(text: string): Promise<string>;
  /** Resolves when the window shows all these texts at once. Fails after some seconds. */
  onScreen(...wanted: readonly (string | RegExp)[]): Promise<string>;
  /** Resolves when the window no longer shows the text. Fails after some seconds. */
  offScreen(text: string): Promise<string>;
  /** All output so far, without escape sequences. */
  readonly shown: string;
  /** All output so far, with its escape sequences. */
  readonly raw: string;
  /** Resizes the window. */
  resize(columns: number, rows: number): void;
  /** Closes the terminal, as if a person closed the window. */
  close(): void;
  /** Resolves to the program's exit code. */
  readonly end: Promise<number | null>;
}

/** The program `script` of util-linux emulates the terminal; the one of macOS takes different options. */
export const terminal: Need = {
  name: 'script of util-linux',
  isMet: /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? ''),
};

/** Maximum number of checks, one every 25 ms. A busy machine needs seconds to start a program. */
const MAX_CHECKS = 1_000;

function openPty(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { reportsNoSize = false }: { readonly reportsNoSize?: boolean } = {},
): Pty {
  const command = `exec ${words.map(quote).join(' ')}`;
  const size = reportsNoSize ? 'stty cols 0 rows 0' : 'stty cols 100 rows 40';
  const child = spawn('script', ['-qfec', `${size}; ${command}`, '/dev/null'], { env });
  cleanups.push(() => void child.kill('SIGKILL'));
  let raw = '';
  let searchedLength = 0;
  const emulator = new Emulator(100, 40);
  const characters = new StringDecoder('utf8');
  child.stdout.on('data', (chunk) => {
    const text = characters.write(chunk);
    raw += text;
    emulator.write(text);
  });
  const screenWith = async (isWanted: (screen: string) => boolean, wanted: string) => {
    let screen = '';
    for (let checks = 0; checks < MAX_CHECKS; checks++) {
      screen = (await emulator.window()).join('\n').trimEnd();
      if (isWanted(screen)) return screen;
      await wait(25);
    }
    throw new Error(`${wanted} on the screen:\n${screen}`);
  };
  const shown = () => stripVTControlCharacters(raw).replaceAll('\r', '');
  return {
    type: (keys) => void child.stdin.write(keys),
    resize: (columns, rows) => {
      const [shell] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
      const size = ['cols', String(columns), 'rows', String(rows)];
      spawnSync('stty', ['-F', readlinkSync(`/proc/${shell}/fd/0`), ...size]);
      emulator.resize(columns, rows);
    },
    close: () => void child.kill('SIGKILL'),
    see: async (text) => {
      for (let checks = 0; checks < MAX_CHECKS; checks++) {
        const found = shown().indexOf(text, searchedLength);
        if (found >= 0) {
          const part = shown().slice(searchedLength, found + text.length);
          searchedLength = found + text.length;
          return part;
        }
        await wait(25);
      }
      throw new Error(`"${text}" was not shown after:\n${shown().slice(searchedLength)}`);
    },
    onScreen: (...wanted) => {
      const isMissing = (text: string | RegExp, screen: string) =>
        typeof text === 'string' ? !screen.includes(text) : !text.test(screen);
      const isWhole = (screen: string) => !wanted.some((text) => isMissing(text, screen));
      return screenWith(isWhole, `Not all of ${inspect(wanted)} are`);
    },
    offScreen: (text) => screenWith((screen) => !screen.includes(text), `"${text}" stays`),
    get shown() {
      return shown();
    },
    get raw() {
      return raw;
    },
    end: once(child, 'close').then(([code]) => code),
  };
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export const escapeKey = '\u001b';
export const enterKey = '\r';
