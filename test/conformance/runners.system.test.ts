import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';

/** Both runners test a command with the cases. CI has both languages; other machines may lack Python. */
const runners = [
  ['TypeScript', [process.execPath, '.build/test/conformance/run.js']],
  ['Python', ['python3', 'test/conformance/run.py']],
] as const;

const ours = [process.execPath, '.build/test/conformance/stepwise.js'];
/** A parser that proposes the same action for every reply, and returns nothing for one case. */
const alwaysActs = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  if (id !== 'markers-13') console.log(JSON.stringify({ id, outcome: 'action', tool_name: 'read', tool_args: { path: 'a' } }));
}`;
/** A parser that proposes no action for any reply, and returns no field but the outcome. */
const neverActs = alwaysActs.replace(/outcome: .*}/, "outcome: 'none' }");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  writeFileSync(join(folder, 'always-acts.mjs'), alwaysActs);
  writeFileSync(join(folder, 'never-acts.mjs'), neverActs);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(runners)('the conformance runner in %s', (language, [interpreter, ...words]) => {
  const testIfAvailable = language === 'Python' ? needs(program('python3')).test : test;
  const run = (command: readonly string[]) =>
    spawnSync(interpreter, [...words, 'test/conformance', ...command], { encoding: 'utf8' });

  testIfAvailable('the runner finds no fault in the parser of this project', () => {
    const { status, stdout, stderr } = run(ours);
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/^(?:acted|missed|wrong call|differs|raised) /m);
    expect(status).toBe(0);
  });

  testIfAvailable('the runner prints each case that a parser reads differently, with the verdict', () => {
    const { status, stdout } = run([process.execPath, join(folder, 'always-acts.mjs')]);
    expect(status).toBe(1);
    const lines = stdout.split('\n');
    // In markers-13 the parser returns nothing, in markers-14 no call may run, and in offered-tools-01 its arguments
    // are wrong. It reads markers-01 correctly.
    expect(lines).toEqual(
      expect.arrayContaining(['raised markers-13', 'acted markers-14', 'wrong call offered-tools-01']),
    );
    expect(stdout).not.toMatch(/markers-01$/m);
  });

  testIfAvailable('the runner compares only the fields that a parser returns', () => {
    const { status, stdout } = run([process.execPath, join(folder, 'never-acts.mjs')]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^missed markers-01$/m);
    expect(stdout).not.toMatch(/^(?:acted|wrong call|differs) |^missed markers-14$/m);
  });
});
