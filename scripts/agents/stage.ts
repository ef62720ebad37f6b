import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type FakeProvider, type Script, startFakeProvider } from '../../src/offline/fake-provider.js';
import { readConfig } from '../../src/service/settings/config.js';
import { startService } from '../../src/service/start.js';
import type { Agent } from './agents.js';
import { pageUrl, readInstructions, readUpstreams } from './page.js';
import { type Recorder, startRecorder } from './recorder.js';
import { before } from './scripted-model.js';

const TASK = 'Read kettle.txt, warm the kettle, and say what happened.';

/**
 * An agent with an empty home folder, set up as docs/use-it-with-your-agent.md says. It uses the service with a
 * scripted model.
 */
export interface Stage {
  readonly fake: FakeProvider;
  readonly recorder: Recorder;
  /** Address of the service itself, behind the recorder. */
  readonly serviceUrl: string;
  readonly home: string;
  /** The project: a Git repository with one file, `kettle.txt`. */
  readonly work: string;
  /** Environment of the agent. It inherits only `PATH` from this process, so the agent finds no key. */
  readonly env: Readonly<Record<string, string>>;
  /** Shell scripts to run in `work`, one after the other; the last one gives the agent its task. */
  readonly scripts: readonly string[];
  close(): Promise<void>;
}

/**
 * Starts a scripted model, the service with the settings of the documentation page, and a recorder in front of the
 * service; then writes the agent's settings files. `programs` are the folders of the agent's executables, and
 * `settings` further settings of the service.
 */
export async function openStage(
  agent: Agent,
  {
    programs,
    script,
    settings = {},
  }: {
    readonly programs: readonly string[];
    readonly script: Script;
    readonly settings?: Readonly<Record<string, string>>;
  },
): Promise<Stage> {
  const scratch = mkdtempSync(join(tmpdir(), 'stepwise-agent-'));
  const home = join(scratch, 'home');
  const work = join(scratch, 'kettle');
  const temporary = join(scratch, 'tmp');
  for (const each of [home, work, temporary]) mkdirSync(each);
  writeFileSync(join(work, 'kettle.txt'), `${before}\n`);
  const fake = await startFakeProvider(script);
  const service = await startService(
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...settings,
      UPSTREAMS: readUpstreams().replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, fake.url),
    }),
  );
  const recorder = await startRecorder(service.url);
  const env = { PATH: [...programs, process.env['PATH']].join(':'), HOME: home, TMPDIR: temporary };
  execFileSync('git', ['init', '--quiet'], { cwd: work, env });
  const { files, scripts } = readInstructions(agent.name);
  for (const [path, text] of Object.entries(files)) {
    const target = path.startsWith('~/') ? join(home, path.slice(2)) : join(work, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replaceAll(pageUrl, recorder.url));
  }
  return {
    fake,
    recorder,
    serviceUrl: service.url,
    home,
    work,
    env,
    scripts: scripts.map((each) =>
      each.replaceAll(pageUrl, recorder.url).replaceAll('"…"', `"${TASK}"`).replaceAll('FILE', 'kettle.txt'),
    ),
    async close() {
      await recorder.close();
      await service.close();
      await fake.close();
      rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
