import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import { terminal } from '../support/cli-harness.js';
import { needs } from '../support/needs.js';
import { until } from '../support/until.js';

const demo = (...args: string[]) =>
  spawnSync(process.execPath, [join(process.cwd(), '.build/src/cli/commands/demo.js'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });

test.each([
  [['--dir', '/nowhere'], 'There is no folder /nowhere.'],
  [['--what'], 'There is no option --what.'],
  [['--tour', 'a question'], '--tour plays a recording: it takes no question and no other option.'],
  [['--model', 'nosuch'], 'If it is served by a configured endpoint, name that with --upstream'],
  [['--model', 'gpt-4o'], 'The model gpt-4o needs a key: set STEPWISE_LLM_KEY or OPENAI_API_KEY.'],
  [['--model', 'm', '--upstream', 'nope'], 'There is no endpoint nope; --upstream can be: openai, '],
  [['--server', 'http://127.0.0.1:9'], 'The service at http://127.0.0.1:9 could not be reached'],
])(
  'the demo explains the usage error %j in a sentence (rule: terminal)',
  (args, message) => {
    const { status, stdout, stderr } = demo(...args);
    expect(stdout + stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(status).toBe(1);
  },
  20_000,
);

test('the demo first quotes the document that states the limit (rule: offline-model)', () => {
  const { status, stdout } = demo();
  expect(status).toBe(0);
  expect(stdout).toMatch(/These passages match best .*\n\ndocs\/pricing\.md:11 /);
}, 20_000);

const { test: onTerminal } = needs(terminal);

onTerminal(
  'the demo shows whole lines on a terminal that reports 0 columns (rule: terminal)',
  () => {
    const program = join(process.cwd(), '.build/src/cli/commands/demo.js');
    const command = `stty cols 0 rows 0; exec "${process.execPath}" "${program}"`;
    const { status, stdout } = spawnSync('script', ['-qfec', command, '/dev/null'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(status).toBe(0);
    expect(stripVTControlCharacters(stdout)).toMatch(/^Observation .{20}/m);
  },
  60_000,
);

test('without a terminal, `demo --tour` prints the whole recorded run without waiting (rule: terminal)', () => {
  const { status, stdout, stderr } = demo('--tour');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).not.toContain('\u001b');
  const parts = [
    'A recorded run',
    'Left out ',
    'TODO ',
    'needs your approval',
    'allowed it',
    'denied it',
    'A follow-up',
  ];
  for (const part of [...parts, 'This was a recording.', 'npm start']) expect(stdout).toContain(part);
}, 20_000);

onTerminal(
  '`demo --tour` on a terminal of 40 columns waits, continues with Space and ends with Q (rule: terminal)',
  async () => {
    const program = join(process.cwd(), '.build/src/cli/commands/demo.js');
    const command = `stty cols 40 rows 12; exec "${process.execPath}" "${program}" --tour`;
    const child = spawn('script', ['-qfec', command, '/dev/null'], { env: { PATH: process.env['PATH'] } });
    let raw = '';
    child.stdout.on('data', (chunk) => {
      raw += chunk;
    });
    const shown = () => stripVTControlCharacters(raw);
    await until(shown, (text) => text.includes('Step 1'));
    child.stdin.write(' ');
    await until(shown, (text) => text.includes('Action'));
    child.stdin.write('q');
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(shown()).toContain('This was a recording.');
    expect(shown()).not.toContain('A follow-up');
    const lines = shown().split(/\r?\n/);
    expect(lines.filter((line) => line.length > 40)).toEqual([]);
  },
  60_000,
);
