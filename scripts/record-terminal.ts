/**
 * Records the CLI on a pseudo-terminal with a scripted model, as asciicast files (asciinema v2) in
 * docs/recordings. Also writes the resulting screens into docs/terminal.md. `npm run record` makes all recordings,
 * `npm run record -- NAME…` only those named. Needs `script` of util-linux.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type FakeProvider, startFakeProvider } from '../src/offline/fake-provider.js';
import { Emulator } from '../test/support/emulator.js';
import { asciicast, type Frame, type RecordedProgram, startRecorded } from './terminal/asciicast.js';
import { type Move, type Recording, recordings } from './terminal-recordings.js';

const main = join(process.cwd(), '.build/src/cli/main.js');
const target = join(process.cwd(), 'docs/recordings');
const manual = join(process.cwd(), 'docs/terminal.md');
const defaultSize = { columns: 80, rows: 30 };

const requestedNames = process.argv.slice(2);
const provider = await startFakeProvider();
mkdirSync(target, { recursive: true });
for (const [name, recording] of Object.entries(recordings)) {
  if (requestedNames.length > 0 && !requestedNames.includes(name)) continue;
  provider.script(recording.replies);
  const frames = await record(recording, provider);
  writeFileSync(
    join(target, `${name}.cast`),
    asciicast(recording.title, recording.size ?? defaultSize, frames),
  );
  await writeScreens(name, recording, frames);
  console.log(`${name}: ${recording.title}`);
}
await provider.close();

async function record({ command, moves = [], size = defaultSize }: Recording, { url }: FakeProvider) {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const folder = join(home, 'shop');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.js'), 'export const limit = 30;\n');
  const program = startRecorded(`stepwise() { ${process.execPath} ${main} "$@"; }; ${command}`, {
    shown: command,
    size,
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      UPSTREAMS: JSON.stringify({ fake: `${url}/v1` }),
    },
    rename: (output) => output.replaceAll(home, '~'),
  });
  await play(moves, program);
  await program.ended;
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  return program.frames;
}

async function play(moves: readonly Move[], screen: Pick<RecordedProgram, 'text' | 'type'>) {
  let readUpTo = 0;
  for (const [expected, keys] of moves) {
    let at = -1;
    for (let tries = 0; at < 0 && tries < 800; tries++) {
      await wait(25);
      at = screen.text().indexOf(expected, readUpTo);
    }
    if (at < 0)
      throw new Error(`"${expected}" did not appear on the screen after:\n${screen.text().slice(readUpTo)}`);
    readUpTo = at + expected.length;
    await wait(600);
    screen.type(keys);
  }
}

/**
 * Writes the final screen into the manual, and also the screen at the moment when the text `during` first
 * appeared.
 */
async function writeScreens(
  name: string,
  { during, size = defaultSize }: Recording,
  frames: readonly Frame[],
) {
  const emulator = new Emulator(size.columns, size.rows);
  for (const [, text] of frames) {
    emulator.write(text);
    if (during && (await emulator.window()).join('\n').includes(during)) {
      replaceBlock(`${name}, while it runs`, await emulator.window());
      during = undefined;
    }
  }
  replaceBlock(name, await emulator.rows());
}

/** Replaces the code block that follows the HTML comment `<!-- recorded: NAME -->` in the manual. */
function replaceBlock(name: string, rows: readonly string[]): void {
  const text = readFileSync(manual, 'utf8');
  const [before, after] = text.split(`<!-- recorded: ${name} -->\n`);
  if (before === undefined || after === undefined) return;
  const rest = after.replace(/^```text\n[\s\S]*?\n```\n/, '');
  const block = `\`\`\`text\n${rows
    .map((row) => row.trimEnd())
    .join('\n')
    .trimEnd()}\n\`\`\`\n`;
  writeFileSync(manual, `${before}<!-- recorded: ${name} -->\n${block}${rest}`);
}
