import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const demo = (...args: string[]) =>
  spawnSync(process.execPath, [join(process.cwd(), '.build/src/cli/commands/demo.js'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });

test.each([
  [['--dir', '/nowhere'], 'There is no folder /nowhere.'],
  [['--what'], "Unknown option '--what'"],
  [['--model', 'nosuch'], 'name the endpoint that serves it with --upstream'],
])(
  'the demo says what to do about %j (rule: terminal)',
  (args, message) => {
    const { status, stdout, stderr } = demo(...args);
    expect(stdout + stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(status).toBe(1);
  },
  20_000,
);
