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

/**
 * Packs the package and the one of the SDK by itself from a clean copy of the sources, as a release does, installs each into an
 * empty folder, and tries all that its users rely on: each entry with its types under the strictest options, the command, a run of the
 * one package against the service of the other, and what `publint` and `attw` have to say.
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
    { filename: string; entryCount: number; size: number; unpackedSize: number },
  ];
  const { filename, entryCount, size, unpackedSize } = packed;
  console.log(
    `${filename}: ${entryCount} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked`,
  );
  return join(work, filename);
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1_000)} kB`;

/** What an installation brought, and that no script of its packages would run. */
function tellInstalled(folder: string): number {
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
  if (scripted.length > 0) throw new Error(`with install scripts: ${scripted.join(', ')}`);
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

/** The entries as a user names them: `stepwise`, `stepwise/tools` … */
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
  // The libraries our types are made of have errors of their own under these options.
  skipLibCheck: false,
  typeRoots: [join(modules, '@types')],
  types: ['node'],
};

/** As Node finds modules and as bundlers do. */
const resolutions = [{}, { module: 'esnext', moduleResolution: 'bundler' }];

function checkTypes(folder: string, file: string, more: object = {}): void {
  for (const resolution of resolutions) {
    const options = { ...compilerOptions, ...resolution, ...more };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [file] }));
    run(folder, tool('tsc'), '-p', '.');
  }
}

/** A module that has no types, or exports nothing, fails here. */
function tryEntries(folder: string, name: string): void {
  const entries = entriesOf(folder, name);
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const names = entries.map((_, index) => `entry${index}`).join(', ');
  const check = `for (const each of [${names}]) if (Object.keys(each).length === 0) throw new Error('empty');`;
  const source = [...imports, check, ''].join('\n');
  writeFileSync(join(folder, 'use.mts'), source);
  writeFileSync(join(folder, 'use.mjs'), source);
  checkTypes(folder, 'use.mts');
  run(folder, process.execPath, 'use.mjs');
  console.log(`${entries.join(', ')}: load, with their types`);
}

/** What the README of the SDK shows, against the service that was installed: in Node, and its types without Node's, as in a browser. */
async function tryRun(user: string, client: string): Promise<void> {
  const entry = pathToFileURL(join(user, 'node_modules/stepwise/dist/service/server.js'));
  const { startService }: typeof import('../src/service/server.js') = await import(entry.href);
  const service = await startService({ PORT: 0, LOG_LEVEL: 'silent' });
  const readme = readFileSync(join(client, 'node_modules/@stepwise/client/README.md'), 'utf8');
  const [, shown = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  const program = shown.replace('http://127.0.0.1:8080', service.url);
  writeFileSync(join(client, 'readme.mts'), program);
  writeFileSync(join(client, 'readme.mjs'), program);
  checkTypes(client, 'readme.mts', {
    types: [],
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  });
  const told = await promisify(execFile)(process.execPath, ['readme.mjs'], { cwd: client });
  await service.close();
  const [ending = ''] = told.stdout.trim().split('\n').slice(-1);
  if (!ending.startsWith('answered')) throw new Error(`the run of the README ended with: ${ending}`);
  console.log(`a run of @stepwise/client: ${ending}`);
}

/** A bundler for browsers takes it as it is. */
function tellBundle(folder: string): void {
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
  console.log(
    `all of it for a browser: ${kilobytes(Buffer.byteLength(bundled))} minified, ${zipped} gzipped`,
  );
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
  tellInstalled(user);
  tryEntries(user, 'stepwise');
  run(user, join(user, 'node_modules/.bin/stepwise'), '--help');
  lint(tarball);

  run(sources, process.execPath, join(checkout, '.build/scripts/package-sdk.js'));
  const clientTarball = pack(join(sources, 'dist-sdk'));
  const client = join(work, 'client');
  installInto(client, clientTarball);
  if (tellInstalled(client) !== 1) throw new Error('@stepwise/client brings other packages');
  tryEntries(client, '@stepwise/client');
  tellBundle(client);
  await tryRun(user, client);
  lint(clientTarball);
} finally {
  rmSync(work, { recursive: true, force: true });
}
