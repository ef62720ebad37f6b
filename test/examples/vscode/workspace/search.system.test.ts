import { expect, test } from '@jest/globals';
import { describeWorkbench } from '../../../support/vscode/describe-workbench.js';
import { answering, calling, ended, send, shownToModel } from '../side-view.js';

const canary = 'canary-of-the-search';
const modules = Array.from({ length: 3_000 }, (_, index) => [
  `src/m${index}.ts`,
  `export const value${index} = ${index};\n`,
]);
const files = {
  ...Object.fromEntries(modules),
  'src/needle.ts': `const hay = 1;\nexport const needle = '${canary}';\n`,
  'docs/notes.md': 'No needle here.\n',
  'docs/slow.txt': `${'a'.repeat(60)}!\n`,
  '.gitignore': 'build/\n',
  'build/out.js': `export const needle = '${canary}-built';\n`,
  '.env': `NEEDLE=${canary}-env\n`,
  'keys/id_rsa': `needle ${canary}-rsa\n`,
  'keys/server.key.': `needle ${canary}-key\n`,
  '.git/config': `needle ${canary}-git\n`,
};

describeWorkbench('searching 3,000 files in the extension', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));

  test('a search finds matching files, but no secrets and nothing ignored by .gitignore', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([
      calling('search_code(pattern="needle|value2999 ")'),
      calling('search_code(pattern="needle", path="docs")'),
      calling('list_files(pattern="*.ts")'),
      calling('list_files(path="keys")'),
      calling('find_definition(symbol="needle")'),
      answering('Found.'),
    ]);
    await send(workbench, 'Find it.');
    expect(await ended(workbench)).toContain('Answered.');
    const found = [
      'docs/notes.md:1: No needle here.',
      'src/m2999.ts:1: export const value2999 = 2999;',
      `src/needle.ts:2: export const needle = '${canary}';`,
      'showing 3 of 3 matches',
    ];
    expect(shown()).toContain(found.join('\n'));
    expect(shown()).toContain('docs/notes.md:1: No needle here.\nshowing 1 of 1 matches');
    expect(shown()).toContain('showing 200 of 3001 files');
    expect(shown()).toContain('No files found.');
    const other = `src/needle.ts:2: export const needle = '${canary}';\nshowing 1 of 1 matches`;
    expect(shown()).toContain(other);
    expect(shown()).not.toMatch(/canary-of-the-search-|id_rsa|\.env/);
  });

  test('reading or searching a secrets file by its path finds nothing', async () => {
    const workbench = await suite.open({ files });
    const paths = ['.env', '.ENV', 'ENV~1', 'keys/id_rsa', 'keys/server.key.', '.git/config', 'GIT~1/config'];
    suite.service.fake.script([
      ...paths.map((path) => calling(`read_file(path="${path}")`)),
      calling('search_code(pattern="needle", path="keys")'),
      calling('search_code(pattern="needle", path=".git")'),
      answering('Nothing.'),
    ]);
    await send(workbench, 'Look.');
    expect(await ended(workbench)).toContain('Answered.');
    for (const path of paths) expect(shown()).toContain(`There is no readable file or folder at "${path}".`);
    expect(shown()).toContain('No matches.');
    expect(shown()).toContain('There is no readable file or folder at ".git".');
    expect(shown()).not.toContain(canary);
  });

  test('a search with an endless pattern is aborted, and the next search works', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([
      calling('search_code(pattern="^(a+)+$", path="docs")'),
      calling('search_code(pattern="hay")'),
      answering('Found.'),
    ]);
    await send(workbench, 'Find it.');
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('The pattern takes too long; use a simpler one.');
    expect(shown()).toContain('src/needle.ts:1: const hay = 1;\nshowing 1 of 1 matches');
  });
});
