import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Packs from a clean copy of the sources, as a release does, installs the package into an empty folder, and tries all
 * that its users rely on: each entry with its types under the strictest options, the command, and what `publint` and
 * `attw` have to say.
 */
const checkout = join(dirname(fileURLToPath(import.meta.url)), '../..');
const modules = join(checkout, 'node_modules');
const work = mkdtempSync(join(tmpdir(), 'stepwise-package-'));

function run(folder: string, command: string, ...words: string[]): string {
  return execFileSync(command, words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const tool = (name: string): string => join(modules, '.bin', name);

/** Only what is in the repository: nothing built, nothing left over. */
function copySources(): string {
  const copy = join(work, 'sources');
  const files = run(checkout, 'git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z').split(
    '\0',
  );
  for (const file of files.filter((each) => each !== '')) {
    cpSync(join(checkout, file), join(copy, file), { force: true });
  }
  symlinkSync(modules, join(copy, 'node_modules'));
  return copy;
}

function pack(sources: string): string {
  // One element for the one package that was packed.
  const [packed] = JSON.parse(run(sources, 'npm', 'pack', '--json', '--pack-destination', work)) as [
    { filename: string; entryCount: number },
  ];
  console.log(`${packed.filename}: ${packed.entryCount} files`);
  return join(work, packed.filename);
}

function installInto(folder: string, tarball: string): void {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  );
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', tarball);
}

/** The entries as a user names them: `stepwise`, `stepwise/tools` … */
function entriesOf(folder: string): string[] {
  const text = readFileSync(join(folder, 'node_modules/stepwise/package.json'), 'utf8');
  const { exports }: { exports: Record<string, unknown> } = JSON.parse(text);
  return Object.keys(exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => entry.replace('.', 'stepwise'));
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  // The libraries our types are made of have errors of their own under these options.
  skipLibCheck: false,
  typeRoots: [join(modules, '@types')],
  types: ['node'],
};

/** A module that has no types, or exports nothing, fails here. */
function tryEntries(folder: string): void {
  const entries = entriesOf(folder);
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const names = entries.map((_, index) => `entry${index}`).join(', ');
  const check = `for (const each of [${names}]) if (Object.keys(each).length === 0) throw new Error('empty');`;
  const source = [...imports, check, ''].join('\n');
  writeFileSync(join(folder, 'use.mts'), source);
  writeFileSync(join(folder, 'use.mjs'), source);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.mts'] }));
  run(folder, tool('tsc'), '-p', '.');
  run(folder, process.execPath, 'use.mjs');
  run(folder, join(folder, 'node_modules/.bin/stepwise'), '--help');
  console.log(`${entries.join(', ')}: load, with their types`);
}

try {
  const tarball = pack(copySources());
  const user = join(work, 'user');
  installInto(user, tarball);
  tryEntries(user);
  console.log(run(checkout, tool('publint'), 'run', tarball, '--strict').trim());
  console.log(run(checkout, tool('attw'), tarball, '--profile', 'esm-only', '--quiet').trim());
} finally {
  rmSync(work, { recursive: true, force: true });
}
