/**
 * Records the CLI on a pseudo-terminal with a scripted model, as asciicast files (asciinema v2) in docs/recordings:
 * `npm run record`. Needs `script` of util-linux.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { type FakeProvider, startFakeProvider } from '../src/service/offline/fake-provider.js';
import type { ScriptedReply } from '../src/service/offline/wire/reply.js';

const main = join(process.cwd(), '.build/src/cli/main.js');
const target = join(process.cwd(), 'docs/recordings');
const size = { columns: 100, rows: 40 };
const scripted = '--model scripted --upstream fake';

/** What is typed once a text is seen. */
type Move = readonly [see: string, type: string];

interface Recording {
  readonly title: string;
  readonly command: string;
  readonly replies: readonly ScriptedReply[];
  readonly moves?: readonly Move[];
}

const slowly = { chunkDelayMs: 40 };
const act = (thought: string, call: string): ScriptedReply => ({
  text: `Thought: ${thought}\nAction: ${call}`,
  ...slowly,
});
const answer = (text: string): ScriptedReply => ({
  text: `Thought: That is all.\nFinal Answer: ${text}`,
  ...slowly,
});
const block = (prose: string, value: object): ScriptedReply => ({
  text: `${prose}\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
});
const [escapeKey, enterKey, erase] = ['\u001b', '\r', '\u007f'];

const recordings: Readonly<Record<string, Recording>> = {
  approvals: {
    title: 'A task with approval: allow, edit, deny with a reason',
    command: `stepwise ${scripted} "Raise the limit in @config.js and test it"`,
    replies: [
      act('I raise it.', 'edit_file(path="config.js", old_string="30", new_string="40")'),
      act('I run the tests.', 'run_command(command="npm test")'),
      act('I clean up.', 'run_command(command="rm -r build")'),
      answer('The limit is 40. I left the build folder alone.'),
    ],
    moves: [
      ['[esc] stop', 'y'],
      ['exactly run_command(command="npm test")', 'e'],
      ['\ncommand: npm test', `${erase.repeat(8)}node --check config.js${enterKey}`],
      ['rm -r build', 'n'],
      ['Why not?', `That folder is needed.${enterKey}`],
    ],
  },
  'esc-model-call': {
    title: 'Esc during the model call',
    command: `stepwise ${scripted} "Think about it"`,
    replies: [{ text: 'never', delayMs: 60_000 }],
    moves: [['2s • esc', escapeKey]],
  },
  'esc-command': {
    title: 'Esc during a long command: its whole process group is gone',
    command: `stepwise ${scripted} "Wait for it"; echo; ps -C sleep -o pid=,stat=,args= | grep -v Z || echo "(no sleep is left)"`,
    replies: [act('This takes a while.', 'run_command(command="sleep 3001 & sleep 3002")')],
    moves: [
      ['[esc] stop', 'y'],
      ['Running run_command… 2s', escapeKey],
    ],
  },
  'step-limit': {
    title: 'The step limit; the exit code says so',
    command: `stepwise ${scripted} --max-steps 2 "Find the bug"; echo "exit code $?"`,
    replies: [act('I look around.', 'list_files()'), act('I look again.', 'search_code(pattern="bug")')],
  },
  'request-input': {
    title: 'The model asks the person',
    command: `stepwise ${scripted} "Deploy it"`,
    replies: [
      act('Where to?', 'request_input(question="Which environment?", choices=["staging", "production"])'),
      answer('It goes to staging.'),
    ],
    moves: [['answer:', `1${enterKey}`]],
  },
  todo: {
    title: 'The TODO list fills and empties; then the answer is asked for',
    command: `stepwise ${scripted} "Describe this project"`,
    replies: [
      act('A plan first.', 'create_tasks(tasks=["Look at the files", "Read the main one"])'),
      act('First.', 'list_files()'),
      act('Done.', 'update_task_status(id=1, status="completed")'),
      act('Second.', 'read_file(path="config.js")'),
      act('Done.', 'update_task_status(id=2, status="completed")'),
      answer('One file, one limit.'),
    ],
  },
  'strict-strategy': {
    title: 'Reason, act, observe: one model call each',
    command: `stepwise ${scripted} --strategy reason-act-observe "What is the limit?"`,
    replies: [
      block('I need to read the file.', {
        plan: ['read config.js'],
        tools_to_consider: ['read_file'],
        finish: false,
      }),
      act('Now.', 'read_file(path="config.js")'),
      block('There it is.', {
        observation: 'limit = 30',
        should_continue: false,
        final_answer: 'The limit is 30.',
      }),
    ],
  },
  json: {
    title: 'Events as lines of JSON, for scripts',
    command: `stepwise ${scripted} --json "What is here?" | cut -c1-96`,
    replies: [act('I look.', 'list_files()'), answer('One file.')],
  },
  replay: {
    title: 'A saved run is played again, and its completions are read again',
    command: `stepwise ${scripted} --save run.json "What is here?" > /dev/null 2>&1; stepwise replay run.json`,
    replies: [act('I look.', 'list_files()'), answer('One file.')],
  },
};

const provider = await startFakeProvider();
mkdirSync(target, { recursive: true });
for (const [name, recording] of Object.entries(recordings)) {
  provider.script(recording.replies);
  writeFileSync(join(target, `${name}.cast`), await record(recording, provider));
  console.log(`${name}: ${recording.title}`);
}
await provider.close();

async function record(recording: Recording, { url }: FakeProvider): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'));
  writeFileSync(join(folder, 'config.js'), 'export const limit = 30;\n');
  const setUp = `stepwise() { ${process.execPath} ${main} "$@"; }; stty cols ${size.columns} rows ${size.rows}`;
  const child = spawn('script', ['-qfec', `${setUp}; ${recording.command}`, '/dev/null'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      SHELL: '/bin/bash',
      TERM: 'xterm-256color',
      UPSTREAMS: JSON.stringify({ fake: `${url}/v1` }),
    },
  });
  const typed = `$ ${recording.command}\r\n`;
  const frames: [number, string][] = [[0, typed]];
  const begin = Date.now();
  child.stdout.on('data', (chunk) => frames.push([(Date.now() - begin) / 1000, String(chunk)]));
  const ended = once(child, 'close');
  await play(recording.moves ?? [], {
    shown: () => plainText(frames),
    type: (keys) => child.stdin.write(keys),
  });
  await ended;
  rmSync(folder, { recursive: true, force: true });
  return asciicast(recording.title, frames);
}

async function play(moves: readonly Move[], screen: { shown: () => string; type: (keys: string) => void }) {
  let seen = 0;
  for (const [see, keys] of moves) {
    let at = -1;
    for (let tries = 0; at < 0 && tries < 400; tries++) {
      await wait(25);
      at = screen.shown().indexOf(see, seen);
    }
    if (at < 0) throw new Error(`"${see}" was not shown.`);
    seen = at + see.length;
    await wait(600);
    screen.type(keys);
  }
}

function plainText(frames: readonly [number, string][]): string {
  return stripVTControlCharacters(frames.map(([, text]) => text).join(''));
}

function asciicast(title: string, frames: readonly [number, string][]): string {
  const header = { version: 2, width: size.columns, height: size.rows, title };
  const lines = frames.map(([seconds, text]) => [Number(seconds.toFixed(2)), 'o', text]);
  return `${[header, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}
