import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';

/** Both runners compare a parser command with the cases. */
const runners = [
  ['TypeScript', [process.execPath, '.build/conformance/run.js']],
  ['Python', ['python3', 'conformance/run.py']],
] as const;

const ours = [process.execPath, '.build/conformance/stepwise.js'];
/** A parser that reads every case as the same action, and fails on one case. */
const careless = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  if (id !== 'markers-13') console.log(JSON.stringify({ id, outcome: 'action', tool_name: 'read', tool_args: { path: 'a' } }));
}`;
/** A parser that never finds an action. */
const timid = careless.replace(/outcome: .*}/, "outcome: 'none' }");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  writeFileSync(join(folder, 'careless.mjs'), careless);
  writeFileSync(join(folder, 'timid.mjs'), timid);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(runners)('the runner in %s', (language, [interpreter, ...words]) => {
  const tried = language === 'Python' ? needs(program('python3')).test : test;
  const run = (command: readonly string[]) =>
    spawnSync(interpreter, [...words, 'conformance', ...command], { encoding: 'utf8' });

  tried('the runner finds no difference in this parser', () => {
    const { status, stdout, stderr } = run(ours);
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/^(?:acted|missed|wrong call|differs|raised) /m);
    expect(status).toBe(0);
  });

  tried('the runner lists each case that a careless parser reads differently, and how', () => {
    const { status, stdout } = run([process.execPath, join(folder, 'careless.mjs')]);
    expect(status).toBe(1);
    const lines = stdout.split('\n');
    // A label in the middle of a line, a longer tool name, a call that is read right.
    expect(lines).toEqual(
      expect.arrayContaining(['raised markers-13', 'acted markers-14', 'wrong call offered-tools-01']),
    );
    expect(stdout).not.toMatch(/markers-01$/m);
  });

  tried('the runner accepts omitted fields of a parser that never finds an action', () => {
    const { status, stdout } = run([process.execPath, join(folder, 'timid.mjs')]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^missed markers-01$/m);
    expect(stdout).not.toMatch(/^(?:acted|wrong call|differs) |^missed markers-14$/m);
  });
});
