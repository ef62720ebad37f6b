/**
 * Records Codex and opencode at work, as asciicast files in docs/recordings. They use the service with a scripted model
 * that writes its calls as text, and are set up like those of `npm run check:agents`. `npm run record:agents` makes
 * both recordings; arguments select some of them. Needs `script` of util-linux.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agents } from './agents/agents.js';
import { findIsolation } from './agents/apart.js';
import { install } from './agents/installed.js';
import { pageUrl } from './agents/page.js';
import { scriptFor } from './agents/scripted-model.js';
import { openStage } from './agents/stage.js';
import { asciicast, startRecorded } from './terminal/asciicast.js';

const RECORDED = ['Codex', 'opencode'];
const SIZE = { columns: 100, rows: 36 };
const CHUNK_DELAY_MS = 40;
/** First argument that makes this program make one recording. */
const ONE = '--one';

const words = process.argv.slice(2);
if (words[0] === ONE) await recordOne(words.slice(1));
else for (const name of words.length > 0 ? words : RECORDED) recordApart(name);

/** Makes a recording in a process of its own. If the machine allows it, the process has no network but loopback. */
function recordApart(name: string): void {
  const program = [process.execPath, fileURLToPath(import.meta.url), ONE, name, ...install(agentOf(name))];
  const { status } = spawnSync('env', [...findIsolation(), ...program], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`the recording of ${name} failed`);
}

async function recordOne([name = '', ...programs]: readonly string[]): Promise<void> {
  const agent = agentOf(name);
  const script = scriptFor(agent);
  const stage = await openStage(agent, {
    programs,
    script: (request) => ({ ...script(request), chunkDelayMs: CHUNK_DELAY_MS }),
  });
  const { home, work, env, recorder } = stage;
  try {
    const lines = [...stage.scripts.join('').trim().split('\n'), 'cat kettle.txt'];
    const program = startRecorded(lines.flatMap((line) => [`echo ${quote(`$ ${line}`)}`, line]).join('\n'), {
      size: SIZE,
      cwd: work,
      env,
      rename,
    });
    await program.ended;
    const file = join('docs/recordings', `${name.toLowerCase()}.cast`);
    const title = `${name} over a model that writes its calls as text`;
    writeFileSync(file, asciicast(title, SIZE, program.frames));
    console.log(`${file}: ${title}`);
  } finally {
    await stage.close();
  }

  function rename(output: string): string {
    return output.replaceAll(recorder.url, pageUrl).replaceAll(home, '~').replaceAll(work, '~/kettle');
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function agentOf(name: string) {
  const agent = agents.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (agent === undefined) throw new Error(`unknown agent ${name}`);
  return agent;
}
