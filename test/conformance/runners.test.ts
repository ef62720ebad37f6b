import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

/** The same runner in both languages. CI has Python; a contributor's machine may not. */
const runners = [
  ['TypeScript', [process.execPath, '.build/conformance/run.js']],
  ['Python', ['python3', 'conformance/run.py']],
] as const;
const hasPython = process.env['CI'] === 'true' || spawnSync('python3', ['--version']).status === 0;

const ours = [process.execPath, '.build/conformance/stepwise.js'];
/** A parser that proposes the same action for every reply, but gives no outcome for markers-13. */
const alwaysActing = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  if (id !== 'markers-13') console.log(JSON.stringify({ id, outcome: 'action', tool_name: 'read', tool_args: { path: 'a' } }));
}`;
/** A parser that never acts and gives no reason. */
const neverActing = alwaysActing.replace(/outcome: .*}/, "outcome: 'none' }");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  writeFileSync(join(folder, 'alwaysActing.mjs'), alwaysActing);
  writeFileSync(join(folder, 'neverActing.mjs'), neverActing);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(runners)('the %s conformance runner', (language, [program, ...words]) => {
  // In CI the test always runs, and fails without Python. Elsewhere Jest reports it as skipped.
  const runnerTest = language === 'Python' && !hasPython ? test.skip : test;
  const run = (command: readonly string[]) =>
    spawnSync(program, [...words, 'conformance', ...command], { encoding: 'utf8' });

  runnerTest(`the ${language} conformance runner reports no fault of this parser`, () => {
    const { status, stdout, stderr } = run(ours);
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/^(?:acted|missed|wrong call|differs|raised) /m);
    expect(status).toBe(0);
  });

  runnerTest(
    `the ${language} conformance runner reports each case that a parser misreads, with a verdict`,
    () => {
      const { status, stdout } = run([process.execPath, join(folder, 'alwaysActing.mjs')]);
      expect(status).toBe(1);
      const lines = stdout.split('\n');
      // The cases: no outcome; a label that does not count; a longer tool name. The parser reads markers-01 correctly.
      expect(lines).toEqual(
        expect.arrayContaining(['raised markers-13', 'acted markers-14', 'wrong call offered-tools-01']),
      );
      expect(stdout).not.toMatch(/markers-01$/m);
    },
  );

  runnerTest(`the ${language} conformance runner compares only the fields that a parser reports`, () => {
    const { status, stdout } = run([process.execPath, join(folder, 'neverActing.mjs')]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^missed markers-01$/m);
    expect(stdout).not.toMatch(/^(?:acted|wrong call|differs) |^missed markers-14$/m);
  });
});
