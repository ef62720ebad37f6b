import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { declareProgram } from '../../src/cli/commands/declared-commands.js';
import type { Script } from '../../src/offline/fake-provider.js';
import { act, type Bench, scripted, setUp } from '../support/cli-harness.js';
import { listen } from '../support/listen.js';

/** Provokes the startup and terminal messages of the page, and searches the source code for its other messages. */
const page = readFileSync('docs/troubleshooting.md', 'utf8');
const inNode = promisify(execFile);
const main = join(process.cwd(), '.build/src/service/main.js');

/** Returns the messages in the first column of the table of a section. */
function messagesOf(section: string): string[] {
  const [, text = ''] = page.split(`## ${section}\n`);
  const [table = ''] = text.split(/^## /m);
  return table.split('\n').flatMap((line) => /^\| `(.+?)` \| /.exec(line)?.[1] ?? []);
}

/** Matches a message in which `…` means any text. */
const patternOf = (message: string): RegExp =>
  new RegExp(
    message
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
    's',
  );

const unsaid = (messages: readonly string[], said: readonly string[]): string[] =>
  messages.filter((message) => !said.some((text) => patternOf(message).test(text)));

test('the service prints each startup message of the troubleshooting page', async () => {
  const taken = createServer();
  const url = await listen(taken);
  const trials: Record<string, string>[] = [
    { PORT: new URL(url).port },
    { HOST: '0.0.0.0' },
    { HOST: '0.0.0.0', PROJECTS_DIR: '.' },
    { UPSTREAM: 'x' },
    { UPSTREAMS: 'http://127.0.0.1:11434/v1' },
    { OPENAI_UPSTREAM_URL: 'api.openai.com/v1', PORT: 'http' },
    { PROJECTS: '{"shop": "."}' },
    { PROJECTS: '{"6f9619ff-8b86-4d01-b42d-00cf4fc964ff": "/nowhere/at/all"}' },
    { AUTH_TOKENS_FILE: '/nowhere/at/all' },
    { HOST: '192.0.2.1', ALLOW_UNAUTHENTICATED: 'on' },
    { HTTPS_PROXY: 'socks5://proxy.example:1080' },
  ];
  const ends = trials.map((env) => inNode(process.execPath, [main], { env }));
  const misused = inNode(process.execPath, [main, '--port', '9000'], { env: {} });
  const said = await Promise.all(
    [...ends, misused].map((end) =>
      end.then(
        () => '',
        ({ stderr }) => stderr,
      ),
    ),
  );
  taken.close();
  expect(unsaid(messagesOf('The service does not start'), said)).toEqual([]);
  expect(messagesOf('The service does not start')).toHaveLength(13);
}, 120_000);

/** The arguments of a command and the scripted reply of the model. */
type Trial = readonly [args: readonly string[], script?: Script, files?: Readonly<Record<string, string>>];

const hello: Script = { text: 'Final Answer: Hello.' };

test('the command prints each terminal message of the troubleshooting page', async () => {
  // A server that closes each connection at once. An unused port would not do, since another suite may start to
  // use it.
  const silent = createServer(({ socket }) => socket.destroy());
  const nobody = await listen(silent);
  const server = createServer((_, response) => response.end('hello'));
  const other = await listen(server);
  const named = { '.mcp.json': '{"mcpServers": {"files": {"command": "true"}}}', 'README.md': '# A shop\n' };
  const trials: readonly Trial[] = [
    [['Hello']],
    [['--model', 'gpt-4o', 'Hello']],
    [['--model', 'llama', 'Hello']],
    [['--model', 'llama', '--upstream', 'nowhere', 'Hello']],
    [[...scripted, 'Hello'], { fault: 'unauthorized' }],
    [[...scripted, 'Hello'], { fault: 'reset' }],
    [['--server', nobody, 'Hello']],
    [['--server', other, 'Hello']],
    [[...scripted, '--token-limit', '300', 'Hello']],
    [
      [...scripted, 'Write'],
      [act('write_file(path="a", content="x")'), { text: 'Final Answer: No.' }],
    ],
    [[]],
    [[...scripted, 'See @READM.md'], hello, named],
    [['--modell', 'x', 'Hello']],
    [['completion', 'bash', '--yes']],
    [['docter']],
    [['--continue', 'Hello']],
    [['--tools', 'nothing.js', 'Hello']],
  ];
  const said: string[] = [];
  for (const [args, script = hello, files = {}] of trials) {
    // The command starts its own service if `--server` is absent.
    const bench: Bench = await setUp(script, files, { inProcess: true });
    const { stdout, stderr } = await bench.run(args);
    said.push(stdout + stderr);
  }
  server.close();
  silent.close();
  expect(unsaid(messagesOf('At the terminal'), said)).toEqual([]);
  expect(messagesOf('At the terminal').length).toBeGreaterThan(14);
}, 240_000);

test('each request error of the troubleshooting page is in the source of the service', async () => {
  const { errorCodes } = await import('../../src/contract/error-codes.js');
  const said = [
    ...Object.values(errorCodes).map(({ message }) => message),
    sourceOf('src/service/http/intake'),
    readFileSync('src/contract/explain-issue.ts', 'utf8'),
  ];
  expect(unsaid(messagesOf('A request is refused'), said)).toEqual([]);
});

describe('each message of a UI on the troubleshooting page is in the source of that UI', () => {
  test.each([
    ['In the playground', 'src/playground'],
    ['In VS Code', 'examples/vscode/src'],
  ])('every message of the section "%s" is in the source of that UI', (section, folder) => {
    const source = sourceOf(folder).replaceAll(/\$\{[^}]*\}/g, '…');
    const messages = messagesOf(section);
    expect(messages.length).toBeGreaterThan(6);
    const missing = messages.filter((message) => !source.includes(message.replace(/ $/, '')));
    expect(missing).toEqual([]);
  });
});

function sourceOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

test('each label on the troubleshooting page exists in the VS Code extension', () => {
  const quoted = [...page.matchAll(/“([A-Z][a-z ]+)”/g)].map(([, label = '']) => label);
  expect(quoted.length).toBeGreaterThan(1);
  expect(quoted.filter((label) => !sourceOf('examples/vscode/src').includes(`'${label}'`))).toEqual([]);
});

test('each flag and command on the troubleshooting page exists', () => {
  const program = declareProgram();
  const ofTheCommand = [program, ...program.commands].map((command) => command.helpInformation()).join('');
  const help = ofTheCommand + readFileSync('src/service/run.ts', 'utf8');
  const quoted = [...page.matchAll(/`([^`]*)`/g)].flatMap(
    ([, text = '']) => text.match(/(?<![\w-])--[a-z][a-z-]+/g) ?? [],
  );
  expect(quoted.length).toBeGreaterThan(8);
  expect([...new Set(quoted)].filter((flag) => !help.includes(flag))).toEqual([]);
  const names = program.commands.map((command) => command.name());
  expect(names).toEqual(expect.arrayContaining(['doctor', 'serve']));
});
