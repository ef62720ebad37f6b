import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readProjectInstructions } from '../../../src/cli/context/project-instructions.js';
import { ProjectRoot } from '../../../src/tools/project-root.js';
import { answer, scripted, setUp } from '../../support/cli-harness.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const all = temporaryFolder();
const LIMIT = 8_000;

describe('an unusable AGENTS.md (rule: terminal)', () => {
  const cases: readonly [string, (file: string, folder: string) => void, string][] = [
    ['a folder', (file) => mkdirSync(file), '"AGENTS.md" is a folder, not a file.'],
    ['binary', (file) => writeFileSync(file, 'a\0b'), '"AGENTS.md" is a binary file.'],
    [
      'a link that leads nowhere',
      (file) => symlinkSync('nowhere', file),
      'There is no readable file or folder at "AGENTS.md".',
    ],
    [
      'a link to a secret file',
      (file, folder) => {
        writeFileSync(join(folder, '.env'), 'KEY=very-secret');
        symlinkSync('.env', file);
      },
      'There is no readable file or folder at "AGENTS.md".',
    ],
    [
      'a link out of the folder',
      (file) => symlinkSync('/etc/hostname', file),
      'The path "AGENTS.md" leads outside the project folder.',
    ],
    [
      'a first line longer than its share of the token limit',
      (file) => writeFileSync(file, 'x'.repeat(LIMIT)),
      'its first line alone is longer than its share of the token limit.',
    ],
    [
      'huge',
      (file) => writeFileSync(file, 'x\n'.repeat(5_000_000)),
      '"AGENTS.md" is too large to read: 10000000 bytes.',
    ],
  ];

  test.each(
    cases,
  )('readProjectInstructions explains an unusable AGENTS.md in one line: %s', async (_, make, reason) => {
    const folder = mkdtempSync(join(all, 'project-'));
    make(join(folder, 'AGENTS.md'), folder);
    const found = await readProjectInstructions(await ProjectRoot.open(folder), LIMIT);
    expect(found).toEqual({ text: undefined, notice: `AGENTS.md is not read: ${reason}` });
  });

  test('readProjectInstructions returns nothing for a missing or empty AGENTS.md', async () => {
    const folder = mkdtempSync(join(all, 'project-'));
    const root = await ProjectRoot.open(folder);
    expect(await readProjectInstructions(root, LIMIT)).toBeUndefined();
    writeFileSync(join(folder, 'AGENTS.md'), ' \n');
    expect(await readProjectInstructions(root, LIMIT)).toBeUndefined();
  });

  test('a run continues without an unusable AGENTS.md', async () => {
    const bench = await setUp([answer('Yes.')]);
    writeFileSync(join(bench.folder, 'AGENTS.md'), 'a\0b');
    const { stdout, stderr, code } = await bench.run([...scripted, 'Hi.']);
    expect({ stdout, code }).toEqual({ stdout: 'Yes.\n', code: 0 });
    expect(stderr).toContain('AGENTS.md is not read: "AGENTS.md" is a binary file.');
    expect(bench.prompt(0)).not.toContain('AGENTS.md');
  }, 30_000);
});
