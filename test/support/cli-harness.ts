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
import { stripVTControlCharacters } from 'node:util';
import { afterEach } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import { type FakeProvider, type Script, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { Emulator } from './emulator.js';
import type { Need } from './need.js';

const main = join(process.cwd(), '.build/src/cli/main.js');

/** What is to be put away after a test: providers, processes, folders. */
const leftovers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const putAway of leftovers.splice(0).reverse()) await putAway();
});

/** The model's text for one step. */
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
  /** Runs the CLI to its end, with the scripted model. */
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Starts it without waiting. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams;
  /** Starts it with its output going to a file. */
  startOnto(file: string, args: readonly string[]): ChildProcessWithoutNullStreams;
  /** Starts it on a terminal of its own. */
  open(args: readonly string[]): Pty;
  /** Starts a shell with jobs on a terminal, and it as a command of that. */
  openInShell(args: readonly string[]): Pty;
  /** The messages of the provider's request of this index, as one text. */
  prompt(index: number): string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const scripted = ['--model', 'scripted', '--upstream', 'fake'];

/**
 * A project folder and a scripted model behind the real service, which runs here unless the CLI is to start it
 * in its own process.
 */
export async function setUp(
  script: Script,
  files: Readonly<Record<string, string>> = {},
  { inProcess = false } = {},
): Promise<Bench> {
  const provider = await startFakeProvider(script);
  leftovers.push(() => provider.close());
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
  const server = inProcess ? [] : ['--server', await serve(environment)];
  const launch = (command: string, args: readonly string[]) => {
    const child = spawn(command, args, { env: environment });
    leftovers.push(() => void child.kill('SIGKILL'));
    return child;
  };
  const words = (args: readonly string[]) => [process.execPath, main, '--dir', folder, ...server, ...args];
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
    open: (args) => openPty(words(args), environment),
    openInShell: (args) => {
      const pty = openPty(['bash', '--norc', '--noprofile', '-i'], { ...environment, PS1: '$ ' });
      pty.type(`${words(args).map(quote).join(' ')}\r`);
      return pty;
    },
    prompt: (index) => JSON.stringify(provider.requests[index]?.body['messages']),
  };
}

async function serve(environment: NodeJS.ProcessEnv): Promise<string> {
  const service = await startLocalService(environment);
  leftovers.push(() => service.close());
  return service.url;
}

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stepwise-cli-')));
  leftovers.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
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
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, stdout: String(Buffer.concat(stdout ?? [])), stderr: String(Buffer.concat(stderr ?? [])) };
}

/** A program on a pseudo-terminal, as a person would see it. */
interface Pty {
  /** Types keys as they are. */
  type(keys: string): void;
  /** Resolves when the text stands in what was shown since the last call; fails after some seconds. */
  see(text: string): Promise<string>;
  /** Resolves when the window shows the text, to all its rows; fails after some seconds. */
  onScreen(text: string): Promise<string>;
  /** Resolves when the window shows the text no longer. */
  offScreen(text: string): Promise<string>;
  /** Everything shown so far, without colours and movements. */
  readonly shown: string;
  /** The same as it came, with everything that acts on a terminal. */
  readonly raw: string;
  /** Makes the window larger or smaller. */
  resize(columns: number, rows: number): void;
  /** Closes the terminal, as a person closes a window. */
  close(): void;
  /** The exit code. */
  readonly end: Promise<number | null>;
}

/** `script` of util-linux emulates the terminal; the one of macOS takes other options. */
export const terminal: Need = {
  name: 'script of util-linux',
  isMet: /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? ''),
};

/** Of 25 ms: a busy machine takes seconds to start a program. */
const TRIES = 1_000;

function openPty(words: readonly string[], env: NodeJS.ProcessEnv): Pty {
  const command = `exec ${words.map(quote).join(' ')}`;
  const child = spawn('script', ['-qfec', `stty cols 100 rows 40; ${command}`, '/dev/null'], { env });
  leftovers.push(() => void child.kill('SIGKILL'));
  let raw = '';
  let seen = 0;
  const emulator = new Emulator(100, 40);
  const characters = new StringDecoder('utf8');
  child.stdout.on('data', (chunk) => {
    const text = characters.write(chunk);
    raw += text;
    emulator.write(text);
  });
  const screenWith = async (isWanted: (screen: string) => boolean, wanted: string) => {
    let screen = '';
    for (let tries = 0; tries < TRIES; tries++) {
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
      for (let tries = 0; tries < TRIES; tries++) {
        const found = shown().indexOf(text, seen);
        if (found >= 0) {
          const part = shown().slice(seen, found + text.length);
          seen = found + text.length;
          return part;
        }
        await wait(25);
      }
      throw new Error(`"${text}" was not shown after:\n${shown().slice(seen)}`);
    },
    onScreen: (text) => screenWith((screen) => screen.includes(text), `"${text}" is not`),
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
