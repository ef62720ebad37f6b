/**
 * Packs both packages from a clean copy of the sources with `npm run release`, under a test scope, and installs each
 * into an empty folder. Then checks what users rely on: each entry and its types under the strictest options, the
 * command, a run of the client package against the installed service, and the findings of `publint` and `attw`.
 */
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
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publicMembers } from '../test/support/public-members.js';

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

/**
 * Copies the files of the repository, without build output and files that Git ignores. Returns the folder of the copy.
 */
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

const WHOLE = '@acme/stepwise';
const CLIENT = '@acme/stepwise-client';

/** Packs both packages. Returns the paths of their tarballs. */
function pack(sources: string): { whole: string; client: string } {
  run(sources, process.execPath, join(checkout, '.build/scripts/release.js'), '--scope', '@acme');
  const { version }: { version: string } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8'));
  return {
    whole: join(sources, `.build/acme-stepwise-${version}.tgz`),
    client: join(sources, `.build/acme-stepwise-client-${version}.tgz`),
  };
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
  console.log(`${basename(tarball)}: ${kilobytes(statSync(tarball).size)} packed`);
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  );
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', tarball);
}

/** Returns the entries of a package, with their names as users import them (`stepwise/tools`) and their declaration files. */
function exportsOf(folder: string, name: string): { entry: string; types: string }[] {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  const { exports }: { exports: Record<string, string | { types: string }> } = JSON.parse(text);
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : { entry: path.replace('.', name), types: target.types },
  );
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
  const entries = exportsOf(folder, name).map(({ entry }) => entry);
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

/** Returns the first program in the README of an installed package. */
function programOf(folder: string, name: string): string {
  const readme = readFileSync(join(folder, 'node_modules', name, 'README.md'), 'utf8');
  const [, snippet = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  return snippet;
}

/** Runs a program in Node after checking its types. Throws unless the last line of its output begins with `answered`. */
async function tryProgram(folder: string, program: string, overrides: object = {}): Promise<void> {
  writeFileSync(join(folder, 'readme.mts'), program);
  writeFileSync(join(folder, 'readme.mjs'), program);
  checkTypes(folder, 'readme.mts', overrides);
  const { stdout } = await promisify(execFile)(process.execPath, ['readme.mjs'], { cwd: folder });
  const [ending = ''] = stdout.trim().split('\n').slice(-1);
  if (!ending.startsWith('answered'))
    throw new Error(`The run in a README must end with "answered", but ended with: ${ending}`);
  console.log(`a run of a README's program: ${ending}`);
}

/**
 * Runs the program from the client's README against the installed service. Compiles the program without Node's types,
 * because it must also compile for browsers.
 */
async function tryClient(user: string, client: string): Promise<void> {
  const entry = pathToFileURL(join(user, 'node_modules', WHOLE, 'dist/service/server.js'));
  const { startService }: typeof import('../src/service/server.js') = await import(entry.href);
  const service = await startService({ PORT: 0, LOG_LEVEL: 'silent' });
  const program = programOf(client, CLIENT).replace('http://127.0.0.1:8080', service.url);
  const lib = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'];
  await tryProgram(client, program, { types: [], lib });
  await service.close();
}

/** Bundles the whole client for browsers, and prints its size. */
function printBundleSize(folder: string): void {
  writeFileSync(join(folder, 'all.mjs'), `export * from '${CLIENT}';`);
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

/** Throws if an export of a package's entry, or a member of one, has no docstring in its declarations. */
function checkDocstrings(folder: string, name: string): void {
  const files = exportsOf(folder, name).map(({ types }) => join(folder, 'node_modules', name, types));
  const members = publicMembers(files);
  const bare = members.filter(({ documentation }) => documentation === '').map(({ path }) => path);
  if (bare.length > 0) throw new Error(`Without a docstring in ${name}: ${bare.join(', ')}`);
  console.log(`${name}: ${members.length} exports and members, all with a docstring`);
}

function lint(tarball: string): void {
  console.log(run(checkout, tool('publint'), 'run', tarball, '--strict').trim());
  console.log(run(checkout, tool('attw'), tarball, '--profile', 'esm-only', '--quiet').trim());
}

try {
  const sources = copySources();
  const tarballs = pack(sources);
  const user = join(work, 'user');
  installInto(user, tarballs.whole);
  printInstalledPackages(user);
  tryEntries(user, WHOLE);
  checkDocstrings(user, WHOLE);
  run(user, join(user, 'node_modules/.bin/stepwise'), '--help');
  await tryProgram(user, programOf(user, WHOLE));
  lint(tarballs.whole);

  const client = join(work, 'client');
  installInto(client, tarballs.client);
  if (printInstalledPackages(client) !== 1) throw new Error('The client must not install other packages.');
  tryEntries(client, CLIENT);
  checkDocstrings(client, CLIENT);
  printBundleSize(client);
  await tryClient(user, client);
  lint(tarballs.client);
} finally {
  rmSync(work, { recursive: true, force: true });
}
