import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { matchLinesInVm } from '../../src/tools/match-lines-in-vm.js';
import { createFileTools } from '../../src/tools/portable/file-tools.js';
import { ProjectRoot } from '../../src/tools/project-root.js';
import { inMemory } from '../support/memory-project.js';
import { call, outcomeOf, project } from '../support/random-project.js';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.js';

const home = temporaryFolder();

test('every file tool returns the same for a project on disk as in memory (rule: portable-tools)', async () => {
  let projects = 0;
  await fc.assert(
    fc.asyncProperty(project, fc.array(call, { minLength: 1, maxLength: 12 }), async (files, calls) => {
      const folder = join(home, `project-${projects++}`);
      writeFiles(folder, Object.fromEntries(files));
      mkdirSync(folder, { recursive: true });
      const onDisk = createFileTools(await ProjectRoot.open(folder), { matchLines: matchLinesInVm });
      const { tools } = inMemory(Object.fromEntries(files));
      for (const { name, args } of calls)
        expect(await outcomeOf(tools, name, args)).toEqual(await outcomeOf(onDisk, name, args));
    }),
    { numRuns: 150 },
  );
}, 120_000);
