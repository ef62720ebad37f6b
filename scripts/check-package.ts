import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publicMembers } from '../test/support/public-members.js';

/**
 * Packs `stepwise` and `@stepwise/client` from a clean copy of the sources, as a release does, and installs each
 * into an empty folder. Then checks what users rely on: each entry and its types under the strictest options, the
 * command, a run of the client package against the installed service, and the findings of `publint` and `attw`.
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

/** Copies the files of the repository, without build output and files that Git ignores. Returns the folder. */
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
  // npm prints a list with one element for each packed package; here there is only one.
  const [packed] = JSON.parse(run(sources, 'npm', 'pack', '--json', '--pack-destination', work)) as [
    { filename: string; entryCount: number; size: number; unpackedSize: number },
  ];
  const { filename, entryCount, size, unpackedSize } = packed;
  console.log(
    `${filename}: ${entryCount} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked`,
  );
  return join(work, filename);
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1_000)} kB`;

/**
 * Prints the number and total size of the installed packages. Returns the number. Throws if a package has an
 * install script.
 */
function printInstalledPackages(folder: string): number {
  const modules = join(folder, 'node_modules');
  const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  const { packages }: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(
    readFileSync(join(modules, '.package-lock.json'), 'utf8'),
  );
  const count = Object.keys(packages).length;
  console.log(`installed: ${count} packages, ${kilobytes(bytes)}`);
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  if (scripted.length > 0) throw new Error(`Packages with install scripts: ${scripted.join(', ')}`);
  return count;
}

function installInto(folder: string, tarball: string): void {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  );
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', tarball);
}

/** Returns the entries of a package as users import them: `stepwise`, `stepwise/tools` … */
function entriesOf(folder: string, name: string): string[] {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  const { exports }: { exports: Record<string, unknown> } = JSON.parse(text);
  return Object.keys(exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => entry.replace('.', name));
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  // Some users check the types of libraries too, so ours must compile without errors.
  skipLibCheck: false,
  typeRoots: [join(modules, '@types')],
  types: ['node'],
};

/** Compiler options for the two ways to resolve modules: as Node does, and as bundlers do. */
const resolutions = [{}, { module: 'esnext', moduleResolution: 'bundler' }];

function checkTypes(folder: string, file: string, overrides: object = {}): void {
  for (const resolution of resolutions) {
    const options = { ...compilerOptions, ...resolution, ...overrides };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [file] }));
    run(folder, tool('tsc'), '-p', '.');
  }
}

/** Imports every entry, both with and without types. Throws if types are missing or an entry exports nothing. */
function tryEntries(folder: string, name: string): void {
  const entries = entriesOf(folder, name);
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const names = entries.map((_, index) => `entry${index}`).join(', ');
  const check = `for (const each of [${names}]) if (Object.keys(each).length === 0) throw new Error('An entry exports nothing.');`;
  const source = [...imports, check, ''].join('\n');
  writeFileSync(join(folder, 'use.mts'), source);
  writeFileSync(join(folder, 'use.mjs'), source);
  checkTypes(folder, 'use.mts');
  run(folder, process.execPath, 'use.mjs');
  console.log(`${entries.join(', ')}: load, with types`);
}

/**
 * Runs the program from the SDK's README in Node, against the installed service. Checks its types without those of
 * Node, because it must also compile for browsers.
 */
async function tryRun(user: string, client: string): Promise<void> {
  const entry = pathToFileURL(join(user, 'node_modules/stepwise/dist/service/server.js'));
  const { startService }: typeof import('../src/service/server.js') = await import(entry.href);
  const service = await startService({ PORT: 0, LOG_LEVEL: 'silent' });
  const readme = readFileSync(join(client, 'node_modules/@stepwise/client/README.md'), 'utf8');
  const [, snippet = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  const program = snippet.replace('http://127.0.0.1:8080', service.url);
  writeFileSync(join(client, 'readme.mts'), program);
  writeFileSync(join(client, 'readme.mjs'), program);
  checkTypes(client, 'readme.mts', {
    types: [],
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  });
  const { stdout } = await promisify(execFile)(process.execPath, ['readme.mjs'], { cwd: client });
  await service.close();
  const [ending = ''] = stdout.trim().split('\n').slice(-1);
  if (!ending.startsWith('answered'))
    throw new Error(`The run in the README must end with "answered", but ended with: ${ending}`);
  console.log(`a run of @stepwise/client: ${ending}`);
}

/** Bundles the whole client for browsers, and prints its size. */
function printBundleSize(folder: string): void {
  writeFileSync(join(folder, 'all.mjs'), "export * from '@stepwise/client';");
  const words = [
    'all.mjs',
    '--bundle',
    '--minify',
    '--format=esm',
    '--platform=browser',
    '--log-level=error',
  ];
  const bundled = run(folder, tool('esbuild'), ...words);
  const zipped = kilobytes(gzipSync(bundled).length);
  console.log(`bundled for a browser: ${kilobytes(Buffer.byteLength(bundled))} minified, ${zipped} gzipped`);
}

/** Throws if an export of the SDK, or a member of one, has no docstring in the declarations of a package. */
function checkDocstrings(folder: string, entry: string): void {
  const members = publicMembers([join(folder, 'node_modules', entry)]);
  const bare = members.filter(({ documentation }) => documentation === '').map(({ path }) => path);
  if (bare.length > 0) throw new Error(`Without a docstring in ${entry}: ${bare.join(', ')}`);
  console.log(`${entry}: ${members.length} exports and members, all with a docstring`);
}

function lint(tarball: string): void {
  console.log(run(checkout, tool('publint'), 'run', tarball, '--strict').trim());
  console.log(run(checkout, tool('attw'), tarball, '--profile', 'esm-only', '--quiet').trim());
}

try {
  const sources = copySources();
  const tarball = pack(sources);
  const user = join(work, 'user');
  installInto(user, tarball);
  printInstalledPackages(user);
  tryEntries(user, 'stepwise');
  checkDocstrings(user, 'stepwise/dist/sdk/index.d.ts');
  run(user, join(user, 'node_modules/.bin/stepwise'), '--help');
  lint(tarball);

  run(sources, process.execPath, join(checkout, '.build/scripts/package-sdk.js'));
  const clientTarball = pack(join(sources, 'dist-sdk'));
  const client = join(work, 'client');
  installInto(client, clientTarball);
  if (printInstalledPackages(client) !== 1)
    throw new Error('@stepwise/client must not install other packages.');
  tryEntries(client, '@stepwise/client');
  checkDocstrings(client, '@stepwise/client/lib/sdk/index.d.ts');
  printBundleSize(client);
  await tryRun(user, client);
  lint(clientTarball);
} finally {
  rmSync(work, { recursive: true, force: true });
}
